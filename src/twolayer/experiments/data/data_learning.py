"""Learning by a convex loss from samples of a set and of its surrogates."""

import itertools
import logging

import numpy as np
import xarray as xr

from twolayer.experiments.data.parameters import DataLearning
from twolayer.experiments.replica.convex_results import axes_of
from twolayer.model.feature_count import count_of
from twolayer.progress import track
from twolayer.results.covariates import dataset_set
from twolayer.simulation.convex_learning import learn, perform
from twolayer.simulation.set_surrogates import surrogate

log = logging.getLogger("twolayer")

_ERRORS = ("training_loss", "test_loss", "training_class_error", "class_error")


def run(config: DataLearning, data: xr.Dataset) -> xr.Dataset:
    """Errors at every point, for every law and draw."""
    samples = dataset_set(data)
    if "one" in config.laws and not samples.field_law().exact:
        log.warning(
            "a linear field explains more of these labels than of any Gaussian features: law 'one' has less noise"
        )
    errors = [_law(config, samples, law) for law in track(config.laws, "laws")]
    axes = {"law": list(config.laws), "seed": np.arange(config.seeds), **axes_of(config.problem)}
    dims = ("law", "seed", "loss", "sample_ratio", "ridge")
    variables = {name: (dims, np.array(errors)[..., place]) for place, name in enumerate(_ERRORS)}
    return xr.Dataset(variables | {"explained": samples.explained}, coords=axes)


def _law(config, samples, law):
    """(seeds, losses, sample ratios, ridges, errors), with the same random numbers for all laws."""
    draw, d = surrogate(samples, law), samples.features.shape[1]
    most = max(count_of(ratio, d, "sample_ratios", "sample") for ratio in config.problem.sample_ratios)
    found = []
    for stream in np.random.default_rng(config.seed).spawn(config.seeds):
        labels, features = draw(stream, most + config.test_samples)
        known, test = (labels[:most], features[:most]), (labels[most:], features[most:])
        found.append(_trial(config.problem, known, test))
    return found


def _trial(problem, known, test):
    """The same samples serve all losses and ridges, and the first of them smaller sample ratios."""
    d, axes = known[1].shape[1], axes_of(problem)
    rows = []
    for loss, ratio, ridge in itertools.product(*axes.values()):
        labels, features = (part[: round(ratio * d)] for part in known)
        weights = learn(features, labels, loss, ridge)
        seen, fresh = (perform(weights, y, v, y, loss) for y, v in ((labels, features), test))
        rows.append([seen.loss, fresh.loss, seen.class_error, fresh.class_error])
    return np.reshape(rows, [*map(len, axes.values()), len(_ERRORS)])

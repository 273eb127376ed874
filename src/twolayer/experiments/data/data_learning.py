"""Learning by a convex loss from samples of a set and of its surrogates."""

import itertools
import logging
from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.data.parameters import DataLearning
from twolayer.experiments.replica.convex_results import axes_of
from twolayer.experiments.sweeps import sweep
from twolayer.model.networks.feature_count import count_of
from twolayer.progress import track
from twolayer.results.feature_covariances import dataset_labelled_data
from twolayer.simulation.convex.convex_learning import learn, perform
from twolayer.simulation.convex.surrogate_data import surrogate

log = logging.getLogger("twolayer")

_LEAST = 2  # smallest number of training samples
_TEST_SHARE = 4  # size of the set divided by the smallest number of test samples
_VARIABLES = ("training_loss", "test_loss", "training_class_error", "class_error", "converged")


def run(config: DataLearning, data: xr.Dataset) -> xr.Dataset:
    """Return errors at every point, for every distribution and draw."""
    samples = dataset_labelled_data(data)
    if "one" in config.distributions and not samples.field_distribution().exact:
        log.warning(
            "a linear field explains more of these labels than labels of Gaussian features allow: distribution "
            "'one' has less noise"
        )
    config = _fitted(config, len(samples.labels), samples.features.shape[1])
    with sweep() as point:
        values = [
            _distribution(config, samples, distribution, point)
            for distribution in track(config.distributions, "distributions")
        ]
    axes = {"distribution": list(config.distributions), "seed": np.arange(config.seeds), **axes_of(config.problem)}
    dims = ("distribution", "seed", "loss", "sample_ratio", "ridge")
    variables = {name: (dims, np.array(values)[..., place]) for place, name in enumerate(_VARIABLES)}
    return xr.Dataset(variables | {"r_squared": samples.r_squared}, coords=axes)


def _fitted(config, n, d):
    """Return the parameters with the sample ratios and the number of test samples for which the set is large enough."""
    ratios = config.problem.sample_ratios
    if (fewest := round(min(ratios) * d)) < _LEAST:
        raise ConfigError(
            f"sample_ratio {min(ratios):g} gives {fewest} training samples with {d} features: set sample_ratios to at "
            f"least {_LEAST / d:.3g}"
        )
    if not config.fit_to_data:
        return config
    test = min(config.test_samples, max(n // _TEST_SHARE, n - round(max(ratios) * d)))
    kept = tuple(ratio for ratio in ratios if round(ratio * d) + test <= n)
    if not kept:
        raise ConfigError(
            f"sample_ratio {min(ratios):g} needs {fewest} training samples and {test} test samples, but the set has "
            f"{n}: "
            f"set sample_ratios to at most {(n - test) / d:.3g}"
        )
    if len(kept) < len(ratios):
        log.warning("%d samples with %d features are too few for sample ratios above %g", n, d, max(kept))
    return replace(config, test_samples=test, problem=replace(config.problem, sample_ratios=kept))


def _distribution(config, samples, distribution, point):
    """Return (seeds, losses, sample ratios, ridges, variables), with the same random numbers for all distributions."""
    draw, d = surrogate(samples, distribution), samples.features.shape[1]
    most = max(count_of(ratio, d, "sample_ratios", "sample") for ratio in config.problem.sample_ratios)
    found = []
    for seed, stream in enumerate(np.random.default_rng(config.seed).spawn(config.seeds)):
        labels, features = draw(stream, most + config.test_samples)
        known, test = (labels[:most], features[:most]), (labels[most:], features[most:])
        found.append(_trial(config.problem, known, test, partial(point, distribution=distribution, seed=seed)))
    return found


def _trial(problem, known, test, point):
    """Return errors of one draw and whether they converged.

    All losses and ridges use the same samples; smaller sample ratios use the first of them.
    """
    d, axes = known[1].shape[1], axes_of(problem)
    rows = []
    for loss, ratio, ridge in itertools.product(*axes.values()):
        rows.append([np.nan, np.nan, np.nan, np.nan, 0.0])
        with point(loss=loss, sample_ratio=ratio, ridge=ridge):
            labels, features = (part[: round(ratio * d)] for part in known)
            weights = learn(*of_both_labels(features, labels), loss, ridge, huber_delta=problem.huber_delta)
            seen, fresh = (perform(weights, y, v, y, loss, problem.huber_delta) for y, v in ((labels, features), test))
            rows[-1] = [seen.loss, fresh.loss, seen.class_error, fresh.class_error, 1.0]
    return np.reshape(rows, [*map(len, axes.values()), len(_VARIABLES)])


def of_both_labels(features, labels):
    """Return the same learning problem with both labels.

    No loss changes if a sample and its label change their signs.
    """
    if np.ptp(labels) > 0:
        return features, labels
    signs = np.ones(len(labels))
    signs[0] = -1
    return features * signs[:, None], labels * signs

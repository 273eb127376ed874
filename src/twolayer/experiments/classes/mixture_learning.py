"""Learning the labels -1 and 1 of Gaussian clusters by a convex loss, from samples."""

import itertools

import numpy as np
import xarray as xr

from twolayer.experiments.classes.parameters import MixtureLearning
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.model.networks.feature_count import count_of
from twolayer.progress import track
from twolayer.results.mixture import dataset_clusters
from twolayer.simulation.convex.cluster_learning import binary_classifier
from twolayer.simulation.convex.convex_learning import losses_of


def run(config: MixtureLearning, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples."""
    clusters = dataset_clusters(mixture).spread_over(config.dimension)
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    return xr.concat([_trial(config, clusters, stream) for stream in streams], "seed")


def _trial(config, clusters, rng):
    """The same samples serve all losses and ridges, and the same test samples all sample ratios."""
    problem, d = config.problem, clusters.means.shape[1]
    test, axes = clusters.draw(rng, config.test_samples), axes_of(problem)
    counts = {alpha: count_of(alpha, d, "sample_ratios", "sample") for alpha in problem.sample_ratios}
    training = {alpha: clusters.draw(rng, count) for alpha, count in counts.items()}
    rows = []
    for loss, alpha, ridge in itertools.product(*axes.values()):
        options = {"bias": config.bias, "huber_delta": problem.huber_delta}
        w, b = binary_classifier(*training[alpha], loss, ridge, **options)
        known, fresh = (_performance(w, b, *samples, loss, problem.huber_delta) for samples in (training[alpha], test))
        overlaps = {"b": b, "Q": clusters.variances @ w**2 / d, "M": clusters.means @ w / np.sqrt(d)}
        rows.append(dict(zip(_ERRORS, (known[0], fresh[0], known[1], fresh[1]), strict=True)) | overlaps)
    return points_to_dataset(axes, rows, {"Q": ("cluster",), "M": ("cluster",)})


_ERRORS = ("training_loss", "test_loss", "training_class_error", "class_error")


def _performance(w, b, inputs, labels, loss, huber_delta):
    z = inputs @ w / np.sqrt(len(w)) + b
    return np.mean(losses_of(labels, z, loss, huber_delta)), np.mean(z * labels < 0)

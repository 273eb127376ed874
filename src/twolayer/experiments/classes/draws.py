"""Draws of training and test samples of clusters."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from twolayer.experiments.classes.parameters import ClassLearning, MixtureLearning
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.networks.feature_count import count_of
from twolayer.progress import track
from twolayer.results.mixture import dataset_clusters

Samples = tuple[np.ndarray, np.ndarray]


def learnt_from_draws(
    config: ClassLearning | MixtureLearning,
    mixture: xr.Dataset,
    learn: Callable[[Clusters, Samples, Samples, str, float], dict[str, Any]],
    dimensions: Mapping[str, tuple[str, ...]],
) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples.

    All losses and ridges use the same samples, and all sample ratios the same test samples.

    Args:
        learn: function of clusters, training samples, test samples, loss and ridge; it returns the variables of a
            point.
        dimensions: dimensions of the variables that are arrays.
    """
    clusters = dataset_clusters(mixture).spread_over(config.dimension)
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    return xr.concat([_draw(config, clusters, stream, learn, dimensions) for stream in streams], "seed")


def _draw(config, clusters, rng, learn, dimensions):
    axes, d = axes_of(config.problem), clusters.means.shape[1]
    test = clusters.draw(rng, config.test_samples)
    counts = {alpha: count_of(alpha, d, "sample_ratios", "sample") for alpha in config.problem.sample_ratios}
    training = {alpha: clusters.draw(rng, count) for alpha, count in counts.items()}
    points = itertools.product(*axes.values())
    rows = [learn(clusters, training[alpha], test, loss, ridge) for loss, alpha, ridge in points]
    return points_to_dataset(axes, rows, dimensions)

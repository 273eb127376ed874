"""Draws of training and test samples of clusters."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from twolayer.experiments.classes.parameters import ClassLearning, MixtureLearning
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.experiments.sweeps import sweep
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
    axes, rows = {"seed": list(range(config.seeds)), **axes_of(config.problem)}, {}
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    with sweep() as point:
        for seed, stream in zip(axes["seed"], streams, strict=True):
            test, training = _drawn_sets(config, clusters, stream)
            for loss, ratio, ridge in itertools.product(*axes_of(config.problem).values()):
                with point(seed=seed, loss=loss, sample_ratio=ratio, ridge=ridge):
                    rows[seed, loss, ratio, ridge] = learn(clusters, training[ratio], test, loss, ridge)
    return points_to_dataset(axes, rows, dimensions).drop_vars("seed")


def _drawn_sets(config, clusters, rng):
    """Return test samples, and training samples by sample ratio."""
    test, d = clusters.draw(rng, config.test_samples), clusters.means.shape[1]
    counts = {alpha: count_of(alpha, d, "sample_ratios", "sample") for alpha in config.problem.sample_ratios}
    return test, {alpha: clusters.draw(rng, count) for alpha, count in counts.items()}

"""Learning several classes of Gaussian clusters, in theory."""

import itertools
from dataclasses import asdict

import xarray as xr

from twolayer.experiments.classes.parameters import ClassReplica
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.results.mixture import dataset_clusters
from twolayer.theory.classes.one_hot_regression import one_hot_errors, one_hot_overlaps
from twolayer.theory.classes.softmax_regression import softmax_errors, softmax_overlaps

_LOSSES = {"square": (one_hot_overlaps, one_hot_errors), "softmax": (softmax_overlaps, softmax_errors)}
DIMENSIONS = {
    "V": ("cluster", "class", "other_class"),
    "Q": ("cluster", "class", "other_class"),
    "M": ("cluster", "class"),
    "b": ("class",),
    "confusion": ("class", "answer"),
}


def run(config: ClassReplica, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point."""
    clusters, axes, rows = dataset_clusters(mixture), axes_of(config.problem), {}
    for loss, ridge in itertools.product(axes["loss"], axes["ridge"]):
        solve, errors_of = _LOSSES[loss]
        overlaps = None
        for ratio in axes["sample_ratio"]:
            overlaps = solve(clusters, ratio, ridge, overlaps)
            errors = asdict(errors_of(clusters, overlaps))
            if axes["loss"] != ["square"]:
                errors["training_class_error"] = None
            rows[loss, ratio, ridge] = errors | asdict(overlaps)
    return points_to_dataset(axes, [rows[point] for point in itertools.product(*axes.values())], DIMENSIONS)

"""Learning several classes of Gaussian clusters, in theory."""

import itertools
from dataclasses import asdict

import xarray as xr

from twolayer.experiments.classes.parameters import ClassReplica
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.experiments.sweeps import sweep
from twolayer.results.mixture import dataset_clusters
from twolayer.theory.classes.one_hot_regression import one_hot_errors, one_hot_overlaps
from twolayer.theory.classes.softmax_regression import softmax_errors, softmax_overlaps

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
    with sweep() as point:
        for loss, ridge in itertools.product(axes["loss"], axes["ridge"]):
            overlaps = None
            for ratio in axes["sample_ratio"]:
                with point(loss=loss, sample_ratio=ratio, ridge=ridge):
                    if loss == "square":
                        overlaps = one_hot_overlaps(clusters, ratio, ridge, overlaps, bias=config.bias)
                        errors = asdict(one_hot_errors(clusters, overlaps))
                    else:
                        overlaps = softmax_overlaps(clusters, ratio, ridge, overlaps, bias=config.bias)
                        errors = asdict(softmax_errors(clusters, overlaps))
                    if axes["loss"] != ["square"]:
                        errors["training_class_error"] = None
                    rows[loss, ratio, ridge] = errors | asdict(overlaps)
    return points_to_dataset(axes, rows, DIMENSIONS)

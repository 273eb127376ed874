"""Learning the labels -1 and 1 of Gaussian clusters by a convex loss, in theory."""

import itertools
from dataclasses import asdict

import xarray as xr

from twolayer.experiments.classes.parameters import MixtureReplica
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.experiments.sweeps import sweep
from twolayer.results.mixture import dataset_clusters
from twolayer.theory.classes.cluster_equations import cluster_errors, cluster_overlaps, ridgeless_cluster_overlaps
from twolayer.theory.replica.margin_losses import margin_loss


def run(config: MixtureReplica, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point."""
    clusters, axes, rows = dataset_clusters(mixture), axes_of(config.problem), {}
    with sweep() as point:
        for name, ridge in itertools.product(axes["loss"], axes["ridge"]):
            delta, bias, overlaps = config.problem.huber_delta, config.bias, None
            loss = margin_loss(name, delta)
            for ratio in axes["sample_ratio"]:
                with point(loss=name, sample_ratio=ratio, ridge=ridge):
                    if ridge == 0:
                        overlaps = ridgeless_cluster_overlaps(clusters, name, delta, ratio, bias=bias)
                    else:
                        overlaps = cluster_overlaps(clusters, loss, ratio, ridge, bias=bias, near=overlaps)
                    rows[name, ratio, ridge] = asdict(cluster_errors(clusters, loss, overlaps)) | asdict(overlaps)
    dims = dict.fromkeys(("V", "Q", "M", "V_hat", "q_hat", "m_hat"), ("cluster",))
    return points_to_dataset(axes, rows, dims)

"""Learning several classes of Gaussian clusters, from samples."""

import itertools

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from twolayer.experiments.classes.class_replica import DIMENSIONS
from twolayer.experiments.classes.parameters import ClassLearning
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.model.networks.feature_count import count_of
from twolayer.progress import track
from twolayer.results.mixture import dataset_clusters
from twolayer.simulation.convex.cluster_learning import classifier


def run(config: ClassLearning, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples."""
    clusters = dataset_clusters(mixture).spread_over(config.dimension)
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    return xr.concat([_trial(config, clusters, stream) for stream in streams], "seed")


def _trial(config, clusters, rng):
    """The same samples serve all losses and ridges, and the same test samples all sample ratios."""
    problem, d = config.problem, clusters.means.shape[1]
    test, axes, K = clusters.draw(rng, config.test_samples), axes_of(problem), clusters.class_count
    counts = {alpha: count_of(alpha, d, "sample_ratios", "sample") for alpha in problem.sample_ratios}
    training = {alpha: clusters.draw(rng, count) for alpha, count in counts.items()}
    rows = []
    for loss, alpha, ridge in itertools.product(*axes.values()):
        W, b = classifier(*training[alpha], K, loss, ridge)
        known, fresh = (_performance(W, b, *samples, loss) for samples in (training[alpha], test))
        rows.append(
            {
                "training_loss": known[0],
                "test_loss": fresh[0],
                "training_class_error": known[1],
                "class_error": fresh[1],
                "confusion": fresh[2],
                "Q": np.einsum("cj,kj,lj->ckl", clusters.variances, W, W) / d,
                "M": clusters.means @ W.T / np.sqrt(d),
                "b": b,
            }
        )
    return points_to_dataset(axes, rows, DIMENSIONS)


def _performance(W, b, inputs, labels, loss):
    """Mean loss, class error and confusion matrix; each class is weighted as in the samples."""
    z, classes = inputs @ W.T / np.sqrt(W.shape[1]) + b, labels.astype(int)
    targets = np.eye(len(b))[classes]
    losses = (
        np.sum((targets - z) ** 2, axis=1) / 2
        if loss == "square"
        else logsumexp(z, axis=1) - np.sum(targets * z, axis=1)
    )
    answers = np.eye(len(b))[np.argmax(z, axis=1)]
    counts = targets.T @ answers
    confusion = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    return np.mean(losses), 1 - np.mean(np.sum(targets * answers, axis=1)), confusion

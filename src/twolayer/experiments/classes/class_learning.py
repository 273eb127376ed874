"""Learning several classes of Gaussian clusters, from samples."""

from functools import partial

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from twolayer.experiments.classes.class_replica import DIMENSIONS
from twolayer.experiments.classes.draws import learnt_from_draws
from twolayer.experiments.classes.parameters import ClassLearning
from twolayer.simulation.convex.cluster_learning import classifier


def run(config: ClassLearning, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples."""
    return learnt_from_draws(config, mixture, partial(_learn, bias=config.bias), DIMENSIONS)


def _learn(clusters, training, test, loss, ridge, *, bias):
    W, b = classifier(*training, clusters.class_count, loss, ridge, bias=bias)
    known, fresh = (_performance(W, b, *samples, loss) for samples in (training, test))
    d = clusters.means.shape[1]
    return {
        "training_loss": known[0],
        "test_loss": fresh[0],
        "training_class_error": known[1],
        "class_error": fresh[1],
        "confusion": fresh[2],
        "Q": np.einsum("cj,kj,lj->ckl", clusters.variances, W, W) / d,
        "M": clusters.means @ W.T / np.sqrt(d),
        "b": b,
    }


def _performance(W, b, inputs, labels, loss):
    """Return mean loss, class error and confusion matrix; each class is weighted as in the samples."""
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

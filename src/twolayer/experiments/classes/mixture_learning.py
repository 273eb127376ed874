"""Learning the labels -1 and 1 of Gaussian clusters by a convex loss, from samples."""

from functools import partial

import numpy as np
import xarray as xr

from twolayer.experiments.classes.draws import learnt_from_draws
from twolayer.experiments.classes.parameters import MixtureLearning
from twolayer.model.networks.learning import wrong_signs
from twolayer.results.mixture import dataset_clusters
from twolayer.simulation.convex.cluster_learning import binary_classifier
from twolayer.simulation.convex.convex_learning import losses_of


def run(config: MixtureLearning, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples."""
    dataset_clusters(mixture).require_two_labels()
    learn = partial(_learn, bias=config.bias, huber_delta=config.problem.huber_delta)
    return learnt_from_draws(config, mixture, learn, {"Q": ("cluster",), "M": ("cluster",)})


def _learn(clusters, training, test, loss, ridge, *, bias, huber_delta):
    w, b = binary_classifier(*training, loss, ridge, bias=bias, huber_delta=huber_delta)
    known, fresh = (_performance(w, b, *samples, loss, huber_delta) for samples in (training, test))
    d = len(w)
    return {
        "training_loss": known[0],
        "test_loss": fresh[0],
        "training_class_error": known[1],
        "class_error": fresh[1],
        "b": b,
        "Q": clusters.variances @ w**2 / d,
        "M": clusters.means @ w / np.sqrt(d),
    }


def _performance(w, b, inputs, labels, loss, huber_delta):
    z = inputs @ w / np.sqrt(len(w)) + b
    return np.mean(losses_of(labels, z, loss, huber_delta)), np.mean(wrong_signs(z, labels))

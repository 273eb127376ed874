"""The common part of the replica equations of K classes with a bias, for the square loss and the softmax.

Clusters are Gaussian, with commuting covariances. The K outputs of cluster c are N(b + M_c, Q_c).

Source: loureiro2021, learning Gaussian mixtures with generalised linear models.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.numerics.largest_output import largest_probabilities


@dataclass(frozen=True, eq=False)
class ClassOverlaps:
    """The solution of the equations for K classes.

    Attributes:
        V: (C, K, K) response of the outputs in each cluster. Q: (C, K, K) covariance, M: (C, K) mean of the outputs.
        b: (K,) bias.
    """

    V: np.ndarray
    Q: np.ndarray
    M: np.ndarray
    b: np.ndarray


@dataclass(frozen=True, eq=False)
class ClassErrors:
    """Losses and errors of a classifier of K classes.

    Attributes:
        training_loss, test_loss: mean losses.
        confusion: (K, K) probability of each answer, given the class.
        class_error: probability of a wrong answer.
        training_class_error: class error on training samples; None if it has no closed form.
    """

    training_loss: float
    test_loss: float
    confusion: np.ndarray
    class_error: float
    training_class_error: float | None


def answers(clusters: Clusters, means: np.ndarray, covariances: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the confusion matrix (true class, answer) and the class error.

    Args:
        means: (C, K), covariances: (C, K, K) of the outputs in each cluster.
    """
    classes, K = clusters.labels.astype(int), means.shape[1]
    each = np.array([largest_probabilities(*one) for one in zip(means, covariances, strict=True)])
    members = (classes == np.arange(K)[:, None]) * clusters.weights
    confusion = members @ each / members.sum(axis=1)[:, None]
    wrong = confusion * (1 - np.eye(K))  # a small error is lost in one minus the right answers
    return confusion, float(members.sum(axis=1) @ wrong.sum(axis=1))

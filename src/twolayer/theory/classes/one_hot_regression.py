"""The replica equations of ridge regression on one-hot labels of K classes. They are linear except in the response V.

Source: loureiro2021, learning Gaussian mixtures with generalised linear models.
"""

import numpy as np

from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.classes.class_outputs import ClassErrors, ClassOverlaps, answers
from twolayer.theory.numerics.anderson import followed
from twolayer.theory.replica.replica_equations import check_problem


def one_hot_overlaps(
    clusters: Clusters, sample_ratio: float, ridge: float, near: ClassOverlaps | None = None
) -> ClassOverlaps:
    """Return the solution for the loss |e_c - z|^2 / 2.

    Args:
        clusters: their labels are the numbers of the classes. sample_ratio: alpha = n / d.
        near: a solution at a similar sample ratio, or None.

    Raises:
        ConfigError: sample ratio or ridge is not positive, or a class is missing.
        NotConverged: the iteration does not converge.
    """
    check_problem(sample_ratio, ridge)
    K, weights, variances, means = clusters.class_count, clusters.weights, clusters.variances, clusters.means
    samples = sample_ratio * weights

    def gain(V, ridge):
        return 1 / (ridge + (samples / (1 + V)) @ variances)

    def update_at(ridge):
        return lambda state: np.log(np.mean(variances * gain(np.exp(state), ridge), axis=1))

    strong = sample_ratio * clusters.strong_ridge
    start = np.log(variances.mean(axis=1) / max(strong, ridge))
    V = np.exp(followed(update_at, ridge, strong, start, None if near is None else np.log(near.V[:, 0, 0])))
    g, V_hat, targets = gain(V, ridge), samples / (1 + V), np.eye(K)[clusters.labels.astype(int)]
    solve = np.linalg.inv(np.eye(len(V)) + (means * g) @ means.T * V_hat)
    left = V_hat @ solve
    b = left @ targets / left.sum()
    residuals = solve @ (targets - b)
    estimator = ((V_hat[:, None] * residuals).T @ means) * g  # (K, modes)
    signal = np.einsum("cj,kj,lj->ckl", variances, estimator, estimator)
    spread = (variances * g**2) @ variances.T / variances.shape[1] * (samples / (1 + V) ** 2)
    power = residuals[:, :, None] * residuals[:, None, :]
    Q = np.einsum(
        "ab,bkl->akl", np.linalg.inv(np.eye(len(V)) - spread), np.einsum("ab,bkl->akl", spread, power) + signal
    )
    return ClassOverlaps(V[:, None, None] * np.eye(K), Q, targets - b - residuals, b)


def one_hot_errors(clusters: Clusters, overlaps: ClassOverlaps) -> ClassErrors:
    """Return the errors of a solution."""
    targets = np.eye(overlaps.b.size)[clusters.labels.astype(int)]
    V, means = overlaps.V[:, 0, 0], overlaps.b + overlaps.M
    squares = np.sum((targets - means) ** 2, axis=1) + np.trace(overlaps.Q, axis1=1, axis2=2)
    confusion, error = answers(clusters, means, overlaps.Q)
    _, training = answers(clusters, means + V[:, None] * targets, overlaps.Q)  # (1 + V) times training outputs
    losses = (float(clusters.weights @ (squares / (2 * factor**2))) for factor in (1 + V, 1.0))
    return ClassErrors(*losses, confusion, error, training)

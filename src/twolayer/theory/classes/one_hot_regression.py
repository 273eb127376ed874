"""The replica equations of ridge regression on one-hot labels of K classes. They are linear except in the response V.

Source: loureiro2021, learning Gaussian mixtures with generalised linear models.
"""

import math

import numpy as np

from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.classes.class_outputs import ClassErrors, ClassOverlaps, answers
from twolayer.theory.numerics.anderson import fixed_point, followed
from twolayer.theory.replica.replica_equations import check_problem
from twolayer.theory.replica.ridgeless import check_rank


def one_hot_overlaps(
    clusters: Clusters, sample_ratio: float, ridge: float, near: ClassOverlaps | None = None, *, bias: bool = True
) -> ClassOverlaps:
    """Return the solution for the loss |e_c - z|^2 / 2.

    Without a ridge, outputs interpolate fewer samples than dimensions. V is then infinite, as 1 / ridge, and the
    equations hold with V times the ridge in place of 1 + V, and with 1 in place of the ridge.

    Args:
        clusters: their labels are the numbers of the classes. sample_ratio: alpha = n / d.
        ridge: 0 is the limit of a vanishing ridge.
        near: a solution at a similar sample ratio, or None.
        bias: whether the outputs have biases, which the ridge does not penalise.

    Raises:
        ConfigError: sample ratio or ridge is not allowed, or a class is missing.
        NotConverged: the iteration does not converge.
    """
    check_problem(sample_ratio, ridge or 1.0)
    K, weights, variances, means = clusters.class_count, clusters.weights, clusters.variances, clusters.means
    samples, interpolates = sample_ratio * weights, ridge == 0 and _interpolates(clusters, sample_ratio)
    level, loss = (1.0, 0.0) if interpolates else (ridge, 1.0)

    def gain(V, level):
        return 1 / (level + (samples / (loss + V)) @ variances)

    def update_at(level):
        return lambda state: np.log(np.mean(variances * gain(np.exp(state), level), axis=1))

    strong = sample_ratio * clusters.strong_ridge
    start = np.log(variances.mean(axis=1) / max(strong, ridge))
    if ridge == 0:
        V = np.exp(fixed_point(update_at(level), start, f"sample ratio {sample_ratio:g} and ridge 0"))
    else:
        V = np.exp(followed(update_at, ridge, strong, start, None if near is None else np.log(near.V[:, 0, 0])))
    g, V_hat, targets = gain(V, level), samples / (loss + V), np.eye(K)[clusters.labels.astype(int)]
    solve = np.linalg.inv(np.eye(len(V)) + (means * g) @ means.T * V_hat)
    left = V_hat @ solve
    b = left @ targets / left.sum() if bias else np.zeros(K)
    residuals = solve @ (targets - b)
    estimator = ((V_hat[:, None] * residuals).T @ means) * g  # (K, modes)
    signal = np.einsum("cj,kj,lj->ckl", variances, estimator, estimator)
    spread = (variances * g**2) @ variances.T / variances.shape[1] * (samples / (loss + V) ** 2)
    power = residuals[:, :, None] * residuals[:, None, :]
    Q = np.einsum(
        "ab,bkl->akl", np.linalg.inv(np.eye(len(V)) - spread), np.einsum("ab,bkl->akl", spread, power) + signal
    )
    responses = np.where(np.eye(K) > 0, (np.full_like(V, math.inf) if interpolates else V)[:, None, None], 0.0)
    return ClassOverlaps(responses, Q, targets - b - residuals, b)


def _interpolates(clusters, sample_ratio):
    """Return whether there are fewer samples than dimensions with a variance."""
    rank = float(np.mean(clusters.weights @ clusters.variances > 0))
    check_rank(sample_ratio, rank)
    return sample_ratio < rank


def one_hot_errors(clusters: Clusters, overlaps: ClassOverlaps) -> ClassErrors:
    """Return the errors of a solution."""
    targets = np.eye(overlaps.b.size)[clusters.labels.astype(int)]
    V, means = overlaps.V[:, 0, 0], overlaps.b + overlaps.M
    squares = np.sum((targets - means) ** 2, axis=1) + np.trace(overlaps.Q, axis1=1, axis2=2)
    confusion, error = answers(clusters, means, overlaps.Q)
    training = 0.0  # if outputs interpolate
    if np.isfinite(V).all():
        _, training = answers(clusters, means + V[:, None] * targets, overlaps.Q)  # (1 + V) times training outputs
    losses = (float(clusters.weights @ (squares / (2 * factor**2))) for factor in (1 + V, 1.0))
    return ClassErrors(*losses, confusion, error, training)

"""The replica equations of Gaussian clusters with labels +-1 and commuting covariances, with a bias or without.

Inputs of cluster c are mu_c + Sigma_c^(1/2) xi. In the common modes of the covariances the output w.x / sqrt d + b of
cluster c is N(M_c + b, Q_c). Means contribute sums over the modes, covariances contribute averages.

Source: loureiro2021, learning Gaussian mixtures with generalised linear models, for two classes.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import NotConverged
from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.classes.one_hot_regression import one_hot_overlaps
from twolayer.theory.numerics.anderson import followed
from twolayer.theory.replica.margin_losses import MarginLoss, margin_loss
from twolayer.theory.replica.margin_nodes import margin_nodes
from twolayer.theory.replica.replica_equations import Errors, check_problem, vanishing_ridge
from twolayer.theory.replica.two_classes import output_errors

_ITERATIONS = 100  # iterations of the search for a bias
_ROUNDING = 1e-14  # rounding error of a bias


@dataclass(frozen=True, eq=False)
class ClusterOverlaps:
    """The solution of the equations: response V, variance Q and mean M of the output in each cluster, and the bias b.

    Attributes:
        V, Q, M: (C,). b: the bias.
        V_hat, q_hat, m_hat: (C,) conjugates.
    """

    V: np.ndarray
    Q: np.ndarray
    M: np.ndarray
    b: float
    V_hat: np.ndarray
    q_hat: np.ndarray
    m_hat: np.ndarray

    @property
    def state(self) -> np.ndarray:
        """The unknowns of the iteration."""
        return np.concatenate([np.log(self.V), np.log(self.Q), self.M, [self.b]])


def cluster_overlaps(
    clusters: Clusters,
    loss: MarginLoss,
    sample_ratio: float,
    ridge: float,
    *,
    bias: bool = True,
    near: ClusterOverlaps | None = None,
) -> ClusterOverlaps:
    """Return the solution for a loss that is a function of y z.

    Args:
        sample_ratio: alpha = n / d.
        ridge: 0 is the limit of a vanishing ridge, which must be finite.
        bias: whether the output has a bias, which the ridge does not penalise.
        near: a solution at a similar sample ratio, or None.

    Raises:
        ConfigError: the sample ratio is not positive, the ridge is negative, or a label is missing.
        NotConverged: the iteration does not converge.
    """
    given, ridge = ridge, ridge or vanishing_ridge(float(np.mean(clusters.weights @ clusters.variances)))
    check_problem(sample_ratio, ridge)
    clusters.require_two_labels()
    equations = _Equations(clusters, loss, sample_ratio, bias)
    strong = sample_ratio * clusters.strong_ridge
    small = np.log(clusters.variances.mean(axis=1) / max(strong, ridge))  # hardly anything is learned
    start = np.concatenate([small, small, np.zeros(len(small) + 1)])
    found = followed(equations.update_at, ridge, strong, start, None if near is None else near.state, given=given)
    return equations.overlaps(found)


def least_squares_overlaps(clusters: Clusters, sample_ratio: float, *, bias: bool = True) -> ClusterOverlaps:
    """Return the solution for the square loss as the ridge vanishes.

    It is the difference of the two outputs of a regression on one-hot labels. With fewer samples than dimensions it
    interpolates, V is infinite, and it is also the solution for the Huber loss.

    Raises:
        ConfigError: samples and dimensions are equally many, or a label is missing.
        NotConverged: the iteration does not converge.
    """
    clusters.require_two_labels()
    classes = replace(clusters, labels=(clusters.labels > 0).astype(int))
    known, signs = one_hot_overlaps(classes, sample_ratio, 0.0, bias=bias), np.array([-1.0, 1.0])
    V, Q, M, b = known.V[:, 0, 0], known.Q @ signs @ signs, known.M @ signs, float(known.b @ signs)
    pulls = (clusters.labels - M - b) / (1 + V)
    stiffness = sample_ratio * clusters.weights / (1 + V)
    q_hat = sample_ratio * clusters.weights * (pulls**2 + Q / (1 + V) ** 2)
    return ClusterOverlaps(V, Q, M, b, stiffness, q_hat, sample_ratio * clusters.weights * pulls)


def ridgeless_cluster_overlaps(
    clusters: Clusters, name: str, huber_delta: float, sample_ratio: float, *, bias: bool = True
) -> ClusterOverlaps:
    """Return the solution for the loss `square` or `huber` as the ridge vanishes.

    Raises:
        ConfigError, NotConverged: as for `least_squares_overlaps` and `cluster_overlaps`.
    """
    found = least_squares_overlaps(clusters, sample_ratio, bias=bias)
    if name == "square" or np.isinf(found.V).all():
        return found
    return cluster_overlaps(clusters, margin_loss(name, huber_delta), sample_ratio, 0.0, bias=bias)


def cluster_errors(clusters: Clusters, loss: MarginLoss, overlaps: ClusterOverlaps) -> Errors:
    """Return the errors of a solution."""
    means, interpolates = clusters.labels * (overlaps.M + overlaps.b), np.isinf(overlaps.V).all()
    responses = np.zeros_like(overlaps.V) if interpolates else overlaps.V
    each = [output_errors(loss, mean, math.sqrt(Q), V) for mean, Q, V in zip(means, overlaps.Q, responses, strict=True)]
    errors = Errors(*(float(error) for error in clusters.weights @ np.array(each)))
    return replace(errors, training_loss=0.0, training_class_error=0.0) if interpolates else errors


@dataclass(frozen=True, eq=False)
class _Equations:
    """The equations at any ridge. The unknowns are log V, log Q, M and b."""

    clusters: Clusters
    loss: MarginLoss
    sample_ratio: float
    bias: bool

    def update_at(self, ridge):
        """Return the update of the unknowns at this ridge."""

        def update(state):
            V, Q, M, b = _parts(state, len(self.clusters.weights))
            b = self._balanced(V, Q, M, b) if self.bias else 0.0
            V, Q, M = self._overlaps(ridge, *self._conjugates(V, Q, M, b))
            return np.concatenate([np.log(V), np.log(Q), M, [b]])

        return update

    def overlaps(self, state):
        """Return the overlaps of a state, with their conjugates."""
        V, Q, M, b = _parts(state, len(self.clusters.weights))
        return ClusterOverlaps(V, Q, M, float(b), *self._conjugates(V, Q, M, b))

    def _balanced(self, V, Q, M, b):
        """Return the bias at which the pulls of all samples cancel, by Newton's method within bounds."""
        low, high, reach = -math.inf, math.inf, 1.0
        for _ in range(_ITERATIONS):
            V_hat, _, m_hat = self._conjugates(V, Q, M, b)
            pull, slope = m_hat.sum(), V_hat.sum()
            low, high = (b, high) if pull > 0 else (low, b)
            step = pull / slope if slope > 0 else math.copysign(math.inf, pull)
            if abs(pull) <= _ROUNDING * abs(m_hat).sum() or min(abs(step), high - low) <= _ROUNDING * (1 + abs(b)):
                return b
            if not low < b + step < high or abs(step) > reach:
                step = (low + high) / 2 - b if math.isfinite(high - low) else math.copysign(reach, pull)
                reach *= 2
            b += step
        raise NotConverged(f"the bias at sample ratio {self.sample_ratio:g} does not converge: raise ridges")

    def _conjugates(self, V, Q, M, b):
        found = []
        for c, label in enumerate(self.clusters.labels):
            mean, scale = label * (M[c] + b), math.sqrt(Q[c])
            xi, density = margin_nodes(self.loss, V[c], scale, mean=mean)
            f = self.loss.pull(mean + scale * xi, V[c])
            found.append([density @ self.loss.stiffness(f, V[c]), density @ f**2, label * (density @ f)])
        return self.sample_ratio * self.clusters.weights * np.array(found).T

    def _overlaps(self, ridge, V_hat, q_hat, m_hat):
        means, variances = self.clusters.means, self.clusters.variances
        gain = 1 / (ridge + V_hat @ variances)
        weights = (m_hat @ means) * gain  # mean of the estimator
        V = np.mean(variances * gain, axis=1)
        Q = np.mean(variances * (q_hat @ variances) * gain**2, axis=1) + variances @ weights**2
        return V, Q, means @ weights


def _parts(state, count):
    """Return V, Q, M and b of a state."""
    return np.exp(state[:count]), np.exp(state[count : 2 * count]), state[2 * count : 3 * count], state[-1]

"""Averages of labels t(s) + noise over the teacher's fields s, also for a given component of the inputs.

Given a component kappa of the inputs along orthonormal directions, the fields are s = G kappa + L zeta, where G are the
overlaps of the teacher's directions with these, L L^T = I - G G^T, and zeta is standard normal.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from twolayer.model.networks.hermite_expansion import panel_nodes
from twolayer.model.networks.learning import Losses
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.theory.averages.nodes import sobol_normals

_REACH = 8.0  # range of an average, in standard deviations
_PANELS, _PANEL = 4, 32  # number of panels of equal width, to which kinks add ends; nodes in each
_LOG2_POINTS = 14  # binary logarithm of the number of points of more variables
_ALIGNED = 1e-8  # singular value of I - G G^T below which a direction depends only on kappa


def normal_average(dimension: int, kinks: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes (..., n, dimension) and weights (..., n) of averages over standard normal variables.

    One variable has Gauss-Legendre panels, two variables a grid of them, more variables quasi-random points.

    Args:
        kinks: (..., p) kinks of a function of one variable. Panels end there.
    """
    if dimension == 0:
        return np.empty((1, 0)), np.ones(1)
    if dimension == 1:
        kinks = np.empty(0) if kinks is None else np.clip(kinks, -_REACH, _REACH)
        regular = np.broadcast_to(np.linspace(-_REACH, _REACH, _PANELS + 1), (*kinks.shape[:-1], _PANELS + 1))
        nodes, weights = panel_nodes(np.sort(np.concatenate([regular, kinks], axis=-1), axis=-1), _PANEL)
        return nodes[..., None], weights
    if dimension == 2:
        x, weights = panel_nodes(np.linspace(-_REACH, _REACH, _PANELS + 1), _PANEL // 2)
        return np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2), np.outer(weights, weights).ravel()
    points = sobol_normals(dimension, _LOG2_POINTS, 0)
    return points, np.full(len(points), 1 / len(points))


@dataclass(frozen=True, eq=False)
class ConditionalLabels:
    """Labels at n values of kappa, for nodes of zeta.

    Attributes:
        values: (n, z) labels without noise. zeta: (n, z, r). weights: (n, z).
        noise: standard deviation of the noise of the labels.
        to_zeta: (r, a), maps s - G kappa to zeta.
    """

    values: np.ndarray
    zeta: np.ndarray
    weights: np.ndarray
    noise: float
    to_zeta: np.ndarray

    @cached_property
    def mean(self) -> np.ndarray:
        """The mean (n,) E[y | kappa]."""
        return np.sum(self.weights * self.values, axis=1)

    @cached_property
    def slope(self) -> np.ndarray:
        """The slope (n, r) E[y zeta | kappa]."""
        return np.einsum("nz,nzr->nr", self.weights * self.values, self.zeta)

    @cached_property
    def power(self) -> np.ndarray:
        """The power (n,) E[y^2 | kappa], with the noise."""
        return np.sum(self.weights * self.values**2, axis=1) + self.noise**2


def conditional_labels(
    labels: LabelFunction, overlaps: np.ndarray, kappa: np.ndarray, noise: float
) -> ConditionalLabels:
    """Return the labels at given components of the inputs.

    Args:
        overlaps: G (a, q). kappa: (n, q). noise: standard deviation of the noise of the labels.
    """
    vectors, values, _ = np.linalg.svd(np.eye(len(overlaps)) - overlaps @ overlaps.T)
    free = values > _ALIGNED
    roots, centre = np.sqrt(values[free]), kappa @ overlaps.T
    to_fields = vectors[:, free] * roots
    kinks = (labels.kinks - centre) / to_fields if labels.directions == 1 and free.all() else None
    zeta, weights = normal_average(len(roots), kinks)
    zeta = np.broadcast_to(zeta, (len(kappa), *zeta.shape[-2:]))
    y = labels(centre[:, None] + zeta @ to_fields.T)
    return ConditionalLabels(y, zeta, np.broadcast_to(weights, y.shape), noise, (vectors[:, free] / roots).T)


@dataclass(frozen=True, eq=False)
class Outputs:
    """The output f + l . zeta + noise of a fitted second layer, over training sets, at n values of kappa.

    Attributes:
        labels: labels at the same values. weights: (n,) weights of kappa.
        mean: f (n,). slope: l (n, r). spread: (n,) variance of the output given kappa.
        gain: (n,) residual of a training sample over the residual of a fresh sample.
    """

    labels: ConditionalLabels
    weights: np.ndarray
    mean: np.ndarray
    slope: np.ndarray
    spread: np.ndarray
    gain: np.ndarray

    @cached_property
    def squares(self) -> np.ndarray:
        """The mean squared error (n,) of fresh samples."""
        y = self.labels
        shared = y.mean * self.mean + np.sum(y.slope * self.slope, axis=1)
        return y.power - 2 * shared + self.mean**2 + self.spread

    @property
    def losses(self) -> Losses:
        """Half the mean squared errors; the training loss includes the penalty."""
        y = self.labels
        agreement = y.mean * self.mean + np.sum(y.slope * self.slope, axis=1)
        training = self.weights @ (self.gain * (y.power - agreement))
        return Losses(float(training) / 2, float(self.weights @ self.squares) / 2)

    @property
    def class_error(self) -> float:
        """Probability that the output has another sign than the label."""
        y = self.labels
        variance = self.spread - np.sum(self.slope**2, axis=1)  # 0 up to rounding where all units saturate
        deviation = np.sqrt(np.maximum(variance, np.finfo(float).tiny))
        output = self.mean[:, None] + np.einsum("nzr,nr->nz", y.zeta, self.slope)
        wrong = np.sum(y.weights * ndtr(-np.sign(y.values) * output / deviation[:, None]), axis=1)
        return float(self.weights @ wrong)

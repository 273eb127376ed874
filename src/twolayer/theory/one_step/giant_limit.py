"""Ridge regression on the features of a first layer after a giant step, in the limit of large n, k and m.

No random numbers are drawn. Features have the moments of `giant_step`, with the same spike and length of every row, and
the products of rows follow from the resolvent of the bulk (`giant_bulk`).

Source: own derivation from the Gaussian equivalence of features at a given component along the spike. cui2024 treats
the limit in which the rest of the step does not depend on its samples.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from twolayer.errors import NotConverged
from twolayer.theory.one_step.giant_bulk import Bulk
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.giant_step import feature_moments, kappa_nodes
from twolayer.theory.one_step.label_averages import ConditionalLabels, Outputs, conditional_labels

_ROUNDING = 1e-9  # part of the features' size at which rounding errors of 1e-16 change the mean of features by 1e-7
_REFINEMENTS, _LARGEST_CHANGE = (2, 4, 8), 1e-3  # factors of the number of nodes; change of the error with twice of it
_LOWEST, _HIGHEST = math.log(1e-100), math.log(1e100)  # range of log x


@dataclass(frozen=True, eq=False)
class _Features:
    """Mean mu, slope a and squared rest b^2, each (n,), at values kappa (n,) with weights (n,)."""

    kappa: np.ndarray
    weights: np.ndarray
    mean: np.ndarray
    slope: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, step: GiantStep, refinement: int) -> "_Features":
        c = np.sqrt(step.bulk)
        kappa, weights = kappa_nodes(1, abs(step.spike) / c, refinement)
        moments = feature_moments(step.activation, step.spike * kappa, np.array([c]))
        found = cls(kappa[:, 0], weights, *(values[:, 0] for values in moments))
        if weights @ found.mean**2 > _ROUNDING**2 * (weights @ (found.mean**2 + (c * found.slope) ** 2 + found.rest)):
            return found
        if step.spike != 0:
            raise NotConverged(
                f"step_per_unit is {step.rate:g}, which moves a unit by {step.spike:.2g} along the spike and lengthens "
                f"its other weights to {c:.2g}, so that the mean of {step.activation.name} units is a rounding error: "
                "use a step with both closer to 1, or 0"
            )
        return replace(found, mean=np.zeros_like(found.mean))

    @property
    def powers(self) -> np.ndarray:
        """The powers (2, n) a^2 and b^2."""
        return np.stack([self.slope**2, self.rest])


@dataclass(frozen=True, eq=False)
class _Fit:
    """Ridge regression in the limit.

    Attributes:
        features: moments. sample_ratio: alpha = m / k. penalty: lambda m.
        bulk: the bulk of the first layer. V2: trace of the resolvent of the features that is multiplied by b^2.
    """

    features: _Features
    sample_ratio: float
    penalty: float
    bulk: Bulk
    V2: float

    @classmethod
    def of(cls, features: _Features, sample_ratio: float, penalty: float, bulk: Bulk) -> "_Fit":
        """Return the fit for a bulk at any x: V2 solves V1 v1 + V2 b0 = 1."""
        strength = np.array([bulk.lost, 1.0]) @ features.powers
        more, fewer = max(sample_ratio - 1, 0.0), max(1 - sample_ratio, 0.0)

        def excess(log_V2):
            V2 = math.exp(log_V2)
            unexplained = sample_ratio * (features.weights @ (1 / (1 + V2 * strength)))
            return math.log((more + penalty * V2) / (fewer + unexplained))

        smallest = 1 / (sample_ratio * (features.weights @ strength) + penalty)
        V2 = math.exp(_root(excess, math.log(smallest) - 1e-9, math.log(max(sample_ratio, 1) / penalty) + 1e-9))
        return cls(features, sample_ratio, penalty, bulk, V2)

    @property
    def gain(self) -> np.ndarray:
        """The gain (n,) 1 / (1 + V)."""
        return 1 / (1 + self.V2 * (np.array([self.bulk.lost, 1.0]) @ self.features.powers))

    @property
    def shares(self) -> np.ndarray:
        """The weights (n,) of kappa times alpha / (1 + V)."""
        return self.sample_ratio * self.features.weights * self.gain

    @property
    def weights(self) -> np.ndarray:
        """The weights v1 of the product of two rows and b0 of the identity."""
        return self.features.powers @ self.shares + [0, self.penalty]

    @property
    def ratio(self) -> float:
        """The ratio b0 / v1."""
        v1, b0 = self.weights
        return b0 / v1

    def inverse(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the responses R of V1 and V2 to the weights, and the inverse of 1 - R S, for the S of `shared`.

        The matrix 1 - S R maps (v1, b0) to `rests`, so that its determinant is a sum of positive terms.
        """
        R = self.bulk.width_ratio * self.V2**2 * self.bulk.responses(self.ratio)
        powers, squares = self.features.powers, self.shares * self.gain
        J, rests = (powers * squares) @ powers.T @ R, powers @ squares + [0, self.penalty]
        (v1, b0), (r1, r2) = self.weights, rests
        to_first, to_second = J[0, 1] * b0 / v1, J[1, 0] * v1 / b0
        determinant = r1 / v1 * (r2 / b0) + r1 / v1 * to_second + r2 / b0 * to_first
        return R, np.array([[r2 / b0 + to_second, J[1, 0]], [J[0, 1], r1 / v1 + to_first]]) / determinant


def giant_step_limit(step: GiantStep, *, width_ratio: float, sample_ratio: float, penalty: float) -> Outputs:
    """Return the outputs of the second layer that ridge regression fits to fresh samples.

    Args:
        width_ratio: k / n. sample_ratio: alpha = m / k. penalty: lambda m.

    Raises:
        NotConverged: the equations have no solution, or rounding errors are too large.
    """
    problem = {"width_ratio": width_ratio, "sample_ratio": sample_ratio, "penalty": penalty}
    try:
        finer = _solved(step, _Features.of(step, 1), **problem)
        for refinement in _REFINEMENTS:
            found, finer = finer, _solved(step, _Features.of(step, refinement), **problem)
            change = abs(finer.losses.test_loss / found.losses.test_loss - 1)
            if change <= _LARGEST_CHANGE:
                return found
    except (ArithmeticError, ValueError) as failure:
        raise NotConverged(
            f"the equations of a giant step do not converge at lambda m = {penalty:g}: raise ridge"
        ) from failure
    raise NotConverged(
        f"the error after a giant step still changes by {change:.1%} with twice the nodes at lambda m = {penalty:g}: "
        "raise ridge"
    )


def _solved(step, features, *, width_ratio, sample_ratio, penalty):
    labels = conditional_labels(step.labels, step.overlaps[:, None], features.kappa[:, None], step.label_noise)

    def fit(log_x):
        bulk = Bulk(step, width_ratio, labels.to_zeta, math.exp(log_x))
        return _Fit.of(features, sample_ratio, penalty, bulk)

    def excess(log_x):
        here = fit(log_x)
        return here.bulk.excess(here.ratio)

    return _outputs(fit(_root(excess, _LOWEST, _HIGHEST)), labels)


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return brentq(excess, low, high, xtol=1e-14, rtol=1e-14)


def _outputs(fit: _Fit, labels: ConditionalLabels) -> Outputs:
    """Return the outputs, with the variance a^2 q1 + b^2 q2 over training sets."""
    features, factor = fit.features, fit.bulk.width_ratio * fit.V2
    hats, (mean, theta, *psi) = _signal(features, labels, factor * fit.bulk.overlaps, fit.shares)
    output = Outputs(
        labels,
        features.weights,
        mean * features.mean + theta * features.kappa * features.slope,
        features.slope[:, None] * np.array(psi),
        np.zeros_like(features.kappa),
        fit.gain,
    )
    R, inverse = fit.inverse()
    slopes = [factor**2 * (hats @ change @ hats) for change in fit.bulk.overlap_responses(fit.ratio)]
    q = inverse @ (R @ (features.powers @ (fit.shares * fit.gain * output.squares)) + slopes)
    return replace(output, spread=q @ features.powers)


def _signal(features, labels, T, weights):
    """Return the conjugates (theta_hat, psi_hat), and the output's mean: weights of mu, of kappa a, and of zeta a."""
    mu, along = features.mean, features.kappa * features.slope
    psi_hat = (weights * features.slope) @ labels.slope
    power = weights @ mu**2  # zero without a spike
    overlap, target = ((weights * mu) @ one / power if power else 0.0 for one in (along, labels.mean))
    along = along - overlap * mu
    strength = weights @ along**2
    theta_hat = ((weights * along) @ labels.mean - strength * (T[0, 1:] @ psi_hat)) / (1 + strength * T[0, 0])
    hats = np.append(theta_hat, psi_hat)
    theta, *psi = T @ hats
    return hats, (target - overlap * theta, theta, *psi)

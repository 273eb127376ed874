"""Ridge regression on the features of a first layer after a giant step, in the limit of large n, k and m.

No random numbers are drawn. Features have the moments of `giant_step`, with the same spike and length of every row, and
the products of rows follow from the resolvent of the bulk (`giant_bulk`).

Source: own derivation from the Gaussian equivalence of features at a given component along the spike. cui2024 treats
the limit in which the rest of the step does not depend on its samples.
"""

from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import NotConverged
from twolayer.theory.numerics.anderson import accelerated
from twolayer.theory.one_step.giant_bulk import Bulk, bulk
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.giant_step import feature_moments, kappa_nodes
from twolayer.theory.one_step.label_averages import Outputs, conditional_labels

_DIFFERENCE = 1e-4  # relative step of the derivatives
_TOLERANCE = 1e-9  # largest change of log v1 and log b0


@dataclass(frozen=True, eq=False)
class _Features:
    """Mean mu, slope a and squared rest b^2, each (n,), at values kappa (n,) with weights (n,)."""

    kappa: np.ndarray
    weights: np.ndarray
    mean: np.ndarray
    slope: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, step: GiantStep) -> "_Features":
        c = np.sqrt(step.bulk)
        kappa, weights = kappa_nodes(1, abs(step.spike) / c)
        moments = feature_moments(step.activation, step.spike * kappa, np.array([c]))
        return cls(kappa[:, 0], weights, *(values[:, 0] for values in moments))

    def powers(self, values):
        """Return the averages of a^2 and b^2 with further values (n,)."""
        return np.array([self.weights @ (self.slope**2 * values), self.weights @ (self.rest * values)])


def giant_step_limit(step: GiantStep, *, width_ratio: float, sample_ratio: float, penalty: float) -> Outputs:
    """Return the outputs of the second layer that ridge regression fits to fresh samples.

    Args:
        width_ratio: k / n. sample_ratio: alpha = m / k. penalty: lambda m.

    Raises:
        NotConverged: the equations do not converge.
    """
    features = _Features.of(step)
    labels = conditional_labels(step.labels, step.overlaps[:, None], features.kappa[:, None], step.label_noise)

    def bulk_at(weights):
        return bulk(step, width_ratio, labels.to_zeta, *weights)

    def update(log_weights):
        gain = _gain(features, bulk_at(np.exp(log_weights)))
        return np.log(sample_ratio * features.powers(gain) + [0, penalty])

    state, residual = accelerated(update, np.log(sample_ratio * features.powers(1.0) + [0, penalty]))
    if residual > _TOLERANCE:
        raise NotConverged(f"the equations of a giant step do not converge at lambda m = {penalty:g}: raise ridge")
    weights = np.exp(state)
    here, changes = bulk_at(weights), list(_changes(bulk_at, weights))
    gain = _gain(features, here)
    hats, (mean, theta, *psi) = _signal(features, labels, here.T, sample_ratio * features.weights * gain)
    slopes = [-(hats @ change.T @ hats) for change in changes]
    responses = -np.array([[changes[0].V1, changes[0].V2], [changes[0].V2, changes[1].V2]])
    output = Outputs(
        labels,
        features.weights,
        mean * features.mean + theta * features.kappa * features.slope,
        features.slope[:, None] * np.array(psi),
        np.zeros_like(gain),
        gain,
    )
    return _with_spread(features, output, slopes, responses, sample_ratio)


def _gain(features, here):
    """Return 1 / (1 + V) at each kappa."""
    return 1 / (1 + features.slope**2 * here.V1 + features.rest * here.V2)


def _changes(bulk_at, weights):
    """Return the derivatives of the bulk by v1 and by b0."""
    for step in np.diag(_DIFFERENCE * weights):
        above, below, width = bulk_at(weights + step), bulk_at(weights - step), 2 * step.sum()
        yield Bulk((above.V1 - below.V1) / width, (above.V2 - below.V2) / width, (above.T - below.T) / width)


def _signal(features, labels, T, weights):
    """Return the conjugates (theta_hat, psi_hat), and the output's mean: weights of mu, of kappa a, and of zeta a."""
    basis = np.stack([features.mean, features.kappa * features.slope])
    psi_hat = (weights * features.slope) @ labels.slope
    products, targets = (basis * weights) @ basis.T, (basis * weights) @ labels.mean
    # unknown are the weight M of mu and theta_hat, with theta = T_vv theta_hat + T_vz psi_hat
    shift = T[0, 1:] @ psi_hat
    equations = np.stack([products[:, 0], products[:, 1] * T[0, 0] + [0, 1]], axis=1)
    mean, theta_hat = np.linalg.lstsq(equations, targets - products[:, 1] * shift)[0]  # mu is zero without a spike
    hats = np.append(theta_hat, psi_hat)
    return hats, np.append(mean, T @ hats)


def _with_spread(features, output, slopes, responses, sample_ratio):
    """Return the outputs with the variance a^2 q1 + b^2 q2 over training sets."""
    powers = np.stack([features.slope**2, features.rest])
    weights = sample_ratio * features.weights * output.gain**2
    squares, shared = powers @ (weights * output.squares), (powers * weights) @ powers.T
    q = np.linalg.solve(np.eye(2) - responses @ shared, responses @ squares + slopes)
    return replace(output, spread=q @ powers)

"""The component along the teacher after a second giant step on isotropic inputs, in the limit of large dimension.

Before the second step a unit has the field z + e h1 K + noise. Here z is the field at the start, K is the field of the
first step's mean gradient, and the noise comes from the random part of the gradient. A sample of both steps adds e r
phi'(z) / alpha0 to its own field.

Source: own derivation from the Gaussian equivalence of the gradient's rows.
"""

import numpy as np
from scipy.interpolate import CubicSpline

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.label_averages import normal_average

_BLOCK = 64  # number of nodes of the teacher's field and residual that are computed at a time
_NODES_PER_FIELD = 50  # nodes of splines, in units of the smoothing or of 1
_MOST_NODES = 200_000


def second_step(step: GiantStep, same_batch: bool) -> tuple[float, float]:
    """Return the component of a row along the teacher after the second step, and the mean squared residual before it.

    The component is in units of the second layer's weight, which has the size 1 / sqrt k and either sign.

    Args:
        step: the first and the second step, with an odd activation. same_batch: whether both have the same samples.

    Raises:
        ConfigError: the activation is not odd, or the teacher has several directions.
        NotConverged: the step is too large for splines.
    """
    if not step.activation.odd or step.labels.directions > 1:
        raise ConfigError(
            "the theory of a second step needs an odd activation and a teacher with one direction, for which the units "
            "stay symmetric: leave second_batches out"
        )
    s, r, weights = step.residuals
    smooth = _smoothed(step, 0.0 if same_batch else 1.0)
    overlap = squares = 0.0
    for start in range(0, len(r), _BLOCK):
        block = slice(start, start + _BLOCK)
        parts = _residuals(step, s[block, 0], r[block], same_batch, smooth)
        overlap += np.sum(weights[block, None] * parts[0] * s[block])
        squares += np.sum(weights[block, None] * parts[1])
    return float(step.rate * (step.signal[0] * step.h1 + overlap)), float(squares)


def _smoothed(step, start_variance):
    """Return phi and its slope, averaged over the random part of the first step, and over z if z is independent."""
    x, weights = normal_average(1)
    spread = np.sqrt(start_variance + step.tau * step.power)
    _, r, _ = step.residuals
    reach = x.max() * (np.abs(step.signal[0]) * step.h1 + np.sqrt(step.power / step.sample_ratio) * step.h1 + 1)
    largest = x.max() + step.rate * (reach + np.max(np.abs(r)) * np.max(step.activation.slope(x)) / step.sample_ratio)
    count = 2 * int(_NODES_PER_FIELD * largest / max(1.0, spread)) + 1
    if count > _MOST_NODES:
        raise NotConverged(
            f"step_per_unit is {step.rate:g}, with which the fields of a second step reach {largest:.2g} and need "
            f"{count:.2g} nodes: lower step_per_unit, raise step_samples, or leave second_batches out"
        )
    fields = np.linspace(-largest, largest, count)
    return tuple(
        CubicSpline(fields, function(fields[:, None] + spread * x[:, 0]) @ weights)
        for function in (step.activation.value, step.activation.slope)
    )


def _residuals(step, s, r, same_batch, smooth):
    """Return averages (block, K) of residual times slope, and of the squared residual, with the weights of K."""
    x, weights = normal_average(1)
    K = step.signal[0] * s[:, None] + np.sqrt(step.power / step.sample_ratio) * x[:, 0]
    fields, shares = (step.rate * step.h1 * K)[..., None], np.ones(1)
    if same_batch:
        z, shares = x[:, 0], weights
        fields = fields + z + (step.rate / step.sample_ratio * r)[:, None, None] * step.activation.slope(z)
    residual = r[:, None] - smooth[0](fields) @ shares
    return weights * residual * (smooth[1](fields) @ shares), weights * residual**2

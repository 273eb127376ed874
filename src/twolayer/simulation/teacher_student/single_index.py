"""Escape of one unit on the sphere: online SGD in d dimensions, and its stochastic differential equation."""

from collections.abc import Callable

import numpy as np
from numba import njit

from twolayer.model.networks.activations import Activation, compiled_slope, compiled_value

_BLOCK = 2048  # number of steps whose random numbers are drawn at a time

Rate = Callable[[np.ndarray], np.ndarray]


def sgd_escape(
    start: float,
    threshold: float,
    last_time: float,
    *,
    activation: Activation,
    learning_rate: float,
    second_layer: float,
    noise: float,
    dimension: int,
    rng: np.random.Generator,
) -> float:
    """Return the time, steps / d, at which |m| first reaches a threshold, or infinity if not before the last time.

    The overlap m changes as in d dimensions: the fields of an input and its squared length have their exact
    distribution, and the weights are normalised after each step.

    Args:
        start: initial m. second_layer: second layer of student and teacher. noise: standard deviation of the labels'
            noise.
    """
    m, taken, steps = start, 0, round(last_time * dimension)
    while taken < steps:
        count = min(_BLOCK, steps - taken)
        normals, length = rng.standard_normal((count, 3)), rng.chisquare(dimension - 2, count)
        normals[:, 2] *= noise
        m, here = _steps_until(
            m, threshold, activation.compiled, learning_rate, second_layer, normals, length, dimension
        )
        if abs(m) >= threshold:
            return (taken + here) / dimension
        taken += count
    return np.inf


@njit(cache=True)
def _steps_until(m, threshold, activation, learning_rate, second_layer, normals, length, dimension):
    """Return m and the number of steps after steps that end at the threshold."""
    for step in range(len(normals)):
        if abs(m) >= threshold:
            return m, step
        field, across, noise = normals[step]
        teacher = m * field + np.sqrt(1 - m * m) * across
        error = compiled_value(activation, field) - compiled_value(activation, teacher)
        error = second_layer * error - noise
        f = -learning_rate * second_layer * compiled_slope(activation, field) * error / dimension
        squared = 1 + 2 * f * field + f * f * (field * field + across * across + length[step])
        m = (m + f * teacher) / np.sqrt(squared)
    return m, len(normals)


def sde_escapes(
    starts: np.ndarray,
    threshold: float,
    last_time: float,
    *,
    drift: Rate,
    variance: Rate,
    dimension: int,
    step: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the first times (n,) of the equation dm = a dt + sqrt(variance / d) dB from starts (n,).

    The steps use the Euler-Maruyama method. A step beyond -1 or 1 ends there.

    Args:
        drift, variance: mean and variance of the change of m. step: time step.
    """
    times, active, m = np.full(len(starts), np.inf), np.arange(len(starts)), starts.copy()
    for number in range(round(last_time / step) + 1):
        over = np.abs(m) >= threshold
        times[active[over]] = number * step
        active, m = active[~over], m[~over]
        if not active.size:
            break
        spread = np.sqrt(np.maximum(variance(m), 0.0) * step / dimension)
        m = np.clip(m + drift(m) * step + spread * rng.standard_normal(m.size), -1, 1)
    return times

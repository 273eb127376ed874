"""Runge-Kutta steps of the equations of motion of a student that learns a teacher, compiled.

All fields are treated alike. Z_ab is the density q for two units of the student, r for one unit of each network and tt
for two units of the teacher. The flow is X_ka = sum_b response_kb Z_ba, with a factor rho if b is a unit of the
student. The drift of Z_ka is X_ka, plus X_ak if a is a unit of the student.

Modes are grouped in blocks, whose densities are adjacent in memory, so that a block stays in the fastest cache.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from twolayer.model.networks.learning import LayerRates
from twolayer.theory.teacher_student.signal_averages import signal_averages
from twolayer.theory.teacher_student.teacher_averages import FAST, averages_room

# Explicit methods in which a stage depends only on the stage before it. The numbers are the weights of each stage's
# drift in the step and in the next stage.
METHODS = {
    "euler": (np.array([1.0]), np.array([0.0])),
    "rk4": (np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6]), np.array([1 / 2, 1 / 2, 1.0, 0.0])),
}


class Problem(NamedTuple):
    """The constants of the equations.

    Attributes:
        rho: (blocks, width). noise: (blocks, width), rho mass / 2.
        T: (M, M). A: (M,). rates: learning rates of the layers.
        norms: (K,) sums over the modes of the densities q_kk at the start, which stay constant on the sphere.
    """

    rho: np.ndarray
    noise: np.ndarray
    T: np.ndarray
    A: np.ndarray
    rates: LayerRates
    norms: np.ndarray


class DensityState(NamedTuple):
    """The variables of the equations.

    Attributes:
        Z: (blocks, (K + M) (K + M + 1) / 2, width), the lower half, row by row.
        v: (K,).
    """

    Z: np.ndarray
    v: np.ndarray

    def copy(self) -> "DensityState":
        """Return a copy of the state."""
        return DensityState(self.Z.copy(), self.v.copy())


@njit(cache=True)
def _row(a, b):
    return a * (a + 1) // 2 + b if a >= b else b * (b + 1) // 2 + a


@njit(cache=True, fastmath=FAST, error_model="numpy", forceinline=True)
def fill_fields(problem, state, C, u):
    """Fill the covariance C (K + M, K + M) of the pre-activations and their output weights u (K + M,).

    Returns: whether these are all finite.
    """
    hidden, (rho, Z), finite = state.v.size, (problem.rho, state.Z), True
    for a in range(u.size):
        u[a] = state.v[a] if a < hidden else -problem.A[a - hidden]
        finite &= math.isfinite(u[a])
        for k in range(hidden, a + 1):
            C[a, k] = C[k, a] = problem.T[a - hidden, k - hidden]
        for k in range(min(a + 1, hidden)):
            row, total = _row(a, k), 0.0
            for block in range(rho.shape[0]):
                for t in range(rho.shape[1]):
                    total += (rho[block, t] if a < hidden else 1.0) * Z[block, row, t]
            C[a, k] = C[k, a] = total
            finite &= math.isfinite(total)
    return finite


@njit(cache=True)
def _fields_at(response, k, first, end):
    """Return two fields from `first` on, both before `end`, and the response of unit k to each; missing fields give
    zero.
    """
    b, c = min(first, end - 1), min(first + 1, end - 1)
    return b, c, response[k, b] if first < end else 0.0, response[k, c] if first + 1 < end else 0.0


@njit(cache=True, fastmath=FAST, error_model="numpy", forceinline=True)
def _fill_flow(rho, noise, averages, Z, block, X):
    """Fill X (K, K + M, width) in a block, with half of the noise, because q_kl gains X_kl + X_lk.

    The loop takes two fields of each network at a time: with few modes, the start of a loop over modes dominates.
    """
    response, (hidden, fields, width) = averages.response, X.shape
    for k in range(hidden):
        for a in range(fields):
            strength = averages.noise[k, a] if a < hidden else 0.0
            for pair in range(0, max(hidden, fields - hidden), 2):
                b, c, of_b, of_c = _fields_at(response, k, pair, hidden)
                d, e, of_d, of_e = _fields_at(response, k, hidden + pair, fields)
                row_b, row_c, row_d, row_e = _row(b, a), _row(c, a), _row(d, a), _row(e, a)
                if pair == 0:
                    for t in range(width):
                        combined = of_b * Z[block, row_b, t] + of_c * Z[block, row_c, t]
                        teacher = of_d * Z[block, row_d, t] + of_e * Z[block, row_e, t]
                        X[k, a, t] = strength * noise[block, t] + rho[block, t] * combined + teacher
                else:
                    for t in range(width):
                        combined = of_b * Z[block, row_b, t] + of_c * Z[block, row_c, t]
                        teacher = of_d * Z[block, row_d, t] + of_e * Z[block, row_e, t]
                        X[k, a, t] += rho[block, t] * combined + teacher


@njit(cache=True)
def fill_decays(problem, averages, C, decays):
    """Fill the rates (K,) at which the first layer's rows shrink: by weight decay, or to keep their norms on a sphere.

    The norm of a row is the sum of q_kk over all modes. Its drift is 2 response_k C_k and the noise, without decay. On
    the sphere, weight decay has no effect.

    Args:
        averages: multiplied by the learning rates.
    """
    rates, noise = problem.rates, problem.noise.sum()
    for k in range(decays.size):
        decays[k] = rates.learning_rate * rates.weight_decay
        if rates.sphere:
            growth = averages.noise[k, k] * noise
            for a in range(len(C)):
                growth += averages.response[k, a] * C[k, a]
            decays[k] = growth / problem.norms[k]


@njit(cache=True)
def _subtract_decay(decays, X, Z, block):
    """Subtract the decay of the first layer from the flow of a block."""
    hidden, fields, width = X.shape
    for k in range(hidden):
        for a in range(fields):
            for t in range(width):
                X[k, a, t] -= decays[k] * Z[block, _row(k, a), t]


@njit(cache=True, fastmath=FAST, error_model="numpy", forceinline=True)
def _put_flow(X, block, Z, weight, start, following, offset):
    """Add weight drift to Z, and set following = start + offset drift if offset is not 0."""
    hidden, fields, width = X.shape
    for k in range(hidden):
        for a in range(k, fields):
            row, (mirror, mirrored) = _row(a, k), ((a, 1.0) if a < hidden else (k, 0.0))
            for t in range(width):
                Z[block, row, t] += weight * (X[k, a, t] + mirrored * X[mirror, k, t])
            if offset > 0:
                for t in range(width):
                    drift = X[k, a, t] + mirrored * X[mirror, k, t]
                    following[block, row, t] = start[block, row, t] + offset * drift


@njit(cache=True, fastmath=FAST, error_model="numpy", forceinline=True)
def advance(problem, averages, C, X, source, state, weight, start, following, offset):
    """Add weight drift(source) to the state, and set following = start + offset drift(source) if offset is not 0.

    Args:
        averages: multiplied by the learning rates. C: (K + M, K + M), covariance of the pre-activations of the source.
        X: (K, K + M, width), array for the flow.
    """
    decays = np.empty(source.v.size)
    fill_decays(problem, averages, C, decays)
    for block in range(problem.rho.shape[0]):
        _fill_flow(problem.rho, problem.noise, averages, source.Z, block, X)
        if problem.rates.weight_decay > 0 or problem.rates.sphere:
            _subtract_decay(decays, X, source.Z, block)
        _put_flow(X, block, state.Z, weight, start.Z, following.Z, offset)
    decay = problem.rates.second_layer_rate * problem.rates.second_layer_decay
    for k in range(state.v.size):
        gain = averages.readout[k] - decay * source.v[k]
        following.v[k] = start.v[k] + offset * gain
        state.v[k] += weight * gain


@njit(cache=True)
def _put_copy(state, other):
    blocks, rows, width = state.Z.shape
    for block in range(blocks):
        for row in range(rows):
            for t in range(width):
                other.Z[block, row, t] = state.Z[block, row, t]
    for k in range(state.v.size):
        other.v[k] = state.v[k]


@njit(cache=True)
def apply_rates(averages, rates):
    """Multiply averages by the learning rates."""
    hidden, fields = averages.response.shape
    for k in range(hidden):
        averages.readout[k] *= rates.second_layer_rate
        for a in range(fields):
            averages.response[k, a] *= rates.learning_rate
        for j in range(hidden):
            averages.noise[k, j] *= rates.learning_rate * rates.learning_rate


@njit(cache=True)
def closed_steps(signals, problem, state, C, u, count, step, weights, offsets):
    """Take `count` steps of units with closed averages, and return the number of steps, which is smaller on
    divergence.
    """
    hidden = state.v.size
    averages, room = averages_room(hidden, u.size)
    start, stage = DensityState(state.Z.copy(), state.v.copy()), DensityState(state.Z.copy(), state.v.copy())
    X = np.empty((hidden, u.size, problem.rho.shape[1]))
    for done in range(count):
        source = state
        if weights.size > 1:
            _put_copy(state, start)
        for s in range(weights.size):
            if not fill_fields(problem, source, C, u):
                return done
            signal_averages(signals, C, u, averages, room)
            apply_rates(averages, problem.rates)
            advance(problem, averages, C, X, source, state, step * weights[s], start, stage, step * offsets[s])
            source = stage
    return count

"""Online SGD of a two-layer network at finite input dimension, on a Gaussian mixture in its eigenbasis.

A step costs O(N K): the input is drawn in the eigenbasis, where its coordinates are independent.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.activations import Activation, activate, slope
from twolayer.model.mixtures import SpectralMixture

OUTPUT_LIMIT = 1e6  # labels are +-1: a network this far off never comes back
# Sums may be reordered, which vectorises them; NaN and infinity must still compare as such, for divergence to show.
_REORDER = {"reassoc", "contract", "nsz", "arcp"}


@dataclass(frozen=True)
class Trajectory:
    """Order parameters of a network along its training.

    Attributes:
        times: (T,) steps / N.
        M: (T, C, K) mean of the local field w_k.x / sqrt N in each cluster.
        Q: (T, K, K) covariance of the local fields within a cluster.
        v: (T, K) second-layer weights.
        weights: (K, N) first-layer weights at the last time.
    """

    times: np.ndarray
    M: np.ndarray
    Q: np.ndarray
    v: np.ndarray
    weights: np.ndarray


def log_times(first: float, last: float, count: int, dimension: int) -> np.ndarray:
    """Zero and up to `count` times evenly spaced in their logarithm, each a whole number of steps and none twice.

    Args:
        first, last: times in units of N steps, 0 < first <= last.
        count: number of times before those that share a step are merged.
        dimension: input dimension N.

    Returns: (T,) increasing times steps / N, with T <= count + 1.

    Raises:
        ConfigError: the range is empty or not positive, or count < 1.
    """
    if not 0 < first <= last or count < 1:
        raise ConfigError(
            f"measurement times from {first} to {last}, {count} of them: "
            "give 0 < first <= last and a count of at least 1"
        )
    steps = np.rint(np.geomspace(first, last, count) * dimension)
    return np.unique(np.append(steps, 0.0)) / dimension


@njit(cache=True)
def _draw_input(rng, mean, deviations, x):
    for i in range(x.size):
        x[i] = mean[i] + deviations[i] * rng.standard_normal()


@njit(cache=True, fastmath=_REORDER)
def _local_fields(W, x, fields):
    scale = 1 / np.sqrt(x.size)
    for k in range(W.shape[0]):
        total = 0.0
        for i in range(x.size):
            total += W[k, i] * x[i]
        fields[k] = scale * total


@njit(cache=True, fastmath=_REORDER)
def _decay_and_add(row, decay, rate, x):
    for i in range(x.size):
        row[i] = decay * row[i] + rate * x[i]


@njit(cache=True)
def _take_steps(
    count, rng, means, labels, cumulative, deviations, W, v, code, learning_rate, weight_decay, train_second
):
    """Updates W and v in place; returns the number of steps taken, less than `count` if the output left its limit."""
    K, N = W.shape
    x, fields = np.empty(N), np.empty(K)
    decay = 1 - learning_rate * weight_decay / N
    for step in range(count):
        cluster = np.searchsorted(cumulative, rng.random(), side="right")
        _draw_input(rng, means[cluster], deviations, x)
        _local_fields(W, x, fields)
        error = labels[cluster]
        for k in range(K):
            error -= v[k] * activate(code, fields[k])
        if not abs(error) < OUTPUT_LIMIT:
            return step
        for k in range(K):
            rate = learning_rate / np.sqrt(N) * error * v[k] * slope(code, fields[k])
            _decay_and_add(W[k], decay, rate, x)
            if train_second:
                v[k] = decay * v[k] + learning_rate / N * error * activate(code, fields[k])
    return count


def _check_arguments(mixture, W, v, times):
    if W.shape != (len(v), mixture.dimension):
        raise ConfigError(
            f"initial weights have shape {W.shape} where {len(v)} hidden units and {mixture.dimension} inputs "
            f"need ({len(v)}, {mixture.dimension})"
        )
    if len(times) == 0 or times[0] < 0 or np.any(np.diff(times) < 0):
        raise ConfigError("measurement times must start at 0 or later and never decrease: sort them")


def _measure(mixture, W):
    """(M, Q) of the weights."""
    N = mixture.dimension
    return mixture.means @ W.T / np.sqrt(N), (W * mixture.eigenvalues) @ W.T / N


def online_sgd(
    mixture: SpectralMixture,
    initial_weights: np.ndarray,
    initial_v: np.ndarray,
    activation: Activation,
    learning_rate: float,
    weight_decay: float,
    times: np.ndarray,
    rng: np.random.Generator,
    train_second_layer: bool = True,
) -> Trajectory:
    """Trains f(x) = sum_k v_k g(w_k.x / sqrt N) on (y - f)^2 / 2, a fresh input each step.

    The first layer learns at rate `learning_rate`, the second at `learning_rate` / N; both follow the gradient at the
    weights before the step, and lose `learning_rate` * `weight_decay` / N of themselves in each.

    Args:
        mixture: of the inputs, in the eigenbasis of its covariance.
        initial_weights: (K, N) in that basis. initial_v: (K,).
        times: (T,) when to measure, in units of N steps, rounded to whole steps; none decreases.
        rng: drawn from once for the cluster and N times for the input of every step.
        train_second_layer: False keeps v as it starts.

    Raises:
        ConfigError: shapes or times do not fit.
        NotConverged: the network's output diverged.

    Source: refinetti2021, online SGD of the two-layer network.
    """
    W, v = np.array(initial_weights, float, order="C"), np.array(initial_v, float)
    _check_arguments(mixture, W, v, times)
    cumulative = np.cumsum(mixture.weights)
    cumulative[-1] = 1.0  # a draw from [0, 1) always finds its cluster, rounding or not
    clusters = np.ascontiguousarray(mixture.means, float), np.asarray(mixture.labels, float), cumulative
    noise = np.sqrt(mixture.eigenvalues)
    steps = np.rint(np.asarray(times) * mixture.dimension).astype(int)
    hyperparameters = activation.code, learning_rate, weight_decay, train_second_layer
    records, done = [], 0
    for target in steps:
        done += _take_steps(target - done, rng, *clusters, noise, W, v, *hyperparameters)
        if done < target:
            raise NotConverged(
                f"online SGD diverged at step {done + 1} (time {done / mixture.dimension:.3g}): "
                f"lower the learning rate, which is {learning_rate:g}"
            )
        records.append((*_measure(mixture, W), v.copy()))
    M, Q, v_path = (np.stack(record) for record in zip(*records, strict=True))
    return Trajectory(steps / mixture.dimension, M, Q, v_path, W)

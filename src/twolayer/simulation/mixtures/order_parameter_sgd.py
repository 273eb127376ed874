"""Online SGD of two-layer networks at finite input dimension, at a cost that does not depend on the dimension.

Inputs from clusters N(mean, variance * identity) have the same distribution in all directions outside the space of the
means. The order parameters are then a Markov chain, with exactly their distribution in N dimensions. A step needs the P
coordinates of the input in the space of the means, and the coordinates along the parts of the K weight vectors outside
this space. Of all other coordinates it needs only the sum of squares, which is chi-squared.

The chain stores w_k / sqrt N in these P + K coordinates, from which Q and R follow. A step of SGD leads to one further
dimension; rotating the coordinates removes it again. Direct updates of Q would need a factorisation in every step,
which fails if rounding makes Q - R^T R indefinite. A product of weights cannot become indefinite.

Up to 64 networks take their steps together. The same number of all networks is adjacent in memory, so that a processor
computes several at a time. A step then costs a quarter for 64 networks, and half for 8, of a step of a single network.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import Activation, as_activation, compiled_slope, compiled_value
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.simulation.mixtures.order_parameter_inputs import draw_numbers, fill_inputs
from twolayer.simulation.mixtures.stepping import OUTPUT_LIMIT, compiled_clusters, diverged, measurement_steps
from twolayer.theory.mixtures.mixture_equations import IsotropicState

_MOST = 64  # number of networks that take a step together; more would exceed the fastest cache
# smallest number of values that a processor computes at a time; the number of networks is rounded up to a multiple
WIDTH = 4
BLOCK = 512  # number of steps for which inputs are drawn at a time
_ROUNDING = 1e-12  # rounding error of Q and R as sums over many coordinates, relative to Q
_UNDERFLOWS = 1e-280  # a square below this underflows
_FAST = {"reassoc", "contract", "nsz", "arcp"}


@dataclass(frozen=True, eq=False)
class OverlapsPath:
    """Order parameters of a network during its training.

    Attributes:
        times: (T,) steps / N.
        Q: (T, K, K) overlaps w_k . w_l / N.
        R: (T, P, K) coordinates of w_k / sqrt N in the orthonormal basis of the mixture's means.
        v: (T, K) second-layer weights.
        activation: activation of the hidden units.
    """

    times: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray
    activation: Activation

    def local_fields(self, mixture: IsotropicMixture) -> list[LocalFields]:
        """Return the distribution of the pre-activations at each of the times."""
        return [
            IsotropicState(Q, R, v).local_fields(mixture, self.activation)
            for Q, R, v in zip(self.Q, self.R, self.v, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class OverlapsPaths:
    """Order parameters of n networks during their training.

    Attributes:
        Q: (T, n, K, K) and R: (T, n, P, K), as in `OverlapsPath`. v: (T, n, K).
        taken: (n,) steps until the output exceeded its limit, after which nothing changes, or until the end.

        diverged: (n,) whether the output exceeded its limit.
    """

    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray
    taken: np.ndarray
    diverged: np.ndarray


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _angles(first, second, cosine, sine, length):
    """Fill the rotation that maps (first, second) to (length, 0), for each network; `length` may be `second`."""
    for r in range(first.size):
        a, b = first[r], second[r]
        square = a * a + b * b
        tiny = square < _UNDERFLOWS
        scale = 1 / math.sqrt(1.0 if tiny else square)
        cosine[r] = 1.0 if tiny else scale * a
        sine[r] = 0.0 if tiny else scale * b
        length[r] = a if tiny else scale * square


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _rotate(first, second, cosine, sine):
    """Rotate two coordinates."""
    for r in range(first.size):
        a, b = first[r], second[r]
        first[r] = cosine[r] * a + sine[r] * b
        second[r] = cosine[r] * b - sine[r] * a


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _scale(row, factor):
    for r in range(row.size):
        row[r] *= factor[r]


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _decay_and_add(row, decay, signal, x):
    for r in range(row.size):
        row[r] = decay[r] * row[r] + signal[r] * x[r]


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _add_product(total, row, x):
    for r in range(total.size):
        total[r] += row[r] * x[r]


@njit(cache=True, forceinline=True)
def _step_outside(W, plane, x, signals, decay, cosines, sines, length):
    """Add signals * x to the coordinates of W outside the plane, so that vector k again has none there after the k-th.

    The coordinates are rotated twice. After the first rotation x has only one coordinate, and vector k has one
    coordinate after the k-th. The second rotation follows the addition. So a step costs K^2, and each vector keeps its
    relative accuracy, even if it is short.
    """
    hidden = len(W)
    # instead of a slice, because numba takes two seconds to compile the check of its shape
    for r in range(length.size):
        length[r] = x[-1, r]
    for i in range(hidden - 1, -1, -1):
        _angles(x[plane + i], length, cosines[i], sines[i], length)
    for k in range(hidden):
        for i in range(k, -1, -1):
            _rotate(W[k, plane + i], W[k, plane + i + 1], cosines[i], sines[i])
        for i in range(plane + 1, plane + k + 2):
            _scale(W[k, i], decay)
        _decay_and_add(W[k, plane], decay, signals[k], length)
    for k in range(hidden):
        for i in range(k):
            _rotate(W[k, plane + i], W[k, plane + i + 1], cosines[i], sines[i])
        _angles(W[k, plane + k], W[k, plane + k + 1], cosines[k], sines[k], W[k, plane + k])
        W[k, plane + k + 1] = 0.0


@njit(cache=True)
def _take_steps(
    normals, uniforms, lengths, clusters, constant, W, v, activation, rate, decay, alive, taken, train_second
):
    """Update W (K, P + K + 1, n), v (K, n), taken (n,) and, if the output exceeds its limit, decay and alive."""
    (hidden, size, lanes), plane = W.shape, clusters[0].shape[1]
    x, fields, signals = np.empty((size, lanes)), np.empty((hidden, lanes)), np.empty((hidden, lanes))
    cosines, sines, length = np.empty((hidden, lanes)), np.empty((hidden, lanes)), np.empty(lanes)
    means, deviation, error = np.zeros((size, lanes)), np.empty(lanes), np.empty(lanes)
    for step in range(len(normals)):
        inputs = uniforms[step], normals[step], lengths[step]
        fill_inputs(clusters, constant, *inputs, means, deviation, error, x)
        fields[:] = 0.0
        for k in range(hidden):
            for i in range(size - 1):
                _add_product(fields[k], W[k, i], x[i])
            for r in range(lanes):
                error[r] -= v[k, r] * compiled_value(activation, fields[k, r])
        for r in range(lanes):
            if not abs(error[r]) < OUTPUT_LIMIT:
                alive[r], decay[r] = 0.0, 1.0
            error[r] *= rate[r]
            taken[r] += alive[r]
        for k in range(hidden):
            for r in range(lanes):
                signal = error[r] * v[k, r] * compiled_slope(activation, fields[k, r])
                signals[k, r] = signal if alive[r] > 0 else 0.0
            for i in range(plane):
                _decay_and_add(W[k, i], decay, signals[k], x[i])
            if train_second:
                for r in range(lanes):
                    signal = error[r] * compiled_value(activation, fields[k, r])
                    v[k, r] = decay[r] * v[k, r] + (signal if alive[r] > 0 else 0.0)
        _step_outside(W, plane, x, signals, decay, cosines, sines, length)


def _check_arguments(mixture, Q, R, v, dimension):
    """Check that initial Q, R and v have shapes that fit together and fit in the dimension."""
    K, P = len(v), mixture.means.shape[1]
    if Q.shape != (K, K) or R.shape != (P, K):
        raise ConfigError(
            f"initial Q and R have shapes {Q.shape} and {R.shape}, but {K} hidden units and means in {P} dimensions "
            f"need {(K, K)} and {(P, K)}"
        )
    if dimension <= P + K:
        raise ConfigError(
            f"dimension is {dimension}, but {K} hidden units and means in {P} dimensions need at least {P + K + 1}: "
            "raise the dimension, or use online_sgd"
        )


def coordinates(Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return weights w_k / sqrt N (K, P + K + 1) with these order parameters; the last coordinate is free.

    Raises:
        ConfigError: no weights have these order parameters.
    """
    P, K = R.shape
    outside, rounding = Q - R.T @ R, _ROUNDING * np.max(np.abs(Q))
    if not np.all(np.abs(outside - outside.T) <= rounding):
        raise ConfigError("initial Q is not symmetric, or Q or R is not finite: make Q the overlaps of weight vectors")
    eigenvalues, eigenvectors = np.linalg.eigh(outside)
    if eigenvalues[0] < -rounding:
        raise ConfigError(
            f"initial Q - R^T R has the eigenvalue {eigenvalues[0]:.3g}, which weights cannot have: "
            "compute Q and R from the same weights"
        )
    W = np.zeros((K, P + K + 1))
    W[:, :P] = R.T
    root = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))  # negative eigenvalues are rounding errors
    triangle = np.linalg.qr(root.T, mode="r").T
    W[:, P:-1] = triangle * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return W


def run_order_parameters(
    mixture: IsotropicMixture,
    starts: Sequence[IsotropicState],
    learning: Sequence[Learning],
    *,
    activation: Activation,
    dimension: int,
    times: np.ndarray,
    rng: np.random.Generator,
) -> OverlapsPaths:
    """Train networks as `online_sgd` does, on inputs of the same distribution, through their order parameters.

    Q, R and v have the same joint distribution at all times as in a simulation of the weights, for means of any length.

    Args:
        mixture: mixture of the inputs.
        starts: (n,) initial order parameters of the networks, all of one shape; Q - R^T R may be singular.
        learning: (n,) learning rate and weight decay for each network. Either all second layers are trained, or none.
        dimension: input dimension N, at least P + K + 1.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.

    Raises:
        ConfigError: shapes, dimension, times or activation are not allowed, or no weights have these Q and R.

    Source: refinetti2021, online SGD of the two-layer network.
    """
    activation = as_activation(activation)
    activation.require_slope("online SGD")
    for start in starts:
        _check_arguments(mixture, start.Q, start.R, start.v, dimension)
    problem = mixture, activation, dimension, measurement_steps(times, dimension)
    groups = [slice(first, first + _MOST) for first in range(0, len(starts), _MOST)]
    paths = [_paths(*problem, starts[group], learning[group], rng) for group in groups]
    return OverlapsPaths(
        *(np.concatenate([getattr(path, name) for path in paths], axis=1) for name in ("Q", "R", "v")),
        *(np.concatenate([getattr(path, name) for path in paths]) for name in ("taken", "diverged")),
    )


def _paths(mixture, activation, dimension, steps, starts, learning, rng):
    """Return the paths of networks that take their steps together."""
    places = -(-len(starts) // WIDTH) * WIDTH
    chosen = [min(place, len(starts) - 1) for place in range(places)]  # unused places are filled with the last network
    W = np.stack([coordinates(starts[one].Q, starts[one].R) for one in chosen], axis=-1)
    v = np.stack([np.array(starts[one].v, float) for one in chosen], axis=-1)
    rate = np.array([learning[one].learning_rate for one in chosen]) / dimension
    decay = 1 - rate * [learning[one].weight_decay for one in chosen]
    alive, taken = np.ones(places), np.zeros(places)
    plane = mixture.means.shape[1]
    numbers = plane + len(v), dimension - plane - len(v), places
    clusters = *compiled_clusters(mixture), np.sqrt(mixture.variances)
    rules = activation.compiled, rate, decay, alive, taken, learning[0].train_second_layer
    records, done, used = [], 0, slice(len(starts))
    for target in steps:
        while done < target:
            if done % BLOCK == 0:
                drawn = draw_numbers(rng, BLOCK, *numbers)
            now = slice(done % BLOCK, min(done % BLOCK + target - done, BLOCK))
            _take_steps(*(part[now] for part in drawn), clusters, mixture.constant_input, W, v, *rules)
            done += now.stop - now.start
        known = np.moveaxis(W, -1, 0)[used]
        records.append((known @ known.swapaxes(1, 2), known[:, :, :plane].swapaxes(1, 2).copy(), v.T[used].copy()))
    path = (np.stack(part) for part in zip(*records, strict=True))
    return OverlapsPaths(*path, taken[used].astype(int), alive[used] == 0)


def order_parameter_paths(
    mixture: IsotropicMixture,
    starts: Sequence[IsotropicState],
    learning: Learning,
    *,
    activation: Activation,
    dimension: int,
    times: np.ndarray,
    rng: np.random.Generator,
) -> list[OverlapsPath]:
    """Return the paths of n networks with one shape and one learning rule; arguments as for `run_order_parameters`.

    Raises:
        NotConverged: the output of a network diverges.
    """
    options = {"activation": activation, "dimension": dimension, "times": times, "rng": rng}
    paths = run_order_parameters(mixture, starts, [learning] * len(starts), **options)
    if paths.diverged.any():
        first = paths.taken[paths.diverged].min()
        raise diverged("online SGD", first, dimension, learning, as_activation(activation))
    measured = measurement_steps(times, dimension) / dimension
    return [
        OverlapsPath(measured, paths.Q[:, one], paths.R[:, one], paths.v[:, one], as_activation(activation))
        for one in range(len(starts))
    ]

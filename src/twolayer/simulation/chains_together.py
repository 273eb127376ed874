"""The order-parameter chains of many networks at once.

Steps are those of `order_parameter_chain`, where they are explained; here a step is taken by up to 64 networks, each
number of which stands beside the other networks' in memory, so that a processor takes several at a time: 64 of them at
a quarter of the cost, 8 at half. Learning rate and weight decay may be another for each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.model.activations import Activation, as_activation, compiled_slope, compiled_value
from twolayer.model.learning import Learning
from twolayer.model.mixtures import IsotropicMixture
from twolayer.simulation.normal_numbers import fill_normal
from twolayer.simulation.order_parameter_chain import OverlapsPath, check_arguments, coordinates
from twolayer.simulation.stepping import OUTPUT_LIMIT, compiled_clusters, diverged, measurement_steps
from twolayer.theory.mixture_equations import IsotropicState

_MOST = 64  # networks that take a step together: more would leave the fastest cache
_WIDTH = 4  # numbers that a processor takes at a time, at the least: their number is rounded up to a multiple
_BLOCK = 512  # steps for which inputs are drawn at a time
_UNDERFLOWS = 1e-280
_FAST = {"reassoc", "contract", "nsz", "arcp"}


@dataclass(frozen=True)
class OverlapsPaths:
    """Order parameters of n networks along their training.

    Attributes:
        Q: (T, n, K, K) and R: (T, n, P, K), as in `OverlapsPath`. v: (T, n, K).
        taken: (n,) steps until the output left its limit, from when on nothing changes, or the end.
        diverged: (n,) whether it did.
    """

    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray
    taken: np.ndarray
    diverged: np.ndarray


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _to_lengths(normals, uniforms, freedom, lengths):
    """Roots of chi-squared numbers; negative, for now, where a number is refused and has to be drawn again."""
    shape = 0.5 * freedom - 1 / 3
    slope = 1 / math.sqrt(9 * shape)
    for i in range(lengths.size):
        z = float(normals[i])
        root = 1 + slope * z
        accepted = uniforms[i] < 1 - 0.0331 * z * z * z * z and root > 0
        lengths[i] = math.sqrt(2 * shape * abs(root * root * root)) * (1.0 if accepted else -1.0)


@njit(cache=True)
def _redraw(rng, normals, uniforms, freedom, lengths):
    """The few lengths that are not accepted at first sight: by the exact condition, or drawn anew."""
    shape = 0.5 * freedom - 1 / 3
    slope = 1 / math.sqrt(9 * shape)
    for i in range(lengths.size):
        if lengths[i] < 0:
            z, cube = float(normals[i]), (1 + slope * normals[i]) ** 3
            kept = cube > 0 and math.log(uniforms[i]) < 0.5 * z * z + shape * (1 - cube + math.log(cube))
            lengths[i] = -lengths[i] if kept else math.sqrt(rng.chisquare(freedom))


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _angles(first, second, cosine, sine, length):
    """As `_angle` of the chain, for each network; `length` may be `second`."""
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
    """As in the chain: turned until x has one coordinate alone, and once it is added, back."""
    hidden = len(W)
    for r in range(length.size):  # where a slice would do: numba takes two seconds to compile the check of its shape
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


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _put_where(uniforms, least, value, chosen):
    for r in range(uniforms.size):
        chosen[r] = value if uniforms[r] >= least else chosen[r]


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _scale_and_shift(x, deviation, normals, mean):
    for r in range(x.size):
        x[r] = mean[r] + deviation[r] * normals[r]


@njit(cache=True, forceinline=True)
def _fill_inputs(clusters, constant, uniforms, normals, lengths, means, deviation, label, x):
    """Coordinates x (P + K + 1, n) of an input for each network, its label (n,), and its cluster's mean."""
    of_means, labels, cumulative, deviations = clusters
    size, plane = len(x), of_means.shape[1]
    for cluster in range(len(labels)):
        least = cumulative[cluster - 1] if cluster > 0 else 0.0
        _put_where(uniforms, least, labels[cluster], label)
        _put_where(uniforms, least, deviations[cluster], deviation)
        for i in range(plane):
            _put_where(uniforms, least, of_means[cluster, i], means[i])
    for i in range(size - 1):
        _scale_and_shift(x[i], deviation, normals[i], means[i])
    if constant:
        x[plane - 1] = means[plane - 1]
    _scale_and_shift(x[size - 1], deviation, lengths, means[size - 1])


@njit(cache=True)
def _take_steps(
    normals, uniforms, lengths, clusters, constant, W, v, activation, rate, decay, alive, taken, train_second
):
    """Updates W (K, P + K + 1, n), v (K, n), taken (n,) and, where the output has left its limit, decay and alive."""
    (hidden, size, lanes), plane = W.shape, clusters[0].shape[1]
    x, fields, signals = np.empty((size, lanes)), np.empty((hidden, lanes)), np.empty((hidden, lanes))
    cosines, sines, length = np.empty((hidden, lanes)), np.empty((hidden, lanes)), np.empty(lanes)
    means, deviation, error = np.zeros((size, lanes)), np.empty(lanes), np.empty(lanes)
    for step in range(len(normals)):
        inputs = uniforms[step], normals[step], lengths[step]
        _fill_inputs(clusters, constant, *inputs, means, deviation, error, x)
        fields[:] = 0.0
        for k in range(hidden):
            for i in range(size - 1):
                _add_product(fields[k], W[k, i], x[i])
            for r in range(lanes):
                error[r] -= v[k, r] * compiled_value(activation, fields[k, r])
        for r in range(lanes):
            if not abs(error[r]) < OUTPUT_LIMIT:
                alive[r], decay[r] = 0.0, 1.0
            error[r] = rate[r] * error[r] if alive[r] > 0 else 0.0
            taken[r] += alive[r]
        for k in range(hidden):
            for r in range(lanes):
                signals[k, r] = error[r] * v[k, r] * compiled_slope(activation, fields[k, r])
            for i in range(plane):
                _decay_and_add(W[k, i], decay, signals[k], x[i])
            if train_second:
                for r in range(lanes):
                    v[k, r] = decay[r] * v[k, r] + error[r] * compiled_value(activation, fields[k, r])
        _step_outside(W, plane, x, signals, decay, cosines, sines, length)


def _draws(rng, count, size, freedom, lanes):
    """For `count` steps: standard normal numbers (count, size, lanes), uniform ones and lengths (count, lanes)."""
    normals = np.empty((count * (size + 1), lanes), np.float32)
    flat = normals.reshape(-1, math.gcd(normals.size, 512))
    fill_normal(rng, np.ones(flat.shape[1]), flat)
    uniforms = rng.random((2, count, lanes), dtype=np.float32)
    lengths = np.empty((count, lanes))
    own = normals[count * size :].ravel(), uniforms[1].ravel(), freedom, lengths.ravel()
    _to_lengths(*own)
    _redraw(rng, *own)
    return normals[: count * size].reshape(count, size, lanes), uniforms[0], lengths


def order_parameter_chains(
    mixture: IsotropicMixture,
    starts: Sequence[IsotropicState],
    learning: Sequence[Learning],
    *,
    activation: Activation,
    dimension: int,
    times: np.ndarray,
    rng: np.random.Generator,
) -> OverlapsPaths:
    """`order_parameter_chain` of n networks of one shape, each with a learning rate and a weight decay of its own.

    Args:
        starts, learning: (n,) of the networks. The second layers of all of them train, or of none.

    Raises:
        ConfigError: shapes, dimension, times or activation do not fit, or no weights have these Q and R.

    Source: refinetti2021, online SGD of the two-layer network.
    """
    activation = as_activation(activation)
    activation.require_slope("online SGD")
    for start in starts:
        check_arguments(mixture, start.Q, start.R, start.v, dimension)
    problem = mixture, activation, dimension, measurement_steps(times, dimension)
    groups = [slice(first, first + _MOST) for first in range(0, len(starts), _MOST)]
    paths = [_paths(*problem, starts[group], learning[group], rng) for group in groups]
    return OverlapsPaths(
        *(np.concatenate([getattr(path, name) for path in paths], axis=1) for name in ("Q", "R", "v")),
        *(np.concatenate([getattr(path, name) for path in paths]) for name in ("taken", "diverged")),
    )


def _paths(mixture, activation, dimension, steps, starts, learning, rng):
    """Of networks that take their steps together."""
    lanes = -(-len(starts) // _WIDTH) * _WIDTH
    own = [min(lane, len(starts) - 1) for lane in range(lanes)]  # places that are left are filled with the last
    W = np.stack([coordinates(starts[lane].Q, starts[lane].R) for lane in own], axis=-1)
    v = np.stack([np.asarray(starts[lane].v, float) for lane in own], axis=-1)
    rate = np.array([learning[lane].learning_rate for lane in own]) / dimension
    decay = 1 - rate * [learning[lane].weight_decay for lane in own]
    alive, taken = np.ones(lanes), np.zeros(lanes)
    plane, freedom = mixture.means.shape[1], dimension - mixture.means.shape[1] - len(v)
    clusters = *compiled_clusters(mixture), np.sqrt(mixture.variances)
    rules = activation.compiled, rate, decay, alive, taken, learning[0].train_second_layer
    records, used = [], slice(len(starts))
    for count in np.diff(steps, prepend=0):
        for begin in range(0, count, _BLOCK):
            draws = _draws(rng, min(_BLOCK, count - begin), plane + len(v), freedom, lanes)
            _take_steps(*draws, clusters, mixture.constant_input, W, v, *rules)
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
    """The paths of n networks of one shape that learn alike; arguments as for `order_parameter_chains`.

    Raises:
        NotConverged: the output of one of them diverged.
    """
    options = {"activation": activation, "dimension": dimension, "times": times, "rng": rng}
    paths = order_parameter_chains(mixture, starts, [learning] * len(starts), **options)
    if paths.diverged.any():
        first = paths.taken[paths.diverged].min()
        raise diverged("online SGD", first, dimension, learning, as_activation(activation))
    measured = measurement_steps(times, dimension) / dimension
    return [
        OverlapsPath(measured, paths.Q[:, one], paths.R[:, one], paths.v[:, one], as_activation(activation))
        for one in range(len(starts))
    ]

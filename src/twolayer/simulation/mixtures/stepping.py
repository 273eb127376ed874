"""Online training in steps: times of measurement, clusters of inputs, and detection of divergence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.activations import REACH, Activation, compiled_slope, compiled_value
from twolayer.model.networks.learning import LayerRates, Learning
from twolayer.model.random.stream_states import set_state, state_of

OUTPUT_LIMIT = 1e6  # labels are +-1: an output with this error does not recover

# Sums may be reordered, which vectorises them; comparisons with NaN and infinity must still work, to detect divergence.
_REORDER = {"reassoc", "contract", "nsz", "arcp"}


def log_times(first: float, last: float, count: int, dimension: int) -> np.ndarray:
    """Return zero and up to `count` times, evenly spaced in their logarithm, each a different whole number of steps.

    Args:
        first, last: times in units of N steps, 0 < first <= last.
        count: number of times before times with the same step are merged; a single time is the last one.
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
    chosen = np.geomspace(first, last, count) if count > 1 else np.array([last])
    steps = np.rint(chosen * dimension)
    return np.unique(np.append(steps, 0.0)) / dimension


def measurement_steps(times: np.ndarray, dimension: int) -> np.ndarray:
    """Return numbers of steps (T,) for measurements, from times (T,) in units of N steps.

    Raises:
        ConfigError: there are no times, or a time is negative, or a time is smaller than the time before it.
    """
    if len(times) == 0 or times[0] < 0 or np.any(np.diff(times) < 0):
        raise ConfigError("measurement times must start at 0 or later and never decrease: sort them")
    return np.rint(np.asarray(times) * dimension).astype(int)


def compiled_clusters(mixture: IsotropicMixture | SpectralMixture) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means, labels (C,) and cumulative weights (C,) of the clusters, in the form for compiled steps."""
    cumulative = np.cumsum(mixture.weights)
    cumulative[-1] = 1.0  # a draw from [0, 1) always finds a cluster in spite of rounding
    return np.ascontiguousarray(mixture.means, float), np.asarray(mixture.labels, float), cumulative


@njit(cache=True)
def draw_cluster(rng, cumulative):
    """Return the number of a cluster, from one random draw."""
    drawn, cluster = rng.random(), 0
    while drawn >= cumulative[cluster]:  # instead of a search, which numba takes most of a second to compile
        cluster += 1
    return cluster


@njit(cache=True, fastmath=_REORDER)
def local_fields(W, x, fields):
    """Set fields_k = w_k . x / sqrt N."""
    scale = 1 / np.sqrt(x.size)
    for k in range(W.shape[0]):
        total = 0.0
        for i in range(x.size):
            total += W[k, i] * x[i]
        fields[k] = scale * total


@njit(cache=True, fastmath=_REORDER)
def decay_and_add(row, decay, rate, x):
    """Set row = decay row + rate x."""
    for i in range(x.size):
        row[i] = decay * row[i] + rate * x[i]


@njit(cache=True)
def output_error(label, v, activation, fields):
    """Return label - sum_k v_k g(fields_k)."""
    error = label
    for k in range(v.size):
        error -= v[k] * compiled_value(activation, fields[k])
    return error


@njit(cache=True)
def learn_from(x, label, W, v, fields, activation, learning_rate, weight_decay, train_second):
    """Take a step of SGD in place; return False without a step if the output exceeds its limit.

    fields (K,) are working space.
    """
    K, N = W.shape
    local_fields(W, x, fields)
    error = output_error(label, v, activation, fields)
    if not abs(error) < OUTPUT_LIMIT:
        return False
    decay = 1 - learning_rate * weight_decay / N
    for k in range(K):
        rate = learning_rate / np.sqrt(N) * error * v[k] * compiled_slope(activation, fields[k])
        decay_and_add(W[k], decay, rate, x)
        if train_second:
            v[k] = decay * v[k] + learning_rate / N * error * compiled_value(activation, fields[k])
    return True


@dataclass(eq=False)
class Training:
    """The variables of a training of a network, and its continuation after an interruption.

    Attributes:
        W, v: weights, which the steps change in place. rng: random numbers of the inputs.
        records: arrays of the measurements so far, each with a leading axis T.
    """

    W: np.ndarray
    v: np.ndarray
    rng: np.random.Generator
    records: Sequence[np.ndarray] = ()

    def resume(self, state: Mapping[str, np.ndarray] | None) -> None:
        """Continue from the result of `state` for a training with the same arguments, if it is given."""
        if state:
            self.W, self.v = state["W"].copy(), state["v"].copy()
            self.records = [state[f"record{place}"] for place in range(len(state) - 3)]
            set_state(self.rng, state["stream"])

    def state(self, records: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Return arrays that do not change later, for `resume`."""
        measured = {f"record{place}": record for place, record in enumerate(records)}
        return {"W": self.W.copy(), "v": self.v.copy(), "stream": state_of(self.rng), **measured}


def train(
    steps: np.ndarray,
    take_steps: Callable[[int], int],
    measure: Callable[[], Sequence[np.ndarray]],
    *,
    dimension: int,
    learning: Learning | LayerRates,
    activation: Activation,
    records: Sequence[np.ndarray] = (),
    keep: Callable[[list[np.ndarray]], None] = lambda records: None,
) -> list[np.ndarray]:
    """Run online SGD and measure at each of the given numbers of steps (T,).

    Args:
        take_steps: takes a number of further steps, and returns how many it took, fewer if the output exceeds its
            limit.
        measure: returns the arrays to record.
        dimension, learning, activation: for the error message.
        records: arrays of an interrupted training, whose last measurement is the present state.
        keep: function that receives the arrays after each measurement.

    Returns:
        The recorded arrays, each with a leading axis T.

    Raises:
        NotConverged: the output exceeds its limit.
    """
    measured = len(records[0]) if len(records) else 0
    rows, done = list(zip(*records, strict=True)), int(steps[measured - 1]) if measured else 0
    for target in steps[measured:]:
        done += take_steps(target - done)
        if done < target:
            raise diverged("online SGD", done, dimension, learning, activation)
        rows.append(measure())
        keep([np.stack(record) for record in zip(*rows, strict=True)])
    return [np.stack(record) for record in zip(*rows, strict=True)]


def diverged(
    what: str, done: int, dimension: int, learning: Learning | LayerRates, activation: Activation | None = None
) -> NotConverged:
    """Return the error for an output that exceeds its limit in the step after `done` steps.

    Args:
        activation: activation of the compiled steps, if there are compiled steps.
    """
    known = activation is None or activation.compiled.straight
    remark = "" if known else f", or had a pre-activation beyond {REACH:g}, the end of the table of {activation.name!r}"
    return NotConverged(
        f"{what} diverged at step {done + 1} (time {done / dimension:.3g}){remark}: "
        f"lower the learning rate, which is {learning.learning_rate:g}"
    )

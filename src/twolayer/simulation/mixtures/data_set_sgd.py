"""Online SGD of a two-layer network on the samples of a set, in their order."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.model.networks.learning import Learning, wrong_signs
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.stepping import learn_from, measurement_steps, train


@dataclass(frozen=True, eq=False)
class ErrorsPath:
    """Errors on the test samples, pmse and class_error (T,), at the (T,) times, and the network at the last time."""

    times: np.ndarray
    pmse: np.ndarray
    class_error: np.ndarray
    end: Network


@njit(cache=True)
def _take_steps(first, count, inputs, labels, W, v, activation, learning_rate, weight_decay, train_second):
    """Update W and v in place, and return the number of steps, less than `count` if the output exceeds its limit."""
    fields = np.empty(len(W))
    for step in range(count):
        x, label = inputs[first + step], labels[first + step]
        if not learn_from(x, label, W, v, fields, activation, learning_rate, weight_decay, train_second):
            return step
    return count


def data_set_sgd(
    known: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    start: Network,
    learning: Learning,
    *,
    times: np.ndarray,
) -> ErrorsPath:
    """Train as `online_sgd` does, with a sample of the set in each step.

    Args:
        known, test: inputs (n, N) and labels (n,); each known sample is used once, in the given order.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.

    Raises:
        NotConverged: the network's output diverges.

    Source: refinetti2021, online SGD on images.
    """
    W, v, activation = np.array(start.W, float, order="C"), np.array(start.v, float), start.activation
    activation.require_slope("online SGD")
    inputs, labels = (np.ascontiguousarray(part, float) for part in known)
    steps, done = measurement_steps(times, W.shape[1]), 0
    rules = activation.compiled, learning.learning_rate, learning.weight_decay, learning.train_second_layer

    def take(count):
        nonlocal done
        taken = _take_steps(done, count, inputs, labels, W, v, *rules)
        done += taken
        return taken

    dimension = W.shape[1]
    pmse, class_error = train(
        steps,
        take,
        lambda: _errors(W, v, activation, *test),
        dimension=dimension,
        learning=learning,
        activation=activation,
    )
    return ErrorsPath(steps / dimension, pmse, class_error, Network(W, v, activation))


def _errors(W, v, activation, inputs, labels):
    outputs = activation.value(inputs @ W.T / np.sqrt(W.shape[1])) @ v
    return np.array(np.mean((labels - outputs) ** 2) / 2), np.array(np.mean(wrong_signs(outputs, labels)))

"""Online SGD on inputs that a generator gives, with labels of a teacher that sees the latents.

Inputs are generated in large batches, whatever the generator; the steps go through a batch one input at a time, in
compiled code, at a cost of O(N K) each.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.model.activations import Activation, compiled_slope, compiled_value
from twolayer.model.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.learning import Learning
from twolayer.model.teacher_student import InputMoments, OrderParameters, TeacherStudent, order_parameters
from twolayer.simulation.stepping import (
    OUTPUT_LIMIT,
    decay_and_add,
    local_fields,
    measurement_steps,
    output_error,
    train,
)


@dataclass(frozen=True)
class Labelled:
    """Inputs (n, N), centred where they are used, and the teacher's outputs (n,) on their latents."""

    inputs: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Trajectory:
    """A student along its training.

    Attributes:
        times: (T,) steps / N.
        order_parameters: at each of the times, for the moments given.
        v: (T, K) second layer.
        test_pmse: (T,) half the mean squared error on fresh inputs.
    """

    times: np.ndarray
    order_parameters: OrderParameters
    v: np.ndarray
    test_pmse: np.ndarray


def labelled_batches(
    generator: LatentGenerator,
    networks: TeacherStudent,
    moments: InputMoments,
    activation: Activation,
    count: int,
    rng: np.random.Generator,
) -> Iterator[Labelled]:
    """`count` fresh inputs with their labels, a few at a time."""
    scale = math.sqrt(len(moments.latent_mean))
    for latents, inputs in sampled_batches(generator, count, rng):
        fields = (latents - moments.latent_mean) @ networks.B.T / scale
        yield Labelled(inputs, activation(fields) @ networks.A)


@njit(cache=True)
def _take_steps(inputs, labels, mean, W, v, activation, learning_rate, train_second):
    """Updates W and v in place; returns the number of steps taken, less than there are if the output left its limit."""
    K, N = W.shape
    x, fields = np.empty(N), np.empty(K)
    for step in range(len(inputs)):
        for i in range(N):
            x[i] = inputs[step, i] - mean[i]
        local_fields(W, x, fields)
        error = output_error(labels[step], v, activation, fields)
        if not abs(error) < OUTPUT_LIMIT:
            return step
        for k in range(K):
            rate = learning_rate / np.sqrt(N) * error * v[k] * compiled_slope(activation, fields[k])
            decay_and_add(W[k], 1.0, rate, x)
            if train_second:
                v[k] += learning_rate / N * error * compiled_value(activation, fields[k])
    return len(inputs)


def generator_sgd(
    generator: LatentGenerator,
    moments: InputMoments,
    start: TeacherStudent,
    activation: Activation,
    learning_rate: float,
    times: np.ndarray,
    test_samples: int,
    rng: np.random.Generator,
    train_second_layer: bool = True,
) -> Trajectory:
    """Trains the student on half the squared distance to the teacher, a fresh input each step.

    The first layer learns at rate `learning_rate` / sqrt N, the second at `learning_rate` / N, both along the gradient
    at the weights before the step.

    Args:
        moments: their means centre inputs and latents, and they give the order parameters.
        times: (T,) when to measure, in units of N steps, rounded to whole steps; none decreases.

    Raises:
        ConfigError: times do not fit.
        NotConverged: the student's output diverged.

    Source: goldt2021, online SGD.
    """
    W, v = np.array(start.W, float, order="C"), np.array(start.v, float)
    N = W.shape[1]
    steps = measurement_steps(times, N)
    law = generator, start, moments, activation
    test_set = list(labelled_batches(*law, test_samples, rng))

    def take_steps(count):
        taken = 0
        for batch in labelled_batches(*law, count, rng):
            rates = activation.compiled, learning_rate, train_second_layer
            taken += (now := _take_steps(batch.inputs, batch.labels, moments.mean, W, v, *rates))
            if now < len(batch.labels):
                break
        return taken

    def measure():
        now = order_parameters(TeacherStudent(W, v, start.B, start.A), moments)
        return now.Q, now.R, v.copy(), _test_error(test_set, W, v, moments.mean, activation)

    learning = Learning(learning_rate, 0.0, train_second_layer)
    Q, R, *paths = train(steps, take_steps, measure, dimension=N, learning=learning, activation=activation)
    return Trajectory(steps / N, OrderParameters(Q, R, order_parameters(start, moments).T), *paths)


def _test_error(test_set, W, v, mean, activation):
    """Half the mean squared error, with the mean taken off the fields rather than off every input."""
    scale = math.sqrt(W.shape[1])
    weights, shift = W.astype(test_set[0].inputs.dtype), W @ mean / scale
    errors = [
        batch.labels - activation((batch.inputs @ weights.T).astype(float) / scale - shift) @ v for batch in test_set
    ]
    return np.array(np.mean(np.concatenate(errors) ** 2) / 2)

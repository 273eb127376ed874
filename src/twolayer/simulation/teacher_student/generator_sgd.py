"""Online SGD on generated inputs, with labels of a teacher of the latents.

Inputs are generated in large batches by any generator. The steps use the inputs of a batch one by one, in compiled
code, at a cost of O(N K) each.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import InputMoments, OrderParameters, TeacherStudent, order_parameters
from twolayer.simulation.mixtures.stepping import Training, measurement_steps, train
from twolayer.simulation.teacher_student.teacher_student_step import learn_batches


@dataclass(frozen=True, eq=False)
class Labelled:
    """Inputs (n, N), which are centred later, and the teacher's outputs (n,) for their latents."""

    inputs: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True, eq=False)
class StudentPath:
    """A student during its training.

    Attributes:
        times: (T,) steps / N.
        order_parameters: order parameters at each of the times, for the given moments.
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
    *,
    activation: Activation,
    count: int,
    rng: np.random.Generator,
) -> Iterator[Labelled]:
    """Yield `count` fresh inputs with their labels, a few at a time."""
    scale = math.sqrt(len(moments.latent_mean))
    for latents, inputs in sampled_batches(generator, count, rng):
        fields = (latents - moments.latent_mean) @ networks.B.T / scale
        yield Labelled(inputs, activation(fields) @ networks.A)


def generator_sgd(
    generator: LatentGenerator,
    start: TeacherStudent,
    learning: Learning,
    *,
    activation: Activation,
    moments: InputMoments,
    times: np.ndarray,
    test_samples: int,
    rng: np.random.Generator,
    state: Mapping[str, np.ndarray] | None = None,
    keep: Callable[[dict[str, np.ndarray]], None] = lambda state: None,
) -> StudentPath:
    """Train the student on half the squared distance to the teacher, with a fresh input in each step.

    With the learning rate lr, a step of the first layer is lr / sqrt N times the gradient by its pre-activations and
    the input. A step of the second layer is lr / N times its gradient. Both gradients are at the weights before the
    step.

    Args:
        start: weights of both networks. learning: rates without weight decay. activation: activation of both networks.
        moments: moments whose means centre inputs and latents, and which define the order parameters.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.
        state: state of an interrupted training with the same arguments, which continues to the same numbers.
        keep: function that receives the state after each measurement.

    Raises:
        ConfigError: times or activation are not allowed, or there is weight decay.
        NotConverged: the student's output diverges.

    Source: goldt2021, online SGD.
    """
    activation = as_activation(activation)
    activation.require_slope("online SGD")
    learning.without_decay("learning from a teacher")
    training = Training(np.array(start.W, float, order="C"), np.array(start.v, float), rng)
    N = training.W.shape[1]
    steps = measurement_steps(times, N)
    draw = partial(labelled_batches, generator, start, moments, activation=activation, rng=rng)
    test_set = list(draw(count=test_samples))
    training.resume(state)
    W, v = training.W, training.v

    rules = np.empty(0), activation.compiled, learning.layers

    def take_steps(count):
        labelled = ((batch.inputs, batch.labels) for batch in draw(count=count))
        return learn_batches(labelled, moments.mean, W, v, *rules)

    def measure():
        now = order_parameters(TeacherStudent(W, v, start.B, start.A), moments)
        return now.Q, now.R, v.copy(), _test_error(test_set, W, v, moments.mean, activation)

    Q, R, *paths = train(
        steps,
        take_steps,
        measure,
        dimension=N,
        learning=learning,
        activation=activation,
        records=training.records,
        keep=lambda records: keep(training.state(records)),
    )
    return StudentPath(steps / N, OrderParameters(Q, R, order_parameters(start, moments).T), *paths)


def _test_error(test_set, W, v, mean, activation):
    """Return half the mean squared error; the mean is subtracted from the fields instead of the inputs."""
    scale = math.sqrt(W.shape[1])
    weights, shift = W.astype(test_set[0].inputs.dtype), W @ mean / scale
    errors = [
        batch.labels - activation((batch.inputs @ weights.T).astype(float) / scale - shift) @ v for batch in test_set
    ]
    return np.array(np.mean(np.concatenate(errors) ** 2) / 2)

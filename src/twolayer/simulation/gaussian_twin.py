"""Online SGD on Gaussian inputs with the moments of a generator's, with labels of a teacher that sees the latents.

For a generator whose local fields are Gaussian the two learn alike; where they do not, that is the reason.

The student's weights are kept along the modes of the inputs' covariance, where coordinates are independent, and of the
latents no more is drawn than the teacher's fields: a step costs O(N (K + M)).
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.activations import Activation, compiled_value
from twolayer.model.learning import Learning
from twolayer.model.teacher_student import InputMoments, OrderParameters, TeacherStudent
from twolayer.simulation.stepping import measurement_steps, train
from twolayer.simulation.teacher_student_step import learn_from

_ROUNDING = 1e-10  # part of its largest eigenvalue by which rounding may make a covariance indefinite


@dataclass(frozen=True)
class JointLaw:
    """The joint Gaussian law of inputs x and of a teacher's fields nu, in independent coordinates z ~ N(0, identity).

    Attributes:
        modes: (N, N) eigenvectors of Omega. deviations: (N,), x along the modes is deviations * z.
        gain: (M, N) and rest: (M, M), nu = gain z + rest z' with more such coordinates z' (M,).
    """

    modes: np.ndarray
    deviations: np.ndarray
    gain: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, B: np.ndarray, moments: InputMoments) -> "JointLaw":
        """The law for a teacher B (M, D).

        Raises:
            ConfigError: no inputs and latents have these moments.
        """
        D = B.shape[1]
        variances, modes = np.linalg.eigh(moments.Omega)
        floor = _ROUNDING * variances[-1]
        if variances[0] < -floor:
            raise ConfigError(
                f"Omega has the eigenvalue {variances[0]:.3g}, and no inputs have it: take moments from samples"
            )
        deviations = np.sqrt(np.maximum(variances, 0))  # below zero is rounding
        shared = B @ moments.Phi.T @ modes / math.sqrt(D)
        gain = np.divide(shared, deviations, out=np.zeros_like(shared), where=variances > floor)
        T = B @ B.T / D
        left, directions = np.linalg.eigh(T - gain @ gain.T)
        if left[0] < -_ROUNDING * np.trace(T):
            raise ConfigError(
                f"the inputs explain more of the teacher's fields than there is, which leaves the variance "
                f"{left[0]:.3g}: estimate Omega and Phi from the same samples, and from more of them"
            )
        return cls(modes, deviations, gain, directions * np.sqrt(np.maximum(left, 0)))


@dataclass(frozen=True)
class TwinTrajectory:
    """A student along its training: times (T,) as steps / N, order parameters and second layer v (T, K)."""

    times: np.ndarray
    order_parameters: OrderParameters
    v: np.ndarray


@njit(cache=True)
def _draw(rng, deviations, gain, rest, x, nu):
    """An input along the modes, and the teacher's fields that belong to it."""
    nu[:] = 0.0
    for i in range(x.size):
        z = rng.standard_normal()
        x[i] = deviations[i] * z
        for m in range(nu.size):
            nu[m] += gain[i, m] * z
    for j in range(nu.size):
        z = rng.standard_normal()
        for m in range(nu.size):
            nu[m] += rest[m, j] * z


@njit(cache=True)
def _take_steps(count, rng, deviations, gain, rest, A, W, v, activation, learning_rate, train_second):
    """Updates W and v in place; returns the number of steps taken, less than `count` if the output left its limit."""
    x, nu, fields = np.empty(W.shape[1]), np.empty(A.size), np.empty(v.size)
    for step in range(count):
        _draw(rng, deviations, gain, rest, x, nu)
        label = 0.0
        for m in range(A.size):
            label += A[m] * compiled_value(activation, nu[m])
        if not learn_from(x, label, W, v, fields, activation, learning_rate, train_second):
            return step
    return count


def gaussian_twin(
    moments: InputMoments,
    start: TeacherStudent,
    learning: Learning,
    *,
    activation: Activation,
    times: np.ndarray,
    rng: np.random.Generator,
) -> TwinTrajectory:
    """Trains the student as `generator_sgd` does, on Gaussian inputs and latents with these covariances.

    Args:
        start: weights of both networks. learning: without weight decay. activation: of both networks.
        times: (T,) when to measure, in units of N steps, rounded to whole steps; none decreases.

    Raises:
        ConfigError: times or activation do not fit, there is weight decay, or no inputs have such moments.
        NotConverged: the student's output diverged.

    Source: goldt2021, online SGD; the twin is ours.
    """
    activation.require_slope("online SGD")
    learning.without_decay("learning from a teacher")
    law = JointLaw.of(start.B, moments)
    W, v, A = start.W @ law.modes, np.array(start.v, float), np.array(start.A, float)
    N, gain = W.shape[1], np.ascontiguousarray(law.gain.T)
    steps = measurement_steps(times, N)
    rules = activation.compiled, learning.learning_rate, learning.train_second_layer

    def measure():
        spread = W * law.deviations
        return spread @ spread.T / N, spread @ law.gain.T / math.sqrt(N), v.copy()

    Q, R, v_path = train(
        steps,
        lambda count: _take_steps(count, rng, law.deviations, gain, law.rest, A, W, v, *rules),
        measure,
        dimension=N,
        learning=learning,
        activation=activation,
    )
    T = start.B @ start.B.T / start.B.shape[1]
    return TwinTrajectory(steps / N, OrderParameters(Q, R, T), v_path)

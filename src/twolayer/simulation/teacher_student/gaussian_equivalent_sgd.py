"""Online SGD on Gaussian inputs with a generator's moments, and labels of a teacher of the latents.

For a generator with Gaussian pre-activations, this training has the same results as the training on generated inputs. A
difference shows that the pre-activations are not Gaussian.

The student's weights are stored along the modes of the inputs' covariance, where coordinates are independent. Instead
of the latents, only the teacher's fields are drawn, so that a step costs O(N (K + M)). Inputs are drawn many at a time,
in single precision, and learned one by one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.learning import LayerRates, Learning
from twolayer.model.random.normal_numbers import fill_normal
from twolayer.model.teachers.teacher_student import InputMoments, OrderParameters, TeacherStudent
from twolayer.simulation.mixtures.stepping import measurement_steps, train
from twolayer.simulation.teacher_student.teacher_student_step import learn_batches

_BLOCK = 2**17  # number of coordinates of inputs that are drawn at a time, which stay in the cache
_ROUNDING = 1e-10  # part of its largest eigenvalue by which rounding may make a covariance indefinite
_CHANCE = 5.0  # number of standard errors of moments by which a variance may be below zero by chance


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """The joint Gaussian distribution of inputs x and of a teacher's fields nu.

    Attributes:
        modes: (N, N) eigenvectors of Omega; None is the identity.
        deviations: (N,) standard deviations of x along the modes, which are independent.
        gain: (M, N) and rest: (M, M), for nu = gain x + rest z with x along the modes and independent z ~ N(0,
            identity).
    """

    modes: np.ndarray | None
    deviations: np.ndarray
    gain: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, B: np.ndarray, moments: InputMoments) -> "JointDistribution":
        """Return the distribution for a teacher B (M, D).

        Inputs that determine the latents leave nothing of the teacher's fields. The rest of their variance, estimated
        from samples, is then below zero by chance, and counts as zero within its standard error.

        Raises:
            ConfigError: no inputs and latents have these moments.
        """
        D = B.shape[1]
        variances, modes = np.linalg.eigh(moments.Omega)
        floor = _ROUNDING * variances[-1]
        if variances[0] < -floor:
            raise ConfigError(
                f"Omega has the eigenvalue {variances[0]:.3g}, which no inputs have: use moments from samples"
            )
        deviations = np.sqrt(np.maximum(variances, 0))  # negative eigenvalues are rounding errors
        shared = B @ moments.Phi.T @ modes / math.sqrt(D)
        gain = np.divide(shared, variances, out=np.zeros_like(shared), where=variances > floor)
        T = B @ B.T / D
        left, directions = np.linalg.eigh(T - (gain * variances) @ gain.T)
        if left[0] < -(_ROUNDING + _CHANCE * moments.variance_error) * np.trace(T):
            raise ConfigError(
                f"the inputs explain more than the variance of the teacher's fields, and the rest is "
                f"{left[0]:.3g}: estimate Omega and Phi from the same samples, and from more of them"
            )
        return cls(modes, deviations, gain, directions * np.sqrt(np.maximum(left, 0)))

    @classmethod
    def isotropic(cls, B: np.ndarray) -> "JointDistribution":
        """Return the distribution of isotropic inputs, for a teacher B (M, N) of these inputs."""
        M, N = B.shape
        return cls(None, np.ones(N), B / math.sqrt(N), np.zeros((M, M)))

    def draws(self, count: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield `count` inputs along the modes (n, N), in single precision, and fields (n, M), a few at a time.

        Each array of inputs is overwritten by the next.
        """
        gain, dimension = self.gain.T.astype(np.float32), len(self.deviations)
        block = max(1, _BLOCK // dimension)
        room = np.empty((min(count, block), dimension), np.float32)
        for start in range(0, count, block):
            inputs = room[: count - start]
            fill_normal(rng, self.deviations, inputs)
            rest = rng.standard_normal((len(inputs), len(self.rest))) @ self.rest.T
            yield inputs, inputs @ gain + rest


@dataclass(frozen=True, eq=False)
class EquivalentTrajectory:
    """A student during its training: times (T,) as steps / N, order parameters and second layer v (T, K)."""

    times: np.ndarray
    order_parameters: OrderParameters
    v: np.ndarray


def gaussian_equivalent_sgd(
    moments: InputMoments,
    start: TeacherStudent,
    learning: Learning,
    *,
    activation: Activation,
    times: np.ndarray,
    rng: np.random.Generator,
) -> EquivalentTrajectory:
    """Train the student as `generator_sgd` does, on Gaussian inputs and latents with these covariances.

    Args:
        start: weights of both networks. learning: rates without weight decay. activation: activation of both networks.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.

    Raises:
        ConfigError: times or activation are not allowed, there is weight decay, or no inputs have these moments.
        NotConverged: the student's output diverges.

    Source: goldt2021, online SGD; own derivation of the Gaussian equivalent.
    """
    learning.without_decay("learning from a teacher")
    distribution = JointDistribution.of(start.B, moments)
    return teacher_sgd(
        distribution, start, learning.layers, student=activation, teacher=activation, times=times, rng=rng
    )


def teacher_sgd(
    distribution: JointDistribution,
    start: TeacherStudent,
    rates: LayerRates,
    *,
    student: Activation,
    teacher: Activation,
    label_noise: float = 0.0,
    times: np.ndarray,
    rng: np.random.Generator,
) -> EquivalentTrajectory:
    """Train a student of a teacher by online SGD on Gaussian inputs.

    Args:
        distribution: distribution of the inputs and the teacher's fields. start: weights of both networks. rates: of
            both layers.
        student, teacher: activations. label_noise: standard deviation of the noise of the labels.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.

    Raises:
        ConfigError: times are not allowed, or the student's activation has no slope.
        NotConverged: the student's output diverges.

    Source: saad1995; goldt2021, online SGD.
    """
    student.require_slope("online SGD")
    W = np.array(start.W if distribution.modes is None else start.W @ distribution.modes, float, order="C")
    v, A = np.array(start.v, float), np.array(start.A, float)
    N = W.shape[1]
    steps, centre, norms = measurement_steps(times, N), np.zeros(N, np.float32), np.linalg.norm(W, axis=1)

    def labelled(count):
        for inputs, fields in distribution.draws(count, rng):
            labels = teacher(fields) @ A
            yield inputs, labels + label_noise * rng.standard_normal(len(labels)) if label_noise > 0 else labels

    def take_steps(count):
        return learn_batches(labelled(count), centre, W, v, norms, student.compiled, rates)

    def measure():
        spread = W * distribution.deviations
        return spread @ spread.T / N, (spread * distribution.deviations) @ distribution.gain.T / math.sqrt(N), v.copy()

    Q, R, v_path = train(steps, take_steps, measure, dimension=N, learning=rates, activation=student)
    T = start.B @ start.B.T / start.B.shape[1]
    return EquivalentTrajectory(steps / N, OrderParameters(Q, R, T), v_path)

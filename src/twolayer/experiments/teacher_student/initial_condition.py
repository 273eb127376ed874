"""Units, initial condition, learning rates and times of measurement of a student of a teacher."""

import math

import numpy as np

from twolayer.errors import ConfigError
from twolayer.experiments.teacher_student.parameters import Start, Teacher, TeacherStudentCurve, TeacherStudentSGD
from twolayer.model.networks.learning import LayerRates
from twolayer.model.networks.two_layer_networks import second_layer
from twolayer.model.teachers.teacher_student import GaussianInputs, OrderParameters, TeacherStudent
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.theory.averages.nodes import square_root
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.teacher_averages import field_covariance

Config = TeacherStudentCurve | TeacherStudentSGD
_ROUNDING = 1e-10  # part of its largest eigenvalue by which rounding may make a covariance indefinite
_TEACHER, _FRAME, _SECOND = 1, 2, 3  # appended to seeds, for streams that no student draws from


def signals(config: Config) -> Signals:
    """Return units and label noise. Points are added later if they are necessary."""
    noise = getattr(config, "gradient_noise", "full")
    return Signals(config.student.activation, config.teacher.activation, config.teacher.noise, noise)


def layer_rates(config: Config) -> LayerRates:
    """Return the rates of both layers."""
    schedule = config.schedule
    rate, decay = config.second_layer_rate, config.second_layer_decay
    rate = schedule.learning_rate if rate is None else rate
    return LayerRates(
        schedule.learning_rate,
        schedule.weight_decay,
        rate if schedule.train_second_layer else 0.0,
        schedule.weight_decay if decay is None else decay,
        config.weights == "sphere",
    )


def measurement_times(config: Config, inputs: GaussianInputs) -> np.ndarray:
    """Return the times (T,) of measurement."""
    schedule = config.schedule
    return log_times(schedule.first_time, schedule.last_time, schedule.measurements, inputs.dimension)


def starting_order(config: Config, inputs: GaussianInputs) -> tuple[OrderParameters, TeacherStudent]:
    """Return the order parameters at the start, and networks with the second layers of the start.

    Raises:
        ConfigError: start has other shapes than student, teacher and inputs, or no weights have its order parameters.
    """
    start, K, M = config.start or Start(), config.student.hidden_units, config.teacher.hidden_units
    if start.Q is None:
        networks = starting_networks(config, inputs)
        return inputs.order_parameters(networks), networks
    if not inputs.isotropic:
        raise ConfigError(
            "start has Q and R, but with a covariance of the inputs learning depends on the weights along each of its "
            "modes: give W and B"
        )
    T = np.eye(M) if start.T is None else _shaped(start.T, (M, M), "T")
    order = OrderParameters(_shaped(start.Q, (K, K), "Q"), _shaped(start.R, (K, M), "R"), T)
    C = field_covariance(order)
    eigenvalues = np.linalg.eigvalsh(C)
    if not np.allclose(C, C.T) or eigenvalues[0] < -_ROUNDING * eigenvalues[-1]:
        raise ConfigError(
            f"Q, R and T of start are not a covariance (eigenvalue {eigenvalues[0]:.3g}): make "
            "Q and T symmetric, and R smaller"
        )
    nothing = np.empty((0, 0))
    return order, TeacherStudent(nothing, _second_layer(config), nothing, _teacher_weights(config.teacher))


def check_norms(rates: LayerRates, order: OrderParameters) -> None:
    """Check that all units of a student on the sphere have weights.

    Raises:
        ConfigError: the weights of a unit are 0.
    """
    if rates.sphere and not np.diag(order.Q).all():
        number = int(np.argmin(np.diag(order.Q))) + 1
        raise ConfigError(
            f"weights is 'sphere', but the weights of unit {number} start at 0 and have no direction: give it a "
            "variance above 0"
        )


def starting_networks(config: Config, inputs: GaussianInputs) -> TeacherStudent:
    """Return the weights at the start; the teacher's weights act on white latents.

    Raises:
        ConfigError: start has other shapes than student, teacher and inputs, or N is below K + M.
    """
    start, student, teacher = config.start or Start(), config.student, config.teacher
    if student.dimension not in (None, inputs.dimension):
        raise ConfigError(
            f"the student has dimension {student.dimension}, but inputs have {inputs.dimension}: leave it out"
        )
    K, M, N, D = student.hidden_units, teacher.hidden_units, inputs.dimension, inputs.latent_dimension
    v, A = _second_layer(config), _teacher_weights(teacher)
    if start.Q is not None:
        return TeacherStudent(*_with_order(config, inputs), A)
    W = student.scale * np.random.default_rng(student.seed).standard_normal((K, N))
    B = np.random.default_rng([teacher.seed, _TEACHER]).standard_normal((M, D))
    W = W if start.W is None else _shaped(start.W, (K, N), "W")
    B = B if start.B is None else _shaped(start.B, (M, D), "B")
    if start.overlap is not None:
        if D != N:
            raise ConfigError(
                f"overlap is given, but the teacher has weights on {D} latents, and the student on {N} inputs: give W "
                "and B"
            )
        W = start.overlap * B[np.arange(K) % M] + math.sqrt(1 - start.overlap**2) * W
    return TeacherStudent(W, v, inputs.seen_by_teacher(B), A)


def _with_order(config, inputs):
    """Return W, v and B with the order parameters of the start: their root times orthogonal rows."""
    order, networks = starting_order(config, inputs)
    C, N = field_covariance(order), inputs.dimension
    if len(C) > N:
        raise ConfigError(f"dimension is {N}, below the number of all hidden units, {len(C)}: raise it")
    normals = np.random.default_rng([config.student.seed, _FRAME]).standard_normal((N, len(C)))
    weights = math.sqrt(N) * square_root(C) @ np.linalg.qr(normals)[0].T
    hidden = config.student.hidden_units
    return weights[:hidden].copy(), networks.v, weights[hidden:].copy()


def _second_layer(config):
    """Return v (K,) at the start."""
    student, start = config.student, config.start or Start()
    if start.v is not None:
        return _shaped(start.v, (student.hidden_units,), "v")
    rng = np.random.default_rng([student.seed, _SECOND])
    return second_layer(student.second_layer, student.scale * rng.standard_normal(student.hidden_units))


def _teacher_weights(teacher: Teacher):
    """Return A (M,)."""
    return second_layer(teacher.second_layer, np.ones(teacher.hidden_units))


def _shaped(values, shape, name):
    lengths = {len(row) for row in values if isinstance(row, tuple)}
    array = np.asarray(values, float) if len(lengths) <= 1 else None
    if array is None or array.shape != shape:
        found = "rows of different lengths" if array is None else f"shape {array.shape}"
        raise ConfigError(f"{name} of start has {found}: it must be {shape}")
    return array

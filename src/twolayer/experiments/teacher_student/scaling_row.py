"""Online learning of a committee whose width and learning rate scale with the dimension, along one exponent."""

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Student
from twolayer.experiments.teacher_student.parameters import ScalingRow, Start, Teacher
from twolayer.experiments.teacher_student.start import starting_order
from twolayer.model.teachers.teacher_student import GaussianInputs
from twolayer.progress import track
from twolayer.results.inputs import gaussian_inputs
from twolayer.simulation.teacher_student.order_parameter_teacher import order_parameter_path
from twolayer.theory.teacher_student.scaling_limits import Scaling, limiting_pmse, scaled_pmse
from twolayer.theory.teacher_student.signal_averages import Signals


def run(config: ScalingRow, inputs: xr.Dataset) -> xr.Dataset:
    """Return pmse of the equations of motion, of their limit and of SGD, at each value.

    Raises:
        ConfigError: an average of the activations has no closed form.
    """
    known = gaussian_inputs(inputs)
    signals = Signals(config.student.activation, config.teacher.activation, config.teacher.noise)
    if not signals.exact:
        raise ConfigError(
            "averages of student and teacher have no closed form: use erf, relu or polynomial units, or learning_curve"
        )
    streams = np.random.default_rng(config.seed).spawn(len(config.values))
    rows = [
        _row(config, value, known, signals, rng)
        for value, rng in zip(config.values, track(streams, "values"), strict=True)
    ]
    return xr.concat(rows, "value").assign_coords(value=list(config.values))


@dataclass(frozen=True)
class _Problem:
    """The initial condition at one value."""

    student: Student
    teacher: Teacher
    start: Start | None


def _row(config, value, inputs: GaussianInputs, signals, rng):
    exponents = {"kappa": config.kappa, "delta": config.delta} | {config.along: value}
    d, exponent = inputs.dimension, sum(exponents.values())
    hidden = max(1, round(config.student.hidden_units * d ** exponents["kappa"]))
    scaling = Scaling(exponent, config.learning_rate * d ** -exponents["delta"] / hidden)
    about = {"exponent": exponent, "ratio": scaling.ratio, "time_unit": scaling.unit, "hidden_units": hidden}
    times = np.union1d(0.0, config.times)
    if scaling.holds:
        if (fields := hidden + config.teacher.hidden_units) >= d:
            raise ConfigError(
                f"dimension is {d}, but {fields} units of student and teacher need at least {fields + 1}: raise it, or "
                f"lower hidden_units or kappa, now {exponents['kappa']:g}"
            )
        student = replace(config.student, hidden_units=hidden, second_layer=1 / hidden)
        order, networks = starting_order(_Problem(student, config.teacher, config.start), inputs)
        problem = signals, order, networks.A, scaling, times
        theory, limit = (solve(*problem, config.tolerance) for solve in (scaled_pmse, limiting_pmse))
        runs = np.array([_simulated(*problem, d, stream) for stream in rng.spawn(config.seeds)])
    else:
        theory, limit, runs = (
            np.full(shape, np.nan) for shape in (times.shape, times.shape, (config.seeds, times.size))
        )
    curves = {"pmse_theory": ("time", theory), "pmse_limit": ("time", limit), "pmse": (("seed", "time"), runs)}
    return xr.Dataset(curves | about, {"time": times}).sel(time=list(config.times))


def _simulated(signals, order, A, scaling, times, dimension, rng):
    """Return pmse (T,) of a run of SGD."""
    hidden = len(order.Q)
    v = np.full(hidden, 1 / hidden)
    covariances = order_parameter_path(
        order,
        v,
        A,
        student=signals.student,
        teacher=signals.teacher,
        learning_rate=scaling.ratio * hidden,
        label_noise=signals.label_noise,
        dimension=dimension,
        times=times / scaling.unit,
        rng=rng,
    )
    return signals.pmse(covariances, np.tile(np.append(v, -A), (len(times), 1)), hidden)

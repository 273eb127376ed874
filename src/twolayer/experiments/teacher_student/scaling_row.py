"""Online learning of a committee whose width and learning rate scale with the dimension, along one exponent."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Student
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.experiments.teacher_student.initial_condition import starting_order
from twolayer.experiments.teacher_student.parameters import MOST_STEPS, ScalingRow, Start, Teacher
from twolayer.model.random.sweep_streams import stream_at
from twolayer.model.teachers.teacher_student import GaussianInputs
from twolayer.progress import track
from twolayer.results.inputs import gaussian_inputs
from twolayer.simulation.teacher_student.order_parameter_teacher import order_parameter_path
from twolayer.theory.teacher_student.refined_points import refined
from twolayer.theory.teacher_student.scaling_limits import Scaling, limiting_path, scaled_path
from twolayer.theory.teacher_student.signal_averages import Signals

_THEORIES = ("pmse_theory", "pmse_theory_sem", "pmse_limit", "pmse_limit_sem")
_POINTS = 12, 0  # binary logarithm of the first number of points for averages without a closed form, and their seed


def run(config: ScalingRow, inputs: xr.Dataset) -> xr.Dataset:
    """Return pmse of the equations of motion, of their limit and of SGD, at each value."""
    known = gaussian_inputs(inputs)
    if not known.isotropic:
        raise ConfigError(
            "inputs have a covariance, but the equations along kappa and delta hold for isotropic inputs: give "
            "Inputs(dimension=...)"
        )
    signals = Signals(config.student.activation, config.teacher.activation, config.teacher.noise)
    signals.student.require_derivative("the equations of a student and its teacher")
    with sweep() as point:
        rows = [
            _row(config, value, known, signals, stream_at(config.seed, value), point)
            for value in track(config.values, "values")
        ]
    return xr.concat(rows, "value").assign_coords(value=list(config.values))


@dataclass(frozen=True)
class _Problem:
    """The initial condition at one value."""

    student: Student
    teacher: Teacher
    start: Start | None


def _row(config, value, inputs: GaussianInputs, signals, rng, point):
    exponents = {"kappa": config.kappa, "delta": config.delta} | {config.along: value}
    d, exponent = inputs.dimension, sum(exponents.values())
    hidden = max(1, round(config.student.hidden_units * d ** exponents["kappa"]))
    scaling = Scaling(exponent, config.learning_rate * d ** -exponents["delta"] / hidden)
    about = {"exponent": exponent, "ratio": scaling.ratio, "time_unit": scaling.unit, "hidden_units": hidden}
    times = np.union1d(0.0, config.times)
    theories, runs = unconverged(5, [len(times)]), np.full((config.seeds, len(times)), np.nan)
    if scaling.holds:
        if (fields := hidden + config.teacher.hidden_units) >= d:
            raise ConfigError(
                f"dimension is {d}, but {fields} units of student and teacher need at least {fields + 1}: raise it, or "
                f"lower hidden_units or kappa, now {exponents['kappa']:g}"
            )
        if (steps := times[-1] / scaling.unit * d) > MOST_STEPS:
            raise ConfigError(
                f"times reach {times[-1]:g}, which takes {steps:.2g} steps of SGD at a ratio of learning rate and "
                f"hidden units of {scaling.ratio:.3g}, above {MOST_STEPS:g}: lower times, or raise learning_rate"
            )
        student = replace(config.student, hidden_units=hidden, second_layer=1 / hidden)
        order, networks = starting_order(_Problem(student, config.teacher, config.start), inputs)
        signals.require_variances(order)
        settings = order, networks.A, scaling, times
        with point(**{config.along: value}):
            theories[:-1], theories[-1] = list(_theories(config, signals, *settings)), 1.0
            runs[:] = [_simulated(signals, *settings, d, stream) for stream in rng.spawn(config.seeds)]
    *curves, converged = theories
    variables = {name: ("time", curve) for name, curve in zip(_THEORIES, curves, strict=True)}
    variables |= about | {"pmse": (("seed", "time"), runs), "converged": converged[0]}
    return xr.Dataset(variables, {"time": times}).sel(time=list(config.times))


def _theories(config, signals, order, A, scaling, times):
    """Yield pmse by the equations and in their limit, each with its change at half the points."""

    def solution(solve, units):
        return solve(units, order, A, scaling, times, config.tolerance), np.zeros(len(times))

    for solve in (scaled_path, limiting_path):
        path, _, change = refined(partial(solution, solve), signals, len(order.Q) + len(A), *_POINTS)
        yield from (path.pmse, change)


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

"""Learning curve of a student of a teacher by the equations of motion."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.teacher_student.initial_condition import (
    check_norms,
    layer_rates,
    measurement_times,
    signals,
    starting_order,
)
from twolayer.experiments.teacher_student.parameters import TeacherStudentCurve
from twolayer.results.inputs import gaussian_inputs
from twolayer.results.teacher_curve import path_to_dataset
from twolayer.theory.teacher_student.isotropic_teacher import IsotropicTeacher
from twolayer.theory.teacher_student.refined_points import refined
from twolayer.theory.teacher_student.spectral_densities import Densities
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, solve

_STEP, _SAMPLED_STEP = 0.05, 0.1  # the second step is for averages without closed form, which have larger errors


def run(config: TeacherStudentCurve, inputs: xr.Dataset) -> xr.Dataset:
    """Return order parameters and pmse, and the changes of pmse with twice the nodes and with twice the points."""
    known, units = gaussian_inputs(inputs), signals(config)
    units.student.require_derivative("the equations of a student and its teacher")
    rates, (order, networks) = layer_rates(config), starting_order(config, known)
    units.require_variances(order)
    check_norms(rates, order)
    if known.isotropic:
        solution = _isotropic(config, known, rates, order, networks)
    else:
        solution = _of_a_covariance(config, known, rates, networks)
    fields = config.student.hidden_units + config.teacher.hidden_units
    path, compression, change = refined(solution, units, fields, config.log2_points, config.seed)
    dataset = path_to_dataset(path.times, path.order, path.v, path.pmse)
    return dataset.assign(pmse_compression=("time", compression), pmse_sem=("time", change))


def _isotropic(config, known, rates, order, networks):
    if config.nodes is not None:
        raise ConfigError(f"nodes is {config.nodes}, but isotropic inputs have one mode: leave it out")
    times = measurement_times(config, known)

    def solution(units):
        equations = IsotropicTeacher(units, rates, order, networks.v, networks.A)
        return equations.solve(times, config.tolerance), np.zeros(len(times))

    return solution


def _of_a_covariance(config, known, rates, networks):
    numerics = {"nodes": config.nodes, "times": measurement_times(config, known)}
    densities = Densities.of(networks, known.white_moments)

    def solution(units):
        step = config.step or (_STEP if units.exact else _SAMPLED_STEP)
        stable = config.step is None
        return solve(TeacherEquations(units, rates), networks, densities, step=step, stable=stable, **numerics)

    return solution

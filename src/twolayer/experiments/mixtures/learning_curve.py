"""Learning curves from the equations of motion of the order parameters."""

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.initial_network import start_network, state_of
from twolayer.experiments.mixtures.parameters import LearningCurve
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.student_inputs import isotropic_inputs, spectral_inputs
from twolayer.model.networks.activations import as_activation
from twolayer.results.learning_curve import with_covariances, with_remark
from twolayer.results.mixture import is_isotropic
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.theory.averages.nodes import changes_around, sobol_nodes
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.integration import class_errors, integrate, repeated
from twolayer.theory.mixtures.matrix_equations import MatrixEquations, MatrixState
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
)

_CLASS_POINTS, _CLASS_RAYS = 12, 8  # default numbers of nodes of class errors, in the binary logarithm
# Least and largest number of nodes of the drift, in the binary logarithm. With fewer, more solutions need a repetition.
_POINTS, _LINES = (11, 13), (7, 11)
_ACCURACY = 2e-3  # relative error of pmse that is accurate enough without more nodes of the drift
_LARGEST_MATRIX = 2000  # largest product of units and inputs, whose square is the number of unknowns


def run(config: LearningCurve, mixture: xr.Dataset, start: xr.Dataset | None = None) -> xr.Dataset:
    """Return order parameters and errors at the times of the simulation, from the same initial weights.

    The initial weights come from the student, or from a result of the same mixture, from which learning continues.

    The standard errors of the quadrature come from a second set of Sobol points. Two independent sets differ by the
    square root of 2 standard errors. Class errors are averages over four sets, because one difference is near zero by
    chance too often.
    """
    schedule = config.schedule
    dimension = agreed_dimension(mixture, config.student)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    equations, beginning = _problem(config, mixture, dimension, start)
    class_nodes = _class_nodes(config, equations)
    solution, again = _solutions(config, equations, beginning, times, class_nodes[:2])
    class_error, class_error_sem = _class_errors(equations, (solution, again), class_nodes[2:])
    observed, repeatedly = solution.observables, again.observables
    variables = {
        "pmse": ("time", observed.pmse),
        "pmse_sem": ("time", changes_around(repeatedly.pmse - observed.pmse) / math.sqrt(2)),
        "class_error": ("time", class_error),
        "class_error_sem": ("time", class_error_sem),
        "zero_probability": ("time", (observed.zero_probability + repeatedly.zero_probability) / 2),
        "M": (("time", "cluster", "unit"), observed.M),
        "v": (("time", "unit"), observed.v),
    }
    if isinstance(beginning, IsotropicState):
        variables["Q"] = (("time", "unit", "other_unit"), np.array([state.Q for state in solution.states]))
        variables["R"] = (("time", "axis", "unit"), np.array([state.R for state in solution.states]))
    dataset = with_covariances(xr.Dataset(variables, {"time": times}), observed.covariance, equations.mixture)
    return with_remark(dataset, equations.activation, equations.mixture)


def _solutions(config, equations, beginning, times, class_nodes):
    """Return two solutions that share no nodes. The number of nodes of the drift rises until their pmse differs little.

    Args:
        class_nodes: one set for each solution.
    """
    log2_nodes, most = _drift_sizes(config, unit_averages(equations.activation))
    while True:
        nodes, other_nodes = (_nodes(config, log2_nodes, seed) for seed in (config.seed, config.seed + 1))
        chosen = replace(equations, nodes=nodes)
        solution = integrate(chosen, beginning, times, class_nodes=class_nodes[0], rtol=config.tolerance)
        again = repeated(chosen, solution, other_nodes, class_nodes=class_nodes[1], rtol=config.tolerance)
        pmse = solution.observables.pmse
        excess = np.max(np.abs(again.observables.pmse - pmse) / (_ACCURACY * pmse))
        if log2_nodes >= most or excess <= 1:
            return solution, again
        log2_nodes = min(log2_nodes + math.ceil(math.log2(excess)), most)  # the error falls about as 1 / nodes


def _class_errors(equations, solutions, further):
    """Return class errors (T,), averaged over two solutions with two sets of nodes each, and their standard errors.

    Nodes of class errors cause the variance s^2 with one set, and nodes of the drift cause r^2 of one solution. The
    average has the variance s^2 / 4 + r^2 / 2. The difference of both sets of a solution has the variance 2 s^2, and
    the difference of both solutions has s^2 + 2 r^2. A quarter of the last is the variance of the average, but is near
    zero by chance too often. Where it is less than the mean over all three differences, this mean replaces it, and the
    stated errors are 18 % too large on average.

    Args:
        further: one further set of nodes for each solution.
    """
    found = [
        (solution.observables.class_error, class_errors(equations, solution, nodes))
        for solution, nodes in zip(solutions, further, strict=True)
    ]
    within = sum(changes_around(one - other) ** 2 for one, other in found)
    first, second = (np.mean(both, axis=0) for both in found)
    between = changes_around(first - second) ** 2
    return (first + second) / 2, np.sqrt(np.maximum(between / 4, (within / 2 + between) / 12))


def _class_nodes(config, equations):
    """Return four sets of nodes of class errors."""
    log2_nodes = config.log2_nodes or (_CLASS_RAYS if unit_averages(equations.activation).lines else _CLASS_POINTS)
    return [_nodes(config, log2_nodes, config.seed + number) for number in range(4)]


def _drift_sizes(config, units):
    """Return binary logarithms of the first and the largest number of nodes to try."""
    if config.drift_log2_nodes is not None or not units.needs_nodes(config.student.hidden_units):
        return (config.drift_log2_nodes or 0,) * 2
    return _LINES if units.lines else _POINTS


def _nodes(config, log2_nodes, seed):
    return sobol_nodes(config.student.hidden_units, log2_nodes, seed)


def _problem(config, mixture, dimension, start):
    """Return equations and initial state."""
    student, activation = config.student, as_activation(config.student.activation)
    network = start_network(student, dimension, np.random.default_rng(student.seed), mixture, start)
    learning = (activation, learning_of(config.schedule), _nodes(config, 0, config.seed))
    if is_isotropic(mixture):
        inputs = isotropic_inputs(mixture, student)
        return IsotropicEquations(inputs, *learning), state_of(network, inputs)
    inputs = spectral_inputs(mixture, student, dimension)
    if inputs.bases is None:
        return SpectralEquations(inputs, *learning, config.mean_in_noise), SpectralState.of_network(network)
    if (size := student.hidden_units * dimension) > _LARGEST_MATRIX:
        raise ConfigError(
            f"the covariances of the clusters do not commute, and hidden_units times dimension is {size}, but the "
            f"equations of motion allow at most {_LARGEST_MATRIX}: use online_sgd"
        )
    return MatrixEquations(inputs, *learning, config.mean_in_noise), MatrixState.of_network(network)

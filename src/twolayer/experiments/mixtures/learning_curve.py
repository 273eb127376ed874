"""Learning curves from the equations of motion of the order parameters."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.inputs import isotropic_inputs, spectral_inputs
from twolayer.experiments.mixtures.parameters import LearningCurve
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.start import start_network, state_of
from twolayer.model.activations import as_activation
from twolayer.results.learning_curve import with_covariances, with_remark
from twolayer.results.mixture import is_isotropic
from twolayer.simulation.stepping import log_times
from twolayer.theory.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
)
from twolayer.theory.nodes import sobol_nodes
from twolayer.theory.ode import integrate, sampling_error


def run(config: LearningCurve, mixture: xr.Dataset, start: xr.Dataset | None = None) -> xr.Dataset:
    """Order parameters and errors at the times at which the simulation is measured, from the same initial weights.

    They are those of the student, or of a result of the same mixture from which learning goes on.

    The errors of the quadrature, as the standard errors of the rest, come from a second set of Sobol points.
    """
    schedule = config.schedule
    dimension = agreed_dimension(mixture, config.student)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    equations, beginning = _problem(config, mixture, dimension, start)
    nodes, other_nodes = (_nodes(config, config.log2_nodes, seed) for seed in (config.seed, config.seed + 1))
    solution = integrate(equations, beginning, times, class_nodes=nodes)
    observed = solution.observables
    other_drift_nodes = _nodes(config, config.drift_log2_nodes, config.seed + 1)
    pmse_error, class_error_error = sampling_error(equations, solution, other_drift_nodes, class_nodes=other_nodes)
    variables = {
        "pmse": ("time", observed.pmse),
        "pmse_sem": ("time", pmse_error),
        "class_error": ("time", observed.class_error),
        "class_error_sem": ("time", class_error_error),
        "zero_probability": ("time", observed.zero_probability),
        "M": (("time", "cluster", "unit"), observed.M),
        "v": (("time", "unit"), observed.v),
    }
    if isinstance(beginning, IsotropicState):
        variables["Q"] = (("time", "unit", "other_unit"), np.array([state.Q for state in solution.states]))
        variables["R"] = (("time", "axis", "unit"), np.array([state.R for state in solution.states]))
    dataset = with_covariances(xr.Dataset(variables, {"time": times}), observed.covariance, equations.mixture)
    return with_remark(dataset, equations.activation, equations.mixture)


def _nodes(config, log2_nodes, seed):
    return sobol_nodes(config.student.hidden_units, log2_nodes, seed)


def _problem(config, mixture, dimension, start):
    """Equations and initial state."""
    student, activation = config.student, as_activation(config.student.activation)
    network = start_network(student, dimension, np.random.default_rng(student.seed), mixture, start)
    nodes = _nodes(config, config.drift_log2_nodes, config.seed)
    learning = (activation, learning_of(config.schedule), nodes)
    if is_isotropic(mixture):
        inputs = isotropic_inputs(mixture, student)
        return IsotropicEquations(inputs, *learning), state_of(network, inputs)
    equations = SpectralEquations(spectral_inputs(mixture, student, dimension), *learning, config.mean_in_noise)
    return equations, SpectralState.of_network(network)

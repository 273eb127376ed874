"""Learning curves from the equations of motion of the order parameters."""

import numpy as np
import xarray as xr

from twolayer.config import LearningCurve
from twolayer.experiments.mixture_results import from_dataset
from twolayer.model.activations import activation_named
from twolayer.model.networks import initial_network
from twolayer.simulation.online_sgd import log_times
from twolayer.theory.mixture_equations import SpectralEquations, SpectralState, sobol_nodes
from twolayer.theory.ode import integrate


def run(config: LearningCurve, mixture: xr.Dataset) -> xr.Dataset:
    """Order parameters and errors at the times at which the simulation is measured, from the same initial weights."""
    student, schedule, inputs = config.student, config.schedule, from_dataset(mixture)
    equations = SpectralEquations(
        inputs,
        activation_named(student.activation),
        schedule.learning_rate,
        schedule.weight_decay,
        sobol_nodes(student.hidden_units, config.log2_nodes, config.seed),
        config.mean_in_noise,
    )
    weights, v = initial_network(
        np.random.default_rng(student.seed), student.hidden_units, inputs.dimension, student.scale
    )
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, inputs.dimension)
    observed = integrate(equations, SpectralState.of_network(weights, v), times).observables
    variables = {
        "pmse": ("time", observed.pmse),
        "class_error": ("time", observed.class_error),
        "zero_probability": ("time", observed.zero_probability),
        "M": (("time", "cluster", "unit"), observed.M),
        "Q": (("time", "unit", "other_unit"), observed.covariance),
        "v": (("time", "unit"), observed.v),
    }
    return xr.Dataset(variables, coords={"time": ("time", times, {"long_name": "steps / N"})})

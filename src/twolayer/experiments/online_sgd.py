"""Learning curves of online SGD at finite dimension."""

import numpy as np
import xarray as xr

from twolayer.config import OnlineSGD
from twolayer.experiments.mixture_results import spectral_mixture
from twolayer.model.activations import activation_named
from twolayer.model.networks import initial_network
from twolayer.progress import track
from twolayer.simulation.online_sgd import log_times, online_sgd
from twolayer.theory.mixture_equations import classification_error, local_field_averages, sobol_nodes


def run(config: OnlineSGD, mixture: xr.Dataset) -> xr.Dataset:
    """Order parameters and errors for each data stream; the errors are exact given the weights at that time."""
    student, schedule, inputs = config.student, config.schedule, spectral_mixture(mixture)
    activation = activation_named(student.activation)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, inputs.dimension)
    weights, v = initial_network(
        np.random.default_rng(student.seed), student.hidden_units, inputs.dimension, student.scale
    )
    nodes = sobol_nodes(student.hidden_units, config.log2_nodes, config.seed)
    rates = (activation, schedule.learning_rate, schedule.weight_decay)
    curves = []
    for rng in track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations"):
        trajectory = online_sgd(inputs, weights, v, *rates, times, rng, schedule.train_second_layer)
        states = zip(trajectory.M, trajectory.Q, trajectory.v, strict=True)
        errors = [_errors(state, inputs, activation, nodes) for state in states]
        curves.append((*np.transpose(errors), trajectory.M, trajectory.Q, trajectory.v))
    pmse, class_error, zero_probability, M, Q, v_path = (np.stack(curve) for curve in zip(*curves, strict=True))
    variables = {
        "pmse": (("seed", "time"), pmse),
        "class_error": (("seed", "time"), class_error),
        "zero_probability": (("seed", "time"), zero_probability),
        "M": (("seed", "time", "cluster", "unit"), M),
        "Q": (("seed", "time", "unit", "other_unit"), Q),
        "v": (("seed", "time", "unit"), v_path),
    }
    dataset = xr.Dataset(variables, coords={"time": ("time", times, {"long_name": "steps / N"})})
    return dataset.assign(mixture[["images"]]) if "images" in mixture else dataset


def _errors(state, mixture, activation, nodes):
    """pmse, class error and P(f = 0) of a network with the order parameters M, Q, v."""
    law = (*state, mixture.labels, mixture.weights, activation, nodes)
    return local_field_averages(*law).pmse, *classification_error(*law)

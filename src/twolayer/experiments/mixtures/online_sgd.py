"""Learning curves of online SGD at finite dimension."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.parameters import OnlineSGD
from twolayer.model.activations import as_activation
from twolayer.model.networks import initial_network
from twolayer.progress import track
from twolayer.results.learning_curve import simulations_to_dataset
from twolayer.results.mixture import spectral_mixture
from twolayer.simulation.online_sgd import online_sgd
from twolayer.simulation.stepping import log_times
from twolayer.theory.local_fields import sobol_nodes


def run(config: OnlineSGD, mixture: xr.Dataset) -> xr.Dataset:
    """Order parameters and errors for each data stream, from the same initial weights."""
    student, schedule = config.student, config.schedule
    inputs = spectral_mixture(mixture, agreed_dimension(mixture, student))
    activation = as_activation(student.activation)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, inputs.dimension)
    rng = np.random.default_rng(student.seed)
    weights, v = initial_network(rng, student.hidden_units, inputs.dimension, student.scale)
    rates = (activation, schedule.learning_rate, schedule.weight_decay)
    trajectories = [
        online_sgd(inputs, weights, v, *rates, times, stream, schedule.train_second_layer)
        for stream in track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations")
    ]
    paths = [(trajectory.M, trajectory.Q, trajectory.v) for trajectory in trajectories]
    nodes = sobol_nodes(student.hidden_units, config.log2_nodes, config.seed)
    dataset = simulations_to_dataset(times, paths, inputs, activation, nodes)
    return dataset.assign(mixture[["images"]]) if "images" in mixture else dataset

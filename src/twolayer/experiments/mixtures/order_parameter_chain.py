"""Learning curves of online SGD from the chain of its order parameters."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.parameters import OrderParameterChain
from twolayer.model.activations import as_activation
from twolayer.model.networks import initial_order_parameters
from twolayer.progress import track
from twolayer.results.learning_curve import simulations_to_dataset
from twolayer.results.mixture import is_isotropic, isotropic_mixture
from twolayer.simulation.order_parameter_chain import order_parameter_chain
from twolayer.simulation.stepping import log_times
from twolayer.theory.local_fields import sobol_nodes


def run(config: OrderParameterChain, mixture: xr.Dataset) -> xr.Dataset:
    """Order parameters and errors for each run; R is what the weights are in the space of the means."""
    if not is_isotropic(mixture):
        raise ConfigError("the order-parameter chain needs an isotropic mixture: use the task online_sgd for this one")
    student, schedule, inputs = config.student, config.schedule, isotropic_mixture(mixture)
    dimension, activation = agreed_dimension(mixture, student), as_activation(student.activation)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    rates = (activation, schedule.learning_rate, schedule.weight_decay)
    streams = np.random.default_rng(config.seed).spawn(config.seeds)
    options = (dimension, *rates, times)
    trajectories = []
    for stream, rng in zip(track(streams, "simulations"), _student_streams(config), strict=True):
        start = initial_order_parameters(rng, student.hidden_units, dimension, student.scale, inputs.means.shape[1])
        trajectories.append(order_parameter_chain(inputs, *start, *options, stream, schedule.train_second_layer))
    paths = [(*path.local_fields(inputs), path.v) for path in trajectories]
    nodes = sobol_nodes(student.hidden_units, config.log2_nodes, config.seed)
    dataset = simulations_to_dataset(times, paths, inputs, activation, nodes)
    success = (dataset.class_error.isel(time=-1) < config.success_error).astype(float)
    R = (("seed", "time", "axis", "unit"), np.stack([path.R for path in trajectories]))
    return dataset.assign(R=R, success=success.drop_vars("time"), success_rate=float(success.mean()))


def _student_streams(config):
    """Generators of the initial weights: all alike, or independent."""
    if config.fresh_students:
        return np.random.default_rng(config.student.seed).spawn(config.seeds)
    return [np.random.default_rng(config.student.seed) for _ in range(config.seeds)]

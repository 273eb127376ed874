"""Learning curves of online SGD from SGD in its order parameters."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.initial_network import start_network, state_of
from twolayer.experiments.mixtures.parameters import OrderParameterSGD
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.simulations import simulations_to_dataset
from twolayer.experiments.mixtures.student_inputs import isotropic_inputs
from twolayer.model.networks.activations import as_activation
from twolayer.results.mixture import is_isotropic
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.theory.averages.nodes import sobol_nodes

_INPUTS = 1  # added to the seed, so that students with the same seed have another stream


def run(config: OrderParameterSGD, mixture: xr.Dataset, start: xr.Dataset | None = None) -> xr.Dataset:
    """Return order parameters and errors for each run; R has the weights in the space of the means."""
    if not is_isotropic(mixture):
        raise ConfigError("SGD in order parameters needs an isotropic mixture: use online_sgd for this mixture")
    student, schedule, inputs = config.student, config.schedule, isotropic_inputs(mixture, config.student)
    dimension, activation = agreed_dimension(mixture, student), as_activation(student.activation)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    options = {"activation": activation, "dimension": dimension, "times": times}
    networks = (start_network(student, dimension, rng, mixture, start) for rng in _student_streams(config))
    starts = [state_of(network, inputs) for network in networks]
    rng = np.random.default_rng([config.seed, _INPUTS])
    runs = order_parameter_paths(inputs, starts, learning_of(schedule), **options, rng=rng)
    paths = [run.local_fields(inputs) for run in runs]
    nodes = (sobol_nodes(student.hidden_units, config.log2_nodes, config.seed + other) for other in range(2))
    dataset = simulations_to_dataset(times, paths, inputs, *nodes)
    success = (dataset.class_error.isel(time=-1) < config.success_error).astype(float)
    Q = (("seed", "time", "unit", "other_unit"), np.stack([run.Q for run in runs]))
    R = (("seed", "time", "axis", "unit"), np.stack([run.R for run in runs]))
    return dataset.assign(Q=Q, R=R, success=success.drop_vars("time"), success_rate=float(success.mean()))


def _student_streams(config):
    """Return random number generators of the initial weights: equal ones, or independent ones."""
    if config.fresh_students:
        return np.random.default_rng(config.student.seed).spawn(config.seeds)
    return [np.random.default_rng(config.student.seed) for _ in range(config.seeds)]

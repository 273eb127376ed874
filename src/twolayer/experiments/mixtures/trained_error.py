"""Error of networks trained online from random initial weights, against the noise of a mixture."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.experiments.mixtures.initial_network import first_network, state_of
from twolayer.experiments.mixtures.parameters import TrainedError
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.student_inputs import seen_by
from twolayer.experiments.sweeps import concatenated, sweep
from twolayer.progress import track
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.theory.averages.mixture_averages import classification_error
from twolayer.theory.averages.nodes import sobol_nodes


def run(config: TrainedError) -> xr.Dataset:
    """Return the class error of every run at the last time, at every noise level, and its change with other nodes."""
    nodes = [sobol_nodes(config.student.hidden_units, config.log2_nodes, config.seed + other) for other in range(2)]
    rng, rows = np.random.default_rng(config.seed), {}
    with sweep() as point:
        for sigma in track(config.sigma, "noise levels"):
            with point(sigma=sigma):
                errors, again = np.transpose(_class_errors(config, sigma, rng, nodes))
                variables = {"class_error": ("seed", errors), "best_class_error": np.min(errors)}
                rows[sigma] = xr.Dataset(variables | {"quadrature_error": np.sqrt(np.mean((again - errors) ** 2))})
    least = bayes_errors(config.geometry, np.array(config.sigma), config.input_dimension)
    return concatenated(rows, "sigma", list(config.sigma)).assign(least)


def _class_errors(config, sigma, rng, nodes):
    """Return the class errors of each run with each set of nodes (seeds, 2)."""
    student, schedule, dimension = config.student, config.schedule, config.input_dimension
    clusters = build(config.geometry, sigma, dimension)
    mixture = seen_by(student, clusters)
    networks = [first_network(student, dimension, rng, clusters) for _ in range(config.seeds)]
    starts = [state_of(network, mixture) for network in networks]
    learning, times = learning_of(schedule), np.array([schedule.last_time])
    if config.rate_per_power:
        power = mixture.weights @ mixture.variances + mixture.weights @ np.sum(mixture.means**2, axis=1) / dimension
        learning = replace(learning, learning_rate=learning.learning_rate / power)
    options = {"activation": networks[0].activation, "dimension": dimension, "times": times}
    paths = order_parameter_paths(mixture, starts, learning, **options, rng=rng)
    ends = [path.local_fields(mixture)[-1] for path in paths]
    return [[classification_error(end, mixture, one)[0] for one in nodes] for end in ends]

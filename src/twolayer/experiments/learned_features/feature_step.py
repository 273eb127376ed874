"""Networks on a mixture after at most one gradient step of the first layer, and theory of each drawn first layer."""

import math

import xarray as xr

from twolayer.experiments.learned_features.mixture_networks import fitted_errors, to_dataset, trials
from twolayer.experiments.learned_features.parameters import FeatureStep
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.networks.activations import as_activation
from twolayer.simulation.one_step.gradient_step import gradient_steps
from twolayer.theory.one_step.mixture_step import mixture_ridge

_NAMES = ("theory", "theory_misclassified", "network", "network_misclassified", "converged")


def run(config: FeatureStep) -> xr.Dataset:
    """Return errors in theory and of networks, at every noise level, number of samples and step."""
    problem = config.problem
    shape = len(problem.sigma), len(problem.sample_ratios), problem.seeds, len(config.steps)
    values = unconverged(len(_NAMES), shape)
    with sweep() as point:
        for trial in trials(problem):
            for number, step in enumerate(config.steps):
                with point(**trial.labels(problem), step=step):
                    values[:, *trial.place, number] = [*_errors(config, trial, step), 1.0]
    return to_dataset(problem, _NAMES, values, step=list(config.steps))


def _errors(config, trial, step):
    """Return errors in theory and of a network, after a step of this size."""
    activation, start = as_activation(config.problem.activation), trial.network.F
    width, dimension = start.shape
    moved = start
    if step:
        eta = step * width * math.sqrt(dimension)
        (moved,) = gradient_steps(trial.network, trial.gradient, [activation], step=eta)
    fit = {"samples": len(trial.train.labels), "ridge": config.problem.ridge, "overlap_order": config.overlap_order}
    theory, missed = mixture_ridge(trial.mixture, moved, moved - start if step else start, activation, **fit)
    network = fitted_errors(trial, lambda inputs: activation.value(inputs @ moved.T), config.problem.ridge)
    return theory.test_loss, missed, *network

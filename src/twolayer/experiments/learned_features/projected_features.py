"""Networks on a mixture trained by variable projection, on the samples of the networks after a gradient step."""

import torch
import xarray as xr

from twolayer.experiments.learned_features.mixture_networks import fitted_errors, test_errors, to_dataset, trials
from twolayer.experiments.learned_features.parameters import ProjectedFeatures
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_maps import FeatureMap, ridge_functions
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.mean_field.variable_projection import descend

_NAMES = ("start_pmse", "start_ridge_pmse", "pmse", "class_error", "first_risk", "last_risk", "converged")


def run(config: ProjectedFeatures) -> xr.Dataset:
    """Return errors at the start, by its projection and by ridge regression, and at the end; and the risk at both."""
    problem = config.problem
    shape = len(problem.sigma), len(problem.sample_ratios), problem.seeds
    values = unconverged(len(_NAMES), shape)
    with sweep() as point:
        for trial in trials(problem):
            with point(**trial.labels(problem)):
                values[:, *trial.place] = [*_errors(config, trial), 1.0]
    return to_dataset(problem, _NAMES, values)


def _errors(config, trial):
    activation, ridge = as_activation(config.problem.activation), config.problem.ridge
    inputs, offset = torch.from_numpy(trial.train.inputs), trial.train.labels.mean()
    bare = ridge_functions(activation, on_sphere=False)
    centred = FeatureMap(lambda x, w: (value := bare.features(x, w)) - value.mean(dim=0), bare.clip)
    targets, weights = torch.from_numpy(trial.train.labels - offset)[:, None], torch.from_numpy(trial.network.F)
    states = descend(centred, Risk(ridge, 0.0), inputs, targets, weights, config.rate * ridge)
    first = last = next(states)
    for _ in range(config.iterations):
        last = next(states)
    start, _ = _test(trial, activation, first)
    by_ridge, _ = fitted_errors(trial, lambda x: activation.value(x @ trial.network.F.T), ridge)
    return start, by_ridge, *_test(trial, activation, last), first.risk, last.risk


def _test(trial, activation, state):
    """Return pmse and class error of a network on the test set."""
    weights, outer = state.weights.numpy(), state.outer.numpy()[:, 0] / len(state.outer)
    known, fresh = (activation.value(samples.inputs @ weights.T) for samples in (trial.train, trial.test))
    return test_errors(trial, (fresh - known.mean(axis=0)) @ outer + trial.train.labels.mean())

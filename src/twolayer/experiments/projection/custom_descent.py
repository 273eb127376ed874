"""Descent of a mean-field network on custom data, by variable projection or on two timescales."""

from itertools import islice

import numpy as np
import torch
import xarray as xr

from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments.projection.parameters import VariableProjection
from twolayer.experiments.samples import check_samples
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.descent import OFFSETS
from twolayer.model.networks.feature_maps import ridge_functions
from twolayer.progress import track
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.mean_field.variable_projection import descend, descend_searching
from twolayer.simulation.training.devices import device_named, threads_for

_RISE = 1.05  # descent is unstable if the risk exceeds this multiple of its least value so far


def run_descent(
    config: VariableProjection,
    inputs: np.ndarray,
    targets: np.ndarray,
    test_inputs: np.ndarray | None,
    test_targets: np.ndarray | None,
    two_timescale: bool,
) -> xr.Dataset:
    """Return risk and errors during the descent, and the network at its end.

    Raises:
        ConfigError: the arrays are not samples, or do not fit together.
        NotConverged: the risk grows.
    """
    data = _data(config, inputs, targets, test_inputs, test_targets)
    feature_map = _feature_map(config)
    start = feature_map.clip(_initial_weights(config, data["inputs"]))
    risk = Risk(config.ridge, OFFSETS[config.regularization], config.power)
    problem = feature_map, risk, data["inputs"], data["targets"], start
    if config.descent.step == "auto":
        states = descend_searching(*problem, two_timescale)
    else:
        states = descend(*problem, config.descent.step, two_timescale)
    measured, rows, least = set(config.descent.measured.tolist()), [], np.inf
    with threads_for(len(inputs) * config.width):
        for iteration, state in enumerate(track(islice(states, config.descent.iterations + 1), "iterations")):
            least = min(least, state.risk)
            _check_descent(config, iteration, state.risk, least)
            if iteration in measured:
                rows.append({"risk": state.risk, "step": state.step} | _errors(feature_map, state, data))
    variables = {name: ("iteration", [row[name] for row in rows]) for name in rows[0]}
    variables |= {"W": (("feature", "input"), state.weights.numpy(force=True))}
    variables |= {"outer": (("feature", "output"), state.outer.numpy(force=True))}
    return xr.Dataset(variables, {"iteration": config.descent.measured, "ridge": config.ridge, "width": config.width})


def _feature_map(config):
    activation = as_activation(config.activation)
    activation.require_slope("descent of the features")
    return ridge_functions(activation, config.weights == "sphere")


def _check_descent(config, iteration, risk, least):
    if not risk <= _RISE * least:
        step = config.descent.step
        remedy = "use a larger ridge" if step == "auto" else "use step='auto', a smaller step or a larger ridge"
        raise NotConverged(
            f"descent is unstable at ridge {config.ridge:g} and step {step}: the risk rises from {least:.3g} to "
            f"{risk:.3g} at iteration {iteration}: {remedy}"
        )


def _data(config, inputs, targets, test_inputs, test_targets):
    """Return the samples as tensors; inputs with their constant coordinate, targets with an axis of outputs."""
    check_samples(inputs, targets, ("inputs", "targets"))
    arrays = {"inputs": inputs, "targets": targets}
    if (test_inputs is None) != (test_targets is None):
        raise ConfigError("test_inputs and test_targets belong together: give both or none")
    if test_inputs is not None:
        check_samples(test_inputs, test_targets, ("test_inputs", "test_targets"))
        fresh = {"test_inputs": test_inputs, "test_targets": test_targets}
        for name, array in fresh.items():
            if array.shape[1:] != (known := arrays[name.removeprefix("test_")]).shape[1:]:
                raise ConfigError(
                    f"{name} has shape {array.shape}, but the others have {known.shape}: make the shapes equal"
                )
        arrays |= fresh
    device = device_named(config.device)
    for name, array in arrays.items():
        rows = array.reshape(len(array), -1)
        if config.constant and name.endswith("inputs"):
            rows = np.column_stack([rows, np.ones(len(rows))])
        arrays[name] = torch.from_numpy(rows).to(device)
    return arrays


def _initial_weights(config, inputs):
    """Return initial weights (M, d) from N(0, 1 / d)."""
    shape = config.width, inputs.shape[1]
    weights = np.random.default_rng(config.seed).standard_normal(shape) / np.sqrt(shape[1])
    return torch.from_numpy(weights).to(inputs.device)


def _errors(feature_map, state, data):
    """Return half the mean squared errors, on the samples and on fresh samples."""
    errors = {}
    for prefix in ("", "test_"):
        if f"{prefix}inputs" in data:
            features = feature_map.features(data[f"{prefix}inputs"], state.weights)
            outputs = features @ state.outer / features.shape[1]
            errors[f"{prefix}pmse"] = float((outputs - data[f"{prefix}targets"]).square().mean()) / 2
    return errors

"""Errors of networks after one gradient step and of their Hermite models, along the axes of a sweep."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.parameters import OneStepSweep
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.networks.feature_count import count_of
from twolayer.model.networks.hermite_expansion import degree_for
from twolayer.model.random.streams import PublishedStream, Stream
from twolayer.simulation.one_step.gradient_step import Data, SecondLayer, draw_network, one_step_errors
from twolayer.storage.attributes import CONVERGED

_MODELS = ("network", "hermite")
_ERRORS = tuple(model + error for model in _MODELS for error in ("", "_training", "_misclassified"))
_VARIABLES = (*_ERRORS, CONVERGED)


def run(config: OneStepSweep) -> xr.Dataset:
    """Return errors on spiked data at every point."""

    def draw(point, stream):
        data = one_step_data.draw_data(one_step_data.data_at(config.data, point), stream, config.steps)
        return data.astype(np.float32 if config.precision == "single" else float)

    def degree_and_step(point, width):
        degree = point.get("degree", config.degree) or degree_for(one_step_data.data_at(config.data, point).beta)
        return degree, one_step_data.step_at(config, point, width)

    stream = PublishedStream(config.seed) if config.stream == "published" else None
    return errors_along(config, draw, degree_and_step, stream, config.steps.second_layer)


def errors_along(
    config: one_step_data.Sweep,
    draw: Callable[[Mapping, Stream], Data],
    degree_and_step: Callable[[Mapping, int], tuple[int, float]],
    stream: Stream | None = None,
    second_layer: SecondLayer = "normal",
) -> xr.Dataset:
    """Return errors at every point, for every activation and trial, and differences.

    Names without a suffix are errors on the test set.

    Args:
        draw: draws the data at a point of the axes. degree_and_step: l and eta at a point, for a network of a given
            width.
        stream: stream of all random numbers, by default an independent one for each draw of the data.
        second_layer: weights of the second layer in the gradient step.
    """
    axes = one_step_data.axes_of(config.axes)
    sizes = [*(len(values) for values in axes.values()), len(config.activations), config.seeds]
    values = unconverged(len(_VARIABLES), sizes)
    with sweep() as attempt:
        for data, numbers, point, trial in one_step_data.draws_along(
            axes, config.seeds, config.seed, draw, config.draws, stream
        ):
            place = [axis.index(point[name]) for name, axis in axes.items()]
            samples, dimension = data.train.inputs.shape
            width = count_of(point.get("width", config.width), samples, "width", "hidden unit")
            network = draw_network(numbers, width, dimension, data.trace, second_layer)
            with attempt(**point, seed=trial + 1):
                errors = _errors(config, data, network, *degree_and_step(point, width), numbers).T
                values[:-1, *place, :, trial], values[-1, *place, :, trial] = errors, 1.0
    dimensions = [*axes, "activation", "seed"]
    variables = {name: (dimensions, array) for name, array in zip(_VARIABLES, values, strict=True)}
    dataset = xr.Dataset(variables, one_step_data.labels_of(axes, config))
    if not np.isin(data.test.labels, (-1, 1)).all():  # the labels are not classes
        dataset = dataset.drop_vars([f"{model}_misclassified" for model in _MODELS])
    return dataset.assign(**_differences(dataset), input_dimension=dimension, samples=samples)


def _differences(dataset):
    """Add the differences of Hermite model and network of the same trial, and their ratio to the mean error."""
    difference = dataset.hermite - dataset.network
    return {
        "hermite_difference": difference,
        "hermite_training_difference": dataset.hermite_training - dataset.network_training,
        "hermite_gap": difference.mean("seed") / dataset.network.mean("seed"),
    }


def _errors(config, data, network, degree, step, stream):
    """Return errors (activations, errors) of one network and its Hermite model."""
    network = replace(network, F=network.F.astype(data.train.inputs.dtype))
    activations = list(one_step_data.activations_of(config).values())
    expansions = [one_step_data.expand(activation, data.scale, degree, config.nodes) for activation in activations]
    fit = {"expansions": expansions, "step": step, "ridge": config.ridge, "stream": stream}
    pairs = one_step_errors(data, network, activations, **fit)
    return np.array([[e for m in pair for e in (m.test_loss, m.training_loss, m.class_error)] for pair in pairs])

"""Errors of networks after one gradient step and of their Hermite models, along the axes of a sweep."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.config import OneStepSweep
from twolayer.experiments.one_step_data import axes_of, data_at, draw_data, expand, points_on, step_of
from twolayer.model.hermite import degree_for
from twolayer.model.pointwise import pointwise_named
from twolayer.model.streams import PublishedStream, Stream
from twolayer.progress import track
from twolayer.simulation.one_step import Data, draw_network, one_step_errors

_OF_THE_MODEL = ("width", "degree")  # axes that leave the data as they are
_ERRORS = ("network", "network_training", "hermite", "hermite_training")


def run(config: OneStepSweep) -> xr.Dataset:
    """Errors at every point, for every activation and trial, without a suffix on the test set; and differences."""
    axes = axes_of(config.axes)
    sizes = [*(len(values) for values in axes.values()), len(config.activations), config.trials]
    errors = np.full([len(_ERRORS), *sizes], np.nan)
    for data, stream, point, trial in _networks(config, axes):
        place = [values.index(point[name]) for name, values in axes.items()]
        errors[:, *place, :, trial] = _errors_at(config, point, data, stream).T
    dimensions = [*axes, "activation", "seed"]
    variables = {name: (dimensions, values) for name, values in zip(_ERRORS, errors, strict=True)}
    dataset = xr.Dataset(variables, coords={**axes, "activation": list(config.activations)})
    size = {"input_dimension": config.data.input_dimension, "samples": config.data.samples}
    return dataset.assign(**_differences(dataset), **size)


def _differences(dataset):
    """How the Hermite model differs from the network of the same trial, and by which part of its mean error."""
    difference = dataset.hermite - dataset.network
    return {
        "hermite_difference": difference,
        "hermite_training_difference": dataset.hermite_training - dataset.network_training,
        "hermite_gap": difference.mean("seed") / dataset.network.mean("seed"),
    }


def _networks(config: OneStepSweep, axes: Mapping) -> Iterator[tuple[Data, Stream, dict, int]]:
    """Every network of the sweep: its data, random numbers, point on the axes, and trial, in the published order."""
    of_data = points_on({name: values for name, values in axes.items() if name not in _OF_THE_MODEL})
    of_model = points_on({name: values for name, values in axes.items() if name in _OF_THE_MODEL})
    trials = [(trial,) for trial in range(config.trials)] if config.draws == "fresh" else [range(config.trials)]
    draws = list(itertools.product(of_data, trials))
    for (data_point, sharing), stream in zip(track(draws, "data sets"), _streams(config, len(draws)), strict=True):
        data = draw_data(data_at(config.data, data_point), stream)
        data = data.astype(np.float32) if config.precision == "single" else data
        for trial, model_point in itertools.product(sharing, of_model):
            yield data, stream, data_point | model_point, trial


def _streams(config, count):
    if config.stream == "published":
        return itertools.repeat(PublishedStream(config.seed), count)
    return (Stream(generator) for generator in np.random.default_rng(config.seed).spawn(count))


def _errors_at(config, point, data, stream):
    """(activations, errors) of one network and its Hermite model."""
    here = data_at(config.data, point)
    degree = point.get("degree", config.degree) or degree_for(here.beta)
    width = round(point.get("width", config.width) * config.data.samples)
    network = draw_network(stream, width, config.data.input_dimension, data.trace)
    network = replace(network, F=network.F.astype(data.train.inputs.dtype))
    activations = [pointwise_named(name) for name in config.activations]
    expansions = [expand(activation, data.scale, degree, config.nodes) for activation in activations]
    pairs = one_step_errors(data, network, activations, expansions, step_of(here), config.ridge, stream)
    return np.array([[e for model in pair for e in (model.generalization, model.training)] for pair in pairs])

"""Errors of networks after one gradient step and of their Hermite models, along the axes of a sweep."""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace

import numpy as np
import xarray as xr

from twolayer.config import OneStepSweep, SpikedData
from twolayer.model.hermite import converged_expansion, degree_for, hermite_expansion
from twolayer.model.pointwise import pointwise_named
from twolayer.model.spiked_mixtures import (
    Samples,
    aligned_teacher,
    classification_labels,
    component_sizes,
    draw_inputs,
    draw_mixture,
    random_teacher,
    regression_labels,
)
from twolayer.model.streams import PublishedStream, Stream
from twolayer.progress import track
from twolayer.simulation.one_step import Data, draw_network, one_step_errors

_OF_THE_MODEL = ("width", "degree")  # axes that leave the data as they are
_ERRORS = ("network", "network_training", "hermite", "hermite_training")
_TEST_SAMPLES = 5  # times as many as for training


def run(config: OneStepSweep) -> xr.Dataset:
    """Errors at every point, for every activation and trial; without a suffix, on the test set."""
    axes = {name: list(values) for name, values in asdict(config.axes).items() if values}
    sizes = [*(len(values) for values in axes.values()), len(config.activations), config.trials]
    errors = np.full([len(_ERRORS), *sizes], np.nan)
    for data, stream, point, trial in _networks(config, axes):
        place = [values.index(point[name]) for name, values in axes.items()]
        errors[:, *place, :, trial] = _errors_at(config, point, data, stream).T
    dimensions = [*axes, "activation", "seed"]
    variables = {name: (dimensions, values) for name, values in zip(_ERRORS, errors, strict=True)}
    return xr.Dataset(variables, coords={**axes, "activation": list(config.activations)})


def _networks(config: OneStepSweep, axes: Mapping) -> Iterator[tuple[Data, Stream, dict, int]]:
    """Every network of the sweep: its data, random numbers, point on the axes, and trial, in the published order."""
    of_data = _points({name: values for name, values in axes.items() if name not in _OF_THE_MODEL})
    of_model = _points({name: values for name, values in axes.items() if name in _OF_THE_MODEL})
    trials = [(trial,) for trial in range(config.trials)] if config.draws == "fresh" else [range(config.trials)]
    draws = list(itertools.product(of_data, trials))
    for (data_point, sharing), stream in zip(track(draws, "data sets"), _streams(config, len(draws)), strict=True):
        data = draw_data(data_at(config.data, data_point), stream)
        data = data.astype(np.float32) if config.precision == "single" else data
        for trial, model_point in itertools.product(sharing, of_model):
            yield data, stream, data_point | model_point, trial


def _points(axes):
    """All points of the axes, {name: values} -> [{name: value}]."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _streams(config, count):
    if config.stream == "published":
        return itertools.repeat(PublishedStream(config.seed), count)
    return (Stream(generator) for generator in np.random.default_rng(config.seed).spawn(count))


def data_at(data: SpikedData, point: Mapping) -> SpikedData:
    """The data at a point of a sweep."""
    components = len(data.ratios)
    changes = {
        "alpha": lambda value: {"alpha": value},
        "beta": lambda value: {"beta": value},
        "alignment": lambda value: {"alignments": (value,) * (components - 1)},
        "ratio": lambda value: {"ratios": (value, 1 - value)},
        "rank": lambda value: {"ranks": (value,) * components},
    }
    return replace(data, **{key: new for name, value in point.items() for key, new in changes[name](value).items()})


def draw_data(data: SpikedData, stream: Stream) -> Data:
    """The three data sets of a mixture, drawn with it."""
    spike = data.input_dimension ** (data.beta * (1 - data.alpha))
    mixture = draw_mixture(
        stream, data.input_dimension, spike, data.ranks, data.alignments, data.ratios, data.random_spikes
    )
    teacher = random_teacher(stream, mixture) if data.teacher == "random" else aligned_teacher(mixture)
    label = regression_labels(teacher) if data.labels == "regression" else classification_labels

    def samples(size):
        inputs = draw_inputs(stream, mixture, size)
        labels = label(inputs, component_sizes(mixture, size))
        if data.labels == "regression":
            stream.after_labels(size)
        return Samples(inputs, labels)

    sets = [samples(size) for size in (data.samples, data.samples, _TEST_SAMPLES * data.samples)]
    return Data(*sets, mixture.trace, math.sqrt(data.input_dimension / mixture.trace))


def _errors_at(config, point, data, stream):
    """(activations, errors) of one network and its Hermite model."""
    exponents = data_at(config.data, {name: value for name, value in point.items() if name not in _OF_THE_MODEL})
    step = config.data.input_dimension ** (exponents.beta * exponents.alpha)
    degree = point.get("degree", config.degree) or degree_for(exponents.beta)
    width = round(point.get("width", config.width) * config.data.samples)
    network = draw_network(stream, width, config.data.input_dimension, data.trace)
    network = replace(network, F=network.F.astype(data.train.inputs.dtype))
    activations = [pointwise_named(name) for name in config.activations]
    expansions = [_expansion(config, activation, data.scale, degree) for activation in activations]
    pairs = one_step_errors(data, network, activations, expansions, step, config.ridge, stream)
    return np.array([[e for model in pair for e in (model.generalization, model.training)] for pair in pairs])


def _expansion(config, activation, scale, degree):
    if config.nodes is None:
        return converged_expansion(activation.value, scale, degree)[0]
    return hermite_expansion(activation.value, scale, degree, config.nodes)

"""Spiked data along the axes of a sweep: which points there are, and what is drawn at each."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import asdict, replace

from twolayer.experiments.one_step.parameters import Axes, SpikedData
from twolayer.model.activations import Activation
from twolayer.model.hermite import HermiteExpansion, converged_expansion, hermite_expansion
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
from twolayer.model.streams import Stream
from twolayer.simulation.one_step import Data

TEST_SAMPLES = 5  # times as many as for training


def axes_of(axes: Axes) -> dict[str, list[float]]:
    """The axes that are swept, {name: values}."""
    return {name: list(values) for name, values in asdict(axes).items() if values}


def points_on(axes):
    """All points of the axes: {name: values} -> [{name: value}]."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def data_at(data: SpikedData, point: Mapping) -> SpikedData:
    """The data at a point of a sweep, whose other axes are left to the model."""
    components = len(data.ratios)
    changes = {
        "alpha": lambda value: {"alpha": value},
        "beta": lambda value: {"beta": value},
        "alignment": lambda value: {"alignments": (value,) * (components - 1)},
        "ratio": lambda value: {"ratios": (value, 1 - value)},
        "rank": lambda value: {"ranks": (value,) * components},
    }
    return replace(data, **{k: v for name in changes.keys() & point for k, v in changes[name](point[name]).items()})


def draw_data(data: SpikedData, stream: Stream) -> Data:
    """The three data sets of a mixture, drawn with it."""
    mixture = draw_mixture(
        stream, data.input_dimension, spike_of(data), data.ranks, data.alignments, data.ratios, data.random_spikes
    )
    teacher = random_teacher(stream, mixture) if data.teacher == "random" else aligned_teacher(mixture)
    label = regression_labels(teacher) if data.labels == "regression" else classification_labels

    def samples(size):
        inputs = draw_inputs(stream, mixture, size)
        labels = label(inputs, component_sizes(mixture, size))
        if data.labels == "regression":
            stream.after_labels(size)
        return Samples(inputs, labels)

    sets = [samples(size) for size in (data.samples, data.samples, TEST_SAMPLES * data.samples)]
    return Data(*sets, mixture.trace, math.sqrt(data.input_dimension / mixture.trace))


def spike_of(data: SpikedData) -> float:
    """theta, the size of a spike."""
    return data.input_dimension ** (data.beta * (1 - data.alpha))


def step_of(data: SpikedData) -> float:
    """eta, the size of the gradient step."""
    return data.input_dimension ** (data.beta * data.alpha)


def expand(activation: Activation, scale: float, degree: int, nodes: int | None) -> HermiteExpansion:
    """The Hermite expansion of an activation, by as many nodes as it takes where their number is not given."""
    if nodes is None:
        return converged_expansion(activation.value, scale, degree)[0]
    return hermite_expansion(activation.value, scale, degree, nodes)

"""Spiked data along the axes of a sweep: the points, and the random draws at each point."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal, Protocol, TypeVar

import numpy as np

from twolayer.experiments.one_step.parameters import (
    ONE_STEP,
    GradientSteps,
    OneStepSweep,
    OneStepTheory,
    SpikedData,
    Swept,
)
from twolayer.model.mixtures.spiked_mixtures import (
    LabelledMixture,
    Samples,
    aligned_teacher,
    draw_mixture,
    random_teacher,
)
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.networks.hermite_expansion import HermiteExpansion, converged_expansion, hermite_expansion
from twolayer.model.random.streams import SingleStream, Stream
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.parameters import recorded_name
from twolayer.progress import track
from twolayer.simulation.one_step.gradient_step import Data

TEST_SAMPLES = 5  # number of test samples per training sample
_OF_THE_MODEL = ("width", "degree", "step_exponent", "step_per_unit")  # axes that do not change the data

Drawn = TypeVar("Drawn")


class HasActivations(Protocol):
    """A task for several activations."""

    activations: Sequence[ActivationLike]


class HasTrials(HasActivations, Protocol):
    """A task for several activations, with several trials."""

    seeds: int


class Sweep(HasTrials, Protocol):
    """A task of networks and their Hermite models along axes, on data of any source."""

    axes: Swept
    seed: int
    draws: Literal["fresh", "shared"]
    width: float
    ridge: float
    nodes: int | None


def activations_of(config: HasActivations) -> dict[str, Activation]:
    """Return the activations of a sweep by their names in its result."""
    return {recorded_name(given): as_activation(given) for given in config.activations}


def axes_of(axes: Swept) -> dict[str, list[float]]:
    """Return the swept axes, {name: values}."""
    return {name: list(values) for name, values in asdict(axes).items() if values}


def points_on(axes):
    """Return all points of the axes: {name: values} -> [{name: value}]."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def labels_of(axes: Mapping, config: HasTrials) -> dict[str, list]:
    """Return labels of all dimensions of a result."""
    return {**axes, "activation": list(activations_of(config)), "seed": list(range(1, config.seeds + 1))}


def draws_along(
    axes: Mapping[str, Sequence[float]],
    trials: int,
    seed: int,
    draw: Callable[[Mapping, Stream], Drawn],
    draws: Literal["fresh", "shared"] = "fresh",
    stream: Stream | None = None,
) -> Iterator[tuple[Drawn, Stream, dict, int]]:
    """Yield every draw along the axes: data, random numbers, point and trial, in the published order.

    With the same seed, trials and axes that change the data, the same data are drawn, and the same networks at the same
    points, for every use.

    Args:
        draw: draws the data at a point of the axes that change the data, for every trial or once for all.
        stream: stream of all random numbers, by default an independent one for each draw.
    """
    of_data = points_on({name: values for name, values in axes.items() if name not in _OF_THE_MODEL})
    of_model = points_on({name: values for name, values in axes.items() if name in _OF_THE_MODEL})
    sharing = [(trial,) for trial in range(trials)] if draws == "fresh" else [range(trials)]
    work = list(itertools.product(of_data, sharing))
    streams = _independent(seed, len(work)) if stream is None else itertools.repeat(stream, len(work))
    for (data_point, numbered), numbers in zip(track(work, "draws"), streams, strict=True):
        drawn = draw(data_point, numbers)
        for trial, model_point in itertools.product(numbered, of_model):
            yield drawn, numbers.child(trial, *model_point.values()), data_point | model_point, trial


def _independent(seed, count):
    return (SingleStream(generator) for generator in np.random.default_rng(seed).spawn(count))


def data_at(data: SpikedData, point: Mapping) -> SpikedData:
    """Return the data at a point of a sweep, whose other axes belong to the model."""
    components = len(data.ratios)
    changes = {
        "alpha": lambda value: {"alpha": value},
        "beta": lambda value: {"beta": value},
        "alignment": lambda value: {"alignments": (value,) * (components - 1)},
        "ratio": lambda value: {"ratios": (value, 1 - value)},
        "rank": lambda value: {"ranks": (value,) * components},
    }
    return replace(data, **{k: v for name in changes.keys() & point for k, v in changes[name](point[name]).items()})


def draw_distribution(data: SpikedData, stream: Stream) -> LabelledMixture:
    """Return a mixture, with a teacher if the labels need one."""
    mixture = draw_mixture(
        stream, data.input_dimension, spike_of(data), data.ranks, data.alignments, data.ratios, data.random_spikes
    )
    if data.teacher == "aligned":
        teacher = aligned_teacher(mixture)
    else:
        teacher = random_teacher(stream, mixture, data.teacher_directions)
    teacher = teacher if data.labels == "regression" else None
    return LabelledMixture(mixture, teacher, data.label_noise, label_function(data))


def label_function(data: SpikedData) -> LabelFunction:
    """Return the teacher's function."""
    return LabelFunction.of(data.teacher_function, data.teacher_directions)


def has_classes(data: SpikedData) -> bool:
    """Return whether theories give a class error: of components, or of the sign of a field of isotropic inputs."""
    sign = (data.teacher_function, data.teacher_directions, data.label_noise) == ("sign", 1, 0)
    return data.labels == "classification" or (data.isotropic and sign)


def draw_batches(
    data: SpikedData, distribution: LabelledMixture, stream: Stream, steps: GradientSteps
) -> list[Samples]:
    """Return the samples of each gradient step."""
    draws = steps.count if steps.batches == "fresh" else 1
    batches = [distribution.sample(stream, data.step_samples or data.samples) for _ in range(draws)]
    return batches * (steps.count // draws)


def draw_data(data: SpikedData, stream: Stream, steps: GradientSteps = ONE_STEP) -> Data:
    """Return the data sets of a distribution, which is also drawn here."""
    distribution = draw_distribution(data, stream)
    first, *further = draw_batches(data, distribution, stream, steps)
    train, test = (distribution.sample(stream, size) for size in (data.samples, TEST_SAMPLES * data.samples))
    mixture = distribution.mixture
    scale = math.sqrt(data.input_dimension / mixture.trace)
    return Data(first, train, test, mixture.trace, scale, tuple(further))


def spike_of(data: SpikedData) -> float:
    """Return theta, the size of a spike."""
    return data.input_dimension ** (data.beta * (1 - data.alpha))


def step_of(data: SpikedData) -> float:
    """Return eta, the size of the gradient step."""
    return data.input_dimension ** (data.beta * data.alpha)


def step_at(config: OneStepSweep | OneStepTheory, point: Mapping, width: int) -> float:
    """Return eta at a point of a sweep, for a network of a given width."""
    per_unit = point.get("step_per_unit", config.steps.per_unit)
    return step_of(data_at(config.data, point)) if per_unit is None else per_unit * width


def expand(activation: Activation, scale: float, degree: int, nodes: int | None) -> HermiteExpansion:
    """Return the Hermite expansion of an activation, by default with as many nodes as it needs."""
    if nodes is None:
        return converged_expansion(activation.value, scale, degree)[0]
    return hermite_expansion(activation.value, scale, degree, nodes)

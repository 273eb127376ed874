"""Theory of the errors after one gradient step, of each drawn first layer, along the axes of a sweep."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.one_step.one_step_data import (
    activations_of,
    axes_of,
    data_at,
    draw_law,
    draws_along,
    labels_of,
    step_of,
)
from twolayer.experiments.one_step.parameters import OneStepTheory
from twolayer.model.spiked_mixtures import Samples
from twolayer.simulation.one_step import draw_network, gradient_steps
from twolayer.theory.conditional_equivalent import conditional_errors


def run(config: OneStepTheory) -> xr.Dataset:
    """Errors at every point, for every activation and trial."""
    axes, size = axes_of(config.axes), config.data.samples

    def draw(point, stream):
        law = draw_law(data_at(config.data, point), stream)
        data = law.sample(stream, size)
        return law, Samples(data.inputs.astype(np.float32), data.labels.astype(np.float32))

    degrees = axes.get("degree", [config.degree])
    drawn_along = {name: values for name, values in axes.items() if name != "degree"}
    sizes = [*(len(values) for values in drawn_along.values()), len(degrees), len(config.activations), config.trials]
    errors = np.full([2, *sizes], np.nan)
    for drawn, numbers, point, trial in draws_along(drawn_along, config.trials, config.seed, draw):
        place = [values.index(point[name]) for name, values in drawn_along.items()]
        errors[:, *place, ..., trial] = _errors_at(config, point, *drawn, degrees, numbers)
    coordinates = labels_of(drawn_along | {"degree": degrees}, config.activations, config.trials)
    variables = {
        name: ([*coordinates], values) for name, values in zip(("theory", "theory_training"), errors, strict=True)
    }
    dataset = xr.Dataset(variables, coordinates).squeeze([] if "degree" in axes else "degree", drop=True)
    return dataset.assign(input_dimension=config.data.input_dimension, samples=size)


def _errors_at(config, point, law, data, degrees, stream):
    """(errors, degrees, activations) of one first layer for each activation; its step is taken in single precision."""
    width, n = round(point.get("width", config.width) * config.data.samples), law.mixture.dimension
    network = draw_network(stream, width, n, law.mixture.trace)
    network = replace(network, F=network.F.astype(np.float32))
    activations = activations_of(config)
    moved = gradient_steps(network, data, activations, step_of(data_at(config.data, point)))
    errors = [
        [
            conditional_errors(law, F.astype(float), activation.value, config.data.samples, config.ridge, degree)
            for degree in degrees
        ]
        for F, activation in zip(moved, activations, strict=True)
    ]
    return np.array([[[e.generalization, e.training] for e in row] for row in errors]).T

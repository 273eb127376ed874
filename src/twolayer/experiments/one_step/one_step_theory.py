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
    expand,
    labels_of,
    step_of,
)
from twolayer.experiments.one_step.parameters import OneStepTheory
from twolayer.model.hermite import degree_for
from twolayer.model.spiked_mixtures import Samples
from twolayer.simulation.one_step import draw_network, gradient_steps
from twolayer.theory.conditional_equivalent import components, conditional_errors

_ERRORS = ("theory", "theory_training", "hermite_theory", "hermite_theory_training")


def run(config: OneStepTheory) -> xr.Dataset:
    """Errors at every point, for every activation and trial."""
    axes, size = axes_of(config.axes), config.data.samples

    def draw(point, stream):
        law = draw_law(data_at(config.data, point), stream)
        data = law.sample(stream, size)
        return law, Samples(data.inputs.astype(np.float32), data.labels.astype(np.float32))

    degrees = axes.get("degree", [None])
    names = _ERRORS if config.hermite else _ERRORS[:2]
    along = {name: values for name, values in axes.items() if name != "degree"}  # degrees share the first layers
    sizes = [*(len(values) for values in along.values()), len(degrees), len(config.activations), config.seeds]
    errors = np.full([len(names), *sizes], np.nan)
    for drawn, numbers, point, trial in draws_along(along, config.seeds, config.seed, draw):
        place = [values.index(point[name]) for name, values in along.items()]
        errors[:, *place, ..., trial] = _errors_at(config, point, *drawn, degrees, numbers)
    coordinates = labels_of(along | {"degree": degrees}, config.activations, config.seeds)
    variables = {name: ([*coordinates], values) for name, values in zip(names, errors, strict=True)}
    dataset = xr.Dataset(variables, coordinates).squeeze([] if "degree" in axes else "degree", drop=True)
    return dataset.assign(input_dimension=config.data.input_dimension, samples=size)


def _errors_at(config, point, law, data, degrees, stream):
    """(errors, degrees, activations) of one first layer for each activation; its step is taken in single precision."""
    width, n = round(point.get("width", config.width) * config.data.samples), law.mixture.dimension
    network, here = draw_network(stream, width, n, law.mixture.trace), data_at(config.data, point)
    network = replace(network, F=network.F.astype(np.float32))
    activations = activations_of(config)
    rows = []
    for F, activation in zip(gradient_steps(network, data, activations, step=step_of(here)), activations, strict=True):
        parts, asked = list(components(law, F.astype(float))), config.degree or degree_for(here.beta)
        rows.append([_models(config, law, parts, activation, degree, degree or asked) for degree in degrees])
    return np.array(rows).T


def _models(config, law, parts, activation, degree, hermite_degree):
    """Errors of the network, with its series up to a degree, and of the Hermite model."""
    size, noise = (config.data.samples, config.ridge), law.noise
    errors = [conditional_errors(parts, activation.value, *size, degree=degree, label_noise=noise)]
    if config.hermite:
        scale = np.sqrt(law.mixture.dimension / law.mixture.trace)
        expansion = expand(activation, scale, hermite_degree, config.nodes)
        errors.append(conditional_errors(parts, expansion, *size, feature_noise=expansion.rest, label_noise=noise))
    return [error for model in errors for error in (model.generalization, model.training)]

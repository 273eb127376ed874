"""Shape of the output of networks after one gradient step, for given components of the input along the structure."""

from itertools import product

import numpy as np
import xarray as xr

from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.parameters import ConditionalOutputs, SpikedData
from twolayer.model.mixtures.spiked_mixtures import draw_inputs
from twolayer.model.random.streams import SingleStream
from twolayer.progress import track
from twolayer.simulation.one_step.conditional_outputs import (
    FittedNetwork,
    bulk_and_all_correlations,
    conditional_moments,
    shape,
)
from twolayer.simulation.one_step.gradient_step import draw_network, gradient_steps, ridge_readout
from twolayer.theory.one_step.class_error import strong_axes

_NAMES = (
    "bulk_variance",
    "bulk_correlation",
    "field_correlation",
    "conditional_skewness",
    "conditional_kurtosis",
    "output_skewness",
    "output_kurtosis",
)


def run(config: ConditionalOutputs) -> xr.Dataset:
    """Return the shapes of all networks."""
    work = list(product(config.sizes, range(config.seeds)))
    streams = np.random.default_rng(config.seed).spawn(len(work))
    rows = [
        _draw(config, size, SingleStream(stream))
        for (size, _), stream in zip(track(work, "draws"), streams, strict=True)
    ]
    sizes = len(config.sizes), config.seeds, len(config.activations), len(_NAMES)
    values = np.reshape(rows, sizes).transpose(3, 0, 2, 1)
    coordinates = {
        "dimension": list(config.sizes),
        "activation": list(one_step_data.activations_of(config)),
        "seed": np.arange(1, config.seeds + 1),
    }
    variables = {name: ([*coordinates], part) for name, part in zip(_NAMES, values, strict=True)}
    return xr.Dataset(variables, coordinates)


def _draw(config, size, stream):
    """Return the shapes (activations, names) of one network for each activation, on one draw of the data."""
    data = SpikedData(input_dimension=size, samples=size, beta=config.beta, alpha=config.alpha, teacher="aligned")
    distribution = one_step_data.draw_distribution(data, stream)
    mixture = distribution.mixture
    first, train = (distribution.sample(stream, size) for _ in range(2))
    network = draw_network(stream, size, size, mixture.trace)
    activations = list(one_step_data.activations_of(config).values())
    rows = []
    for F, activation in zip(
        gradient_steps(network, first, activations, step=one_step_data.step_of(data)), activations, strict=True
    ):
        axes = strong_axes(mixture.frames, F - network.F)
        features = activation.value(train.inputs @ F.T)
        fitted = FittedNetwork(F, ridge_readout(features, train.labels, config.penalty * size), activation)
        variance, *correlations = bulk_and_all_correlations(mixture, F.astype(float), axes)
        skewness, kurtosis = conditional_moments(stream, mixture, fitted, axes, config.structures, config.samples)
        whole = shape(fitted.outputs(draw_inputs(stream, mixture, config.structures * config.samples)))
        start = size / (size + one_step_data.spike_of(data))
        rows.append([variance / start, *correlations, np.sqrt(np.mean(skewness**2)), kurtosis.mean(), *whole])
    return rows

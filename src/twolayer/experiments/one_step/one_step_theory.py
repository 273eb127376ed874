"""Theory of the errors after one gradient step, of each drawn first layer, along the axes of a sweep."""

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import xarray as xr

from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.parameters import OneStepTheory
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.mixtures.spiked_mixtures import LabelledMixture
from twolayer.model.networks.feature_count import count_of
from twolayer.model.networks.hermite_expansion import degree_for
from twolayer.simulation.one_step.gradient_step import draw_network, gradient_steps
from twolayer.storage.attributes import CONVERGED
from twolayer.theory.one_step.class_error import class_error, spiked_clusters, strong_axes
from twolayer.theory.one_step.conditional_equivalent import components, conditional_fit
from twolayer.theory.one_step.giant_step import MOST_SPIKES, drawn_layer_outputs, spike_directions

_ERRORS, _CLASSES = ("theory", "theory_training"), ("theory_misclassified",)
_HERMITE = ("hermite_theory", "hermite_theory_training")


def run(config: OneStepTheory) -> xr.Dataset:
    """Return errors at every point, for every activation and trial."""
    axes, size = one_step_data.axes_of(config.axes), config.data.samples

    def draw(point, stream):
        here = one_step_data.data_at(config.data, point)
        distribution = one_step_data.draw_distribution(here, stream)
        batches = one_step_data.draw_batches(here, distribution, stream, config.steps)
        return distribution, [batch.astype(np.float32) for batch in batches]

    degrees = axes.get("degree", [None])
    names = [*_ERRORS, *_CLASSES * one_step_data.has_classes(config.data), *_HERMITE * config.hermite, CONVERGED]
    along = {name: values for name, values in axes.items() if name != "degree"}  # all degrees share the first layers
    sizes = [*(len(values) for values in along.values()), len(degrees), len(config.activations), config.seeds]
    values = unconverged(len(names), sizes)
    with sweep() as attempt:
        for drawn, numbers, point, trial in one_step_data.draws_along(along, config.seeds, config.seed, draw):
            place = [axis.index(point[name]) for name, axis in along.items()]
            _fill(
                values[:, *place, ..., trial], config, point, *drawn, degrees, numbers, partial(attempt, seed=trial + 1)
            )
    coordinates = one_step_data.labels_of(along | {"degree": degrees}, config)
    variables = {name: ([*coordinates], array) for name, array in zip(names, values, strict=True)}
    dataset = xr.Dataset(variables, coordinates).squeeze([] if "degree" in axes else "degree", drop=True)
    return dataset.assign(input_dimension=config.data.input_dimension, samples=size)


def _fill(values, config, point, distribution, batches, degrees, stream, attempt):
    """Fill variables (variables, degrees, activations) of one first layer for each activation, in single precision."""
    width = count_of(point.get("width", config.width), config.data.samples, "width", "hidden unit")
    mixture, (first, *further) = distribution.mixture, batches
    network = draw_network(stream, width, mixture.dimension, mixture.trace, config.steps.second_layer)
    network = replace(network, F=network.F.astype(np.float32))
    names, activations = zip(*one_step_data.activations_of(config).items(), strict=True)
    asked = config.degree or degree_for(one_step_data.data_at(config.data, point).beta)
    step = one_step_data.step_at(config, point, width)
    layers = gradient_steps(network, first, activations, step=step, further=further)
    for number, (F, name, activation) in enumerate(zip(layers, names, activations, strict=True)):
        problem = _Problem(config, distribution, network.F, F)
        for row, degree in enumerate(degrees):
            with attempt(**point, activation=name):
                values[:, row, number] = [*problem.errors(activation, degree, degree or asked), 1.0]


@dataclass(frozen=True, eq=False)
class _Problem:
    """Fits of a second layer to the features of a first layer after a step."""

    config: OneStepTheory
    distribution: LabelledMixture
    start: np.ndarray
    first_layer: np.ndarray

    @cached_property
    def parts(self):
        return list(components(self.distribution, self.first_layer))

    @cached_property
    def classes(self):
        """Return components and weights along the strong axes, and the covariance of the fields orthogonal to them."""
        steps = min(self.config.steps.count, MOST_SPIKES)
        axes = strong_axes(self.distribution.mixture.frames, self.first_layer - self.start, steps)
        along = self.first_layer @ axes
        return spiked_clusters(self.distribution, axes), along, self.first_layer @ self.first_layer.T - along @ along.T

    def errors(self, activation, degree, hermite_degree):
        """Return errors of the network, with its series up to a degree, and of the Hermite model."""
        errors = self._giant(activation) if self.config.data.isotropic else self._conditional(activation, degree)
        if self.config.hermite:
            scale = np.sqrt(self.distribution.mixture.dimension / self.distribution.mixture.trace)
            expansion = one_step_data.expand(activation, scale, hermite_degree, self.config.nodes)
            model = self._fit(expansion, feature_noise=expansion.rest).errors
            errors += [model.test_loss, model.training_loss]
        return errors

    def _giant(self, activation):
        """Return errors on isotropic inputs."""
        config, first_layer = self.config, self.first_layer.astype(float)
        outputs = drawn_layer_outputs(
            first_layer,
            spike_directions(first_layer - self.start, min(config.steps.count, MOST_SPIKES)),
            activation,
            self.distribution.function,
            self.distribution.directions,
            samples=config.data.samples,
            penalty=config.ridge * config.data.samples,
            label_noise=self.distribution.noise,
        )
        classes = [outputs.class_error] if one_step_data.has_classes(config.data) else []
        return [outputs.losses.test_loss, outputs.losses.training_loss, *classes]

    def _conditional(self, activation, degree):
        """Return errors on spiked inputs, with the series of the activation up to a degree."""
        fit = self._fit(activation.value, degree=degree)
        errors = [fit.errors.test_loss, fit.errors.training_loss]
        if self.distribution.teacher is None:
            errors.append(class_error(*self.classes, activation, fit.second_layer()))
        return errors

    def _fit(self, function, **features):
        size, noise = (self.config.data.samples, self.config.ridge), self.distribution.noise
        return conditional_fit(self.parts, function, *size, label_noise=noise, **features)

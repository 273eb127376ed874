"""Theory of the errors after one gradient step on generated images, from sampled moments of their features."""

from dataclasses import replace

import numpy as np
import xarray as xr
from scipy.special import ndtr

from twolayer.experiments.generated_images.image_samples import image_source
from twolayer.experiments.generated_images.parameters import ImageTheory
from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.networks.feature_count import count_of
from twolayer.simulation.one_step.gradient_step import draw_network, gradient_steps
from twolayer.theory.numerics.spectral_measure import spectral_measure
from twolayer.theory.replica.finite_data_sets import subset_outputs, subset_ridge
from twolayer.theory.replica.replica_equations import Spectrum

_VARIABLES = ("theory", "theory_training", "theory_misclassified", "converged")


def run(config: ImageTheory, generator: xr.Dataset, statistics: xr.Dataset) -> xr.Dataset:
    """Return errors at every point, for every activation and trial."""
    samples, dimension = image_source(config, generator, statistics), statistics.sizes["pixel"]
    axes = one_step_data.axes_of(config.axes)

    def draw(_, stream):
        gradient, train, test = (samples(size * config.samples, stream) for size in (1, 1, one_step_data.TEST_SAMPLES))
        more = config.images - len(train.labels) - len(test.labels)
        parts = [train, test, *([samples(more, stream)] if more > 0 else [])]
        seen = Samples(*(np.concatenate(each) for each in zip(*map(_arrays, parts), strict=True)))
        return [Samples(part.inputs.astype(np.float32), part.labels) for part in (gradient, seen)]

    sizes = [*(len(values) for values in axes.values()), len(config.activations), config.seeds]
    values = unconverged(len(_VARIABLES), sizes)
    with sweep() as attempt:
        for (gradient, images), numbers, point, trial in one_step_data.draws_along(
            axes, config.seeds, config.seed, draw
        ):
            width = count_of(point.get("width", config.width), config.samples, "width", "hidden unit")
            trace = 2 * dimension  # images and noise have a variance of n each
            network = draw_network(numbers, width, dimension, trace)
            network = replace(network, F=network.F.astype(np.float32))
            step = dimension ** point.get("step_exponent", config.step_exponent)
            place = [axis.index(point[name]) for name, axis in axes.items()]
            names, activations = zip(*one_step_data.activations_of(config).items(), strict=True)
            for number, (name, activation, first_layer) in enumerate(
                zip(names, activations, gradient_steps(network, gradient, activations, step=step), strict=True)
            ):
                with attempt(**point, activation=name, seed=trial + 1):
                    errors = _errors_by_moments(config, activation, first_layer, images)
                    values[:, *place, number, trial] = [*errors, 1.0]
    coordinates = one_step_data.labels_of(axes, config)
    variables = {name: ([*coordinates], array) for name, array in zip(_VARIABLES, values, strict=True)}
    return xr.Dataset(variables, coordinates).assign(input_dimension=dimension, samples=config.samples)


def _arrays(samples):
    return samples.inputs, samples.labels


def _errors_by_moments(config, activation, first_layer, images):
    """Return (generalization, training, class) errors of a second layer on these features, of fields in single
    precision.
    """
    features, labels, size = activation.value(images.inputs @ first_layer.T), images.labels, len(images.labels)
    features = features.astype(float)
    modes = spectral_measure(features.T @ features / size, labels @ features / size)
    spectrum = Spectrum.of_modes(np.mean(labels**2), *modes)
    errors = subset_ridge(spectrum, config.samples, config.ridge * config.samples, size)
    outputs, variance = subset_outputs(features, labels, spectrum, config.samples, config.ridge * config.samples)
    return errors.test_loss, errors.training_loss, np.mean(ndtr(-labels * outputs / np.sqrt(variance)))

"""Random features of real images, as covariates. A set of images is the whole distribution."""

import math
from pathlib import Path

import numpy as np
import xarray as xr

from twolayer.experiments.feature_covariances.parameters import ImageFeatureCovariances
from twolayer.model.data.images import TITLES, cluster_labels, grey_images, load
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.input_features import InputFeatures, unit_fields
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import initial_network
from twolayer.results.feature_covariances import samples_to_dataset
from twolayer.simulation.mixtures.data_set_sgd import data_set_sgd
from twolayer.simulation.teacher_student.moments import sampled_covariances
from twolayer.theory.mixtures.random_features import random_projection

_UNITS, _EPOCHS = 8, 10  # hidden units of a teacher network, and epochs of its training
_RATE = Learning(learning_rate=0.5)


def run(config: ImageFeatureCovariances, images: Path) -> xr.Dataset:
    """Return the covariances over all images, and field and features of each."""
    pixels, classes = load(images, config.dataset, "train")
    inputs, rng = grey_images(pixels), np.random.default_rng(config.seed)
    projection = unit_fields(random_projection(rng, inputs.shape[1], config.features), inputs)
    features = InputFeatures(projection, inputs.mean(axis=0), as_activation(config.activation))(inputs)
    seen, teacher = inputs - inputs.mean(axis=0), rng.standard_normal(inputs.shape[1])
    if config.labels != "pixels":
        labels = np.sign(seen @ teacher) if config.labels == "signs" else cluster_labels(config.dataset)[classes]
        if config.labels == "network":
            labels = _outputs_of_trained_network(seen / seen.std(), labels, rng)
        seen, teacher = (labels - labels.mean())[:, None], np.ones(1)
    feature_covariances, mean = sampled_covariances([(seen, features)], teacher, config.features)
    field = seen @ teacher / math.sqrt(teacher.size)
    dataset = samples_to_dataset(feature_covariances, field, features - mean)
    return dataset.assign_attrs(distribution=f"{len(inputs):,} grey images of {TITLES[config.dataset]}")


def _outputs_of_trained_network(inputs, classes, rng):
    """Return the outputs (n,) of a two-layer network of erf units after a training on classes of -1 and 1."""
    N = inputs.shape[1]
    start = initial_network(rng, "erf", hidden_units=_UNITS, dimension=N, scale=0.1)
    order = np.concatenate([rng.permutation(len(inputs)) for _ in range(_EPOCHS)])
    samples = inputs[order], classes[order].astype(float)
    network = data_set_sgd(samples, samples, start, _RATE, times=np.array([len(order) / N])).end
    return network.activation.value(inputs @ network.W.T / math.sqrt(N)) @ network.v

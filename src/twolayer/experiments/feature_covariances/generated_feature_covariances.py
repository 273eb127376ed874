"""Random features of generated inputs, as covariates with sampled covariances."""

import numpy as np
import xarray as xr

from twolayer.experiments.feature_covariances.parameters import GeneratedFeatureCovariances
from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.input_features import InputFeatures, unit_fields
from twolayer.progress import track
from twolayer.results.feature_covariances import generated_features_to_dataset
from twolayer.results.generator import latent_generator
from twolayer.results.network import weights_digest
from twolayer.simulation.teacher_student.moments import sampled_covariances
from twolayer.simulation.teacher_student.winograd_convolution import fastest
from twolayer.theory.mixtures.random_features import random_projection

_FIRST = 1000  # number of inputs for the mean and the variance, which centre and scale the fields


def run(config: GeneratedFeatureCovariances, generator: xr.Dataset | LatentGenerator) -> xr.Dataset:
    """Return the covariances, with the projection and a teacher, both drawn at random."""
    network, rng = fastest(latent_generator(generator)), np.random.default_rng(config.seed)
    inputs = np.concatenate([x for _, x in sampled_batches(network, _FIRST, rng)])
    projection = unit_fields(random_projection(rng, network.output_size, config.features), inputs)
    features = InputFeatures(projection, inputs.mean(axis=0), as_activation(config.activation))
    teacher = rng.standard_normal(network.latent_size)
    batches = track(sampled_batches(network, config.samples, rng), "batches")
    feature_covariances, mean = sampled_covariances(((c, features(x)) for c, x in batches), teacher, config.features)
    dataset = generated_features_to_dataset(
        feature_covariances, projection, mean, config.activation, features.input_mean
    )
    return dataset.assign_attrs(generator=weights_digest(generator))

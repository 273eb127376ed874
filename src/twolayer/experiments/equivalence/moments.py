"""Moments of generated inputs."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.equivalence.parameters import GeneratorMoments
from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.generators.sign_network import SignNetwork
from twolayer.progress import track
from twolayer.results.generator import latent_generator
from twolayer.results.moments import moments_to_dataset
from twolayer.simulation.teacher_student.moments import StreamedMoments
from twolayer.simulation.teacher_student.winograd_convolution import fastest
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments


def run(config: GeneratorMoments, generator: xr.Dataset | LatentGenerator) -> xr.Dataset:
    """Means, Omega and Phi, with standard errors."""
    network = fastest(latent_generator(generator))
    if config.samples is None:
        return moments_to_dataset(_exact(network))
    moments = StreamedMoments(network.output_size, network.latent_size)
    batches = sampled_batches(network, config.samples, np.random.default_rng(config.seed))
    for latents, inputs in track(batches, "batches"):
        moments.update(inputs, latents)
    return moments_to_dataset(moments.result())


def _exact(network):
    if not isinstance(network, SignNetwork) or len(network.layers) != 1:
        raise ConfigError(
            "samples is null: exact moments are known for one layer of sign units, give a number of samples"
        )
    return exact_sign_moments(network.layers[0].numpy(force=True).astype(float))

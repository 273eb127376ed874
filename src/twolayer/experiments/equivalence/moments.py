"""Moments of generated inputs."""

import numpy as np
import torch
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.equivalence.parameters import GeneratorMoments
from twolayer.experiments.kept_runs import KeptRuns
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.generators.latent_generators import LatentGenerator, batches_of, latent_stream
from twolayer.progress import track
from twolayer.results.generator import latent_generator
from twolayer.results.moments import moments_to_dataset
from twolayer.simulation.teacher_student.moments import StreamedMoments
from twolayer.simulation.teacher_student.winograd_convolution import fastest
from twolayer.simulation.training.devices import device_named
from twolayer.storage.checkpoint import Checkpoint, NoCheckpoint
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments

_KEPT = 0  # number of the only run in the checkpoint


def run(
    config: GeneratorMoments, generator: xr.Dataset | LatentGenerator, checkpoint: Checkpoint | None = None
) -> xr.Dataset:
    """Return means, Omega and Phi, with standard errors."""
    network = latent_generator(generator)
    if config.samples is None:
        return moments_to_dataset(_exact(network))
    network = fastest(network.to(device_named(config.device)))
    stream = latent_stream(network, np.random.default_rng(config.seed))
    moments, kept = StreamedMoments(network.output_size, network.latent_size), KeptRuns(checkpoint or NoCheckpoint())
    if state := kept.state(_KEPT):
        moments.resume(state)
        stream.set_state(torch.from_numpy(state["stream"]))
    for latents, inputs in track(batches_of(network, config.samples - moments.count, stream), "batches"):
        moments.update(inputs, latents)
        if kept.due:
            kept.keep(_KEPT, moments.state() | {"stream": stream.get_state().numpy()})
    return moments_to_dataset(moments.result())


def _exact(network):
    if not isinstance(network, SignNetwork) or len(network.layers) != 1:
        raise ConfigError(
            "samples is null: exact moments are known only for one layer of sign units: give a number of samples"
        )
    return exact_sign_moments(network.layers[0].numpy(force=True).astype(float))

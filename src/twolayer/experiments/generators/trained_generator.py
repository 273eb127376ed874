"""Training of a convolutional generator on images."""

from pathlib import Path

import torch
import xarray as xr

from twolayer.experiments.generators.epochs import train
from twolayer.experiments.generators.image_learning import flat, learned, training_images
from twolayer.experiments.generators.parameters import TrainedGenerator
from twolayer.model.generators.convolutional_generator import CORNER, ConvolutionalDiscriminator, ConvolutionalGenerator
from twolayer.results.generator import made_from
from twolayer.simulation.training.adversarial_training import AdversarialTraining
from twolayer.simulation.training.devices import device_named
from twolayer.simulation.training.epoch_training import Player
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.stored_trainings import stored_training

_BETAS = (0.5, 0.999)  # momenta of Adam


def run(config: TrainedGenerator, checkpoint: Checkpoint, images: Path | None = None) -> xr.Dataset:
    """Return the weights of the generator, the mean cross entropies of every epoch, and examples of the images."""
    if config.stored is not None:
        return stored_training(config)
    device, pixels = device_named(config.device), training_images(config, images)
    colours, size, _ = pixels.shape[1:]
    sizes = {"width": config.width, "doublings": (size // CORNER).bit_length() - 1, "colours": colours}
    ours = {"device": device, "memory_format": torch.channels_last}
    generator = made_from(config.seed, ConvolutionalGenerator, latent_size=config.latent_size, **sizes).to(**ours)
    discriminator = made_from(config.seed + 1, ConvolutionalDiscriminator, **sizes).to(**ours)
    rates = {generator: config.learning_rate, discriminator: config.discriminator_rate}
    players = [Player(net, torch.optim.Adam(net.parameters(), rate, _BETAS)) for net, rate in rates.items()]
    training = AdversarialTraining(*players, flat(pixels, device), None, config.batch_size, config.seed)
    course = train(training, config.epochs, checkpoint)
    return learned(generator, course, pixels, config)

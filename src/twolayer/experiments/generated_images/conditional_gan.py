"""Training of a conditional generator on images."""

from pathlib import Path

import torch
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.generated_images.image_moments import image_moments
from twolayer.experiments.generated_images.parameters import ConditionalGan
from twolayer.experiments.generators.epochs import train
from twolayer.model.data.images import load
from twolayer.model.generators.conditional_generator import ConditionalDiscriminator, ConditionalGenerator
from twolayer.model.random.torch_seeds import seeded
from twolayer.results.conditional_generator import generator_to_dataset
from twolayer.simulation.training.adversarial_training import TWO_PASSES_MOMENTUM, AdversarialTraining
from twolayer.simulation.training.devices import device_named
from twolayer.simulation.training.epoch_training import Player
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.stored_trainings import stored_training

_BETAS = (0.5, 0.999)  # momenta of Adam


def run(config: ConditionalGan, checkpoint: Checkpoint, images: Path | None = None) -> xr.Dataset:
    """Return weights of the generator, losses after each epoch, and the moments of the training images."""
    if config.stored is not None:
        return stored_training(config)
    pixels, classes = load(images, config.dataset, "train")
    if len(pixels) < config.batch_size:
        raise ConfigError(f"batch_size is {config.batch_size}: use at most {len(pixels)}, the number of images")
    generator, training = _prepare(config, pixels, classes)
    course = train(training, config.epochs, checkpoint)
    parameters = sum(weights.numel() for weights in generator.parameters())
    learned = generator_to_dataset(generator, config.hidden, config.channels)
    return learned.merge(course).merge(image_moments(pixels, classes)).assign(parameters=parameters)


def _prepare(config, pixels, classes):
    device = device_named(config.device)
    with seeded(config.seed):
        networks = (
            ConditionalGenerator(config.hidden, config.channels, TWO_PASSES_MOMENTUM).to(device),
            ConditionalDiscriminator(config.hidden, config.channels).to(device),
        )
    players = [Player(net, torch.optim.Adam(net.parameters(), config.learning_rate, _BETAS)) for net in networks]
    tensors = torch.from_numpy(pixels)[:, None].to(device), torch.from_numpy(classes).long().to(device)
    return networks[0], AdversarialTraining(*players, *tensors, config.batch_size, config.seed)

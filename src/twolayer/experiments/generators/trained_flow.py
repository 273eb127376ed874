"""Training of a normalising flow on images."""

from pathlib import Path

import torch
import xarray as xr

from twolayer.experiments.generators.epochs import train
from twolayer.experiments.generators.image_learning import flat, learned, training_images
from twolayer.experiments.generators.parameters import TrainedFlow
from twolayer.model.generators.flows import ImageFlow
from twolayer.results.generator import made_from
from twolayer.simulation.training.devices import device_named
from twolayer.simulation.training.epoch_training import Player
from twolayer.simulation.training.likelihood_training import LikelihoodTraining
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.stored_trainings import stored_training


def run(config: TrainedFlow, checkpoint: Checkpoint, images: Path | None = None) -> xr.Dataset:
    """Return the weights of the flow, the mean bits per pixel value for every epoch, and examples of the images."""
    if config.stored is not None:
        return stored_training(config)
    device, pixels = device_named(config.device), training_images(config, images)
    sizes = {"size": config.size, "colours": pixels.shape[1], "width": config.width, "blocks": config.blocks}
    flow = made_from(config.seed, ImageFlow, **sizes).to(device)
    player = Player(flow, torch.optim.Adam(flow.parameters(), config.learning_rate))
    training = LikelihoodTraining(player, flat(pixels, device), config.batch_size, config.seed)
    course = train(training, config.epochs, checkpoint)
    return learned(flow, course, pixels, config)

"""Training of ResNet-20 on images."""

import logging
import time
from pathlib import Path

import numpy as np
import torch
import xarray as xr

from twolayer.checkpoint import Checkpoint
from twolayer.experiments.images.parameters import ImageTraining
from twolayer.model.images import CLASSES, load
from twolayer.model.resnet import ResNet20
from twolayer.progress import track
from twolayer.simulation.devices import device_named
from twolayer.simulation.image_batches import ImageBatches
from twolayer.simulation.reduced_risk import Risk
from twolayer.simulation.shampoo import Shampoo
from twolayer.simulation.training import OuterProjection, Training

log = logging.getLogger("twolayer")

_BATCH_MOMENTUM = 0.1  # of the running statistics of batch norms
# The original passes a batch through the network twice when it projects, once for the projection and once for the
# gradient, at the same weights. The statistics it has after that are those of one pass with this momentum.
_TWO_PASSES_MOMENTUM = 1 - (1 - _BATCH_MOMENTUM) ** 2


def run(config: ImageTraining, images: Path, checkpoint: Checkpoint) -> xr.Dataset:
    """Risk along the training, as its moving average over an epoch, and test accuracy after each epoch."""
    training, rates = _prepare(config, images)
    if (state := checkpoint.read()) is not None:
        training.resume(state)
        log.info("continued after epoch %d", training.epoch)
    for epoch in track(range(training.epoch + 1, len(rates) + 1), "epochs"):
        start = time.perf_counter()
        training.run_epoch()
        checkpoint.write(training.state())
        steps = len(training.risks) // training.epoch
        values = training.risks[-steps:].mean(), training.accuracies[-1], time.perf_counter() - start
        log.info("epoch %d of %d: mean risk %.4g, test accuracy %.4f, %.1f s", epoch, len(rates), *values)
    return _dataset(config, training)


def _prepare(config, images):
    device = device_named(config.device)
    train, test = (ImageBatches(*load(images, config.dataset, split), device) for split in ("train", "test"))
    network = _initial_network(config).to(device, memory_format=torch.channels_last)
    if config.compiled:
        network.features.compile()
    risk = Risk(config.ridge, offset=0.0)
    ways = {
        "risk": risk,
        "optimizer": _optimizer(config, network),
        "projection": OuterProjection(risk, config.momentum) if config.optimizer == "varpro" else None,
        "half_precision": config.half_precision,
    }
    rates = [config.learning_rate] * config.epochs + [config.learning_rate / 2] * config.final_epochs
    return Training(network, train, test, config.batch_size, rates, config.seed, **ways), rates


def _initial_network(config):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return ResNet20(_TWO_PASSES_MOMENTUM if config.optimizer == "varpro" else _BATCH_MOMENTUM)


def _optimizer(config, network):
    if config.optimizer == "shampoo":
        return Shampoo(network.parameters(), config.learning_rate)
    if config.optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), config.learning_rate, config.momentum)
    network.outer.requires_grad_(False)  # the projection moves them
    return torch.optim.SGD(network.features.parameters(), config.learning_rate)


def _dataset(config, training):
    epochs = training.epoch
    steps = len(training.risks) // epochs
    sums = np.concatenate([[0.0], np.cumsum(training.risks)])
    first = np.rint(np.linspace(0, len(training.risks) - steps, epochs + 1)).astype(int)
    start, end = training.risks[:steps], training.risks[-steps:]
    error = np.sqrt((start.var(ddof=1) + end.var(ddof=1)) / steps)
    return xr.Dataset(
        {
            "risk": ("passes", (sums[first + steps] - sums[first]) / steps),
            "accuracy": ("passes", training.accuracies),
            "fall": ((), (start.mean() - end.mean()) / error),
            "above_chance": ((), _above_chance(training)),
        },
        coords={"passes": np.arange(epochs + 1), "optimizer": config.optimizer, "batch_size": config.batch_size},
    )


def _above_chance(training):
    """The best accuracy after an epoch minus chance, in standard errors of counting."""
    chance = 1 / CLASSES
    return (training.accuracies[1:].max() - chance) / np.sqrt(chance * (1 - chance) / len(training.test))

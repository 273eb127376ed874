"""Training of a residual network on images."""

import logging
import time
from itertools import islice
from pathlib import Path

import numpy as np
import torch
import xarray as xr
from torch.nn import functional

from twolayer.experiments.images.parameters import ImageTraining
from twolayer.model.data.images import CLASSES, load
from twolayer.model.networks.resnet import ResNet
from twolayer.model.random.torch_seeds import seeded
from twolayer.progress import track
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.training.devices import device_named
from twolayer.simulation.training.epoch_training import epoch_stream
from twolayer.simulation.training.image_batches import ImageBatches
from twolayer.simulation.training.image_training import OuterProjection, Training, take_step
from twolayer.simulation.training.reference_training import plain_steps
from twolayer.simulation.training.shampoo import Shampoo
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.stored_trainings import stored_training

log = logging.getLogger("twolayer")

_BATCH_MOMENTUM = 0.1  # momentum of the running statistics of batch norms
# The published code passes a batch through the network twice when it projects, once for the projection and once for the
# gradient, at the same weights. The result is the same as one pass with this momentum.
_TWO_PASSES_MOMENTUM = 1 - (1 - _BATCH_MOMENTUM) ** 2
# number of steps that are also computed by definition, on patches of 8 x 8 pixels
_CHECKED_STEPS, _CHECKED_IMAGES, _PATCH = 3, 64, 8


def run(config: ImageTraining, checkpoint: Checkpoint, images: Path | None = None) -> xr.Dataset:
    """Return the risk during training, as its moving average over an epoch, and the test accuracy after each epoch."""
    if config.stored is not None:
        return stored_training(config)
    device, rates = device_named(config.device), epoch_rates(config)
    train, test = (ImageBatches(*load(images, config.dataset, split), device) for split in ("train", "test"))
    network = initial_resnet(config).to(device, memory_format=torch.channels_last)
    ways = _ways(config, network)
    if config.compiled:
        network.features.compile()
    precision = {"half_precision": config.half_precision, "tf32": config.tf32}
    training = Training(network, train, test, config.batch_size, rates, config.seed, **precision, **ways)
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
    return training_result(config, training).merge(first_steps(config, train, test))


def epoch_rates(config):
    """Return the learning rate of each epoch."""
    return [config.learning_rate] * config.epochs + [config.learning_rate / 2] * config.final_epochs


def _ways(config, network):
    """Return the parts of a step: risk, optimizer, and projection if there is one."""
    risk = Risk(config.ridge, offset=0.0)
    projection = OuterProjection(risk, config.momentum) if config.optimizer == "varpro" else None
    return {"risk": risk, "optimizer": _optimizer(config, network), "projection": projection}


def initial_resnet(config):
    """Return the network at the start of a training."""
    return _resnet(config, _TWO_PASSES_MOMENTUM if config.optimizer == "varpro" else _BATCH_MOMENTUM)


def _resnet(config, momentum):
    with seeded(config.seed):
        return ResNet(momentum, config.layers)


def _optimizer(config, network):
    if config.optimizer == "shampoo":
        return Shampoo(network.parameters(), config.learning_rate)
    fused = network.outer.is_cuda  # one launch for all parameters; on a CPU, torch computes the same numbers without it
    if config.optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), config.learning_rate, config.momentum, fused=fused)
    network.outer.requires_grad_(False)  # the projection moves the outer weights
    return torch.optim.SGD(network.features.parameters(), config.learning_rate, fused=fused)


def training_result(config, training):
    """Return the dataset of a training that has ended."""
    epochs = training.epoch
    steps = len(training.risks) // epochs
    sums = np.concatenate([[0.0], np.cumsum(training.risks)])
    first = np.rint(np.linspace(0, len(training.risks) - steps, epochs + 1)).astype(int)
    start, end = training.risks[:steps], training.risks[-steps:]
    error = np.sqrt((start.var(ddof=1) + end.var(ddof=1)) / steps)
    return xr.Dataset(
        {
            "risk": ("completed_epochs", (sums[first + steps] - sums[first]) / steps),
            "accuracy": ("completed_epochs", training.accuracies),
            "rate": ("epoch", training.rates),
            "epoch_risk": ("epoch", training.risks.reshape(epochs, steps).mean(axis=1)),
            "initial_risk": ((), training.risks[0]),
            "risk_decrease": ((), (start.mean() - end.mean()) / error),
            "above_chance": ((), _above_chance(training)),
            "initial_accuracy": ((), training.accuracies[0]),
            "initial_accuracy_sem": ((), _counting_error(training)),
        },
        coords={
            "completed_epochs": np.arange(epochs + 1),
            "epoch": np.arange(epochs),
            "optimizer": config.optimizer,
            "batch_size": config.batch_size,
        },
    )


def first_steps(config, train, test):
    """Return risks and outputs of a few steps in double precision, and of the same steps by their definitions.

    The risk is measured at each step, and the largest output for some test images at the end.
    """
    network = initial_resnet(config).double().to(train.device)
    plain = _resnet(config, _BATCH_MOMENTUM).double().to(train.device)
    ways = _ways(config, network)
    for group in ways["optimizer"].param_groups:
        group["lr"] = epoch_rates(config)[0]
    drawn = train.shuffled(_CHECKED_IMAGES, epoch_stream(config.seed, 0, train.device))
    batches = [
        (_patches(images), functional.one_hot(labels, CLASSES).double())
        for images, labels in islice(drawn, _CHECKED_STEPS)
    ]
    network.train()
    risks = [float(take_step(network, *batch, **ways)) for batch in batches]
    ideal = plain_steps(plain, batches, config.optimizer, config.learning_rate, config.momentum, config.ridge)
    result = xr.Dataset({"first_risk": ("step", risks), "reference_risk": ("step", list(ideal))})
    images, _ = next(test.in_order(_CHECKED_IMAGES))
    for name, one in (("confidence", network), ("reference_confidence", plain)):
        with torch.no_grad():
            outputs = one.eval()(_patches(images))
        result[name] = "image", outputs.amax(1).numpy(force=True)
    return result


def _patches(images):
    """Return the middle of images (B, 3, H, W), in double precision."""
    start = (images.shape[-1] - _PATCH) // 2
    return images[..., start : start + _PATCH, start : start + _PATCH].double()


def _above_chance(training):
    """Return the best accuracy after an epoch minus chance, in standard errors of counting."""
    return (training.accuracies[1:].max() - 1 / CLASSES) / _counting_error(training)


def _counting_error(training):
    """Return the standard error of an accuracy at chance."""
    return np.sqrt(1 / CLASSES * (1 - 1 / CLASSES) / len(training.test))

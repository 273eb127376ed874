"""The loop of all tasks that train a network by an `EpochTraining`."""

import logging
import time

import numpy as np
import xarray as xr

from twolayer.progress import track
from twolayer.simulation.training.epoch_training import EpochTraining
from twolayer.storage.checkpoint import Checkpoint

log = logging.getLogger("twolayer")


def train(training: EpochTraining, epochs: int, checkpoint: Checkpoint) -> xr.Dataset:
    """Run the remaining epochs, and store the state after each.

    Returns: the mean of each loss over every epoch.
    """
    if (state := checkpoint.read()) is not None:
        training.resume(state)
        log.info("continued after epoch %d", training.epoch)
    for epoch in track(range(training.epoch + 1, epochs + 1), "epochs"):
        start = time.perf_counter()
        training.run_epoch()
        checkpoint.write(training.state())
        losses = zip(training.loss_names, training.losses[-1], strict=True)
        values = ", ".join(f"{name} {value:.4g}" for name, value in losses)
        log.info("epoch %d of %d: %s, %.1f s", epoch, epochs, values, time.perf_counter() - start)
    courses = {name: ("epoch", course) for name, course in zip(training.loss_names, training.losses.T, strict=True)}
    return xr.Dataset(courses, {"epoch": np.arange(1, training.epoch + 1)})

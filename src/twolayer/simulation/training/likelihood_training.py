"""Training of a normalising flow on images, by maximum likelihood."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from twolayer.simulation.training.epoch_training import EpochTraining, Player

_LEVELS = 256  # levels of a number in an image
_LARGEST_GRADIENT = 1.0  # norm, in nats per number of an image; a larger gradient is scaled down


def take_step(flow: Player, images: Tensor) -> tuple[Tensor]:
    """Take one step of the flow.

    Args:
        images: (B, N), continuous, in [-1, 1].

    Returns: bits per number of an image before the step, an upper bound of minus the log likelihood of its whole
    numbers.

    Source: goldt2021, normalising flow.
    """
    nats = -flow.network.log_likelihood(images).mean() / images.shape[1]
    flow.optimizer.zero_grad()
    nats.backward()
    clip_grad_norm_(flow.network.parameters(), _LARGEST_GRADIENT)
    flow.optimizer.step()
    return (nats.detach() / math.log(2) + math.log2(_LEVELS / 2),)


class LikelihoodTraining(EpochTraining):
    """The training of a flow, epoch by epoch.

    A level 0, ..., 255 becomes a uniform number in its interval, so that the images have a density.

    Args:
        flow: flow on the device of the images.
        images: (n, N) uint8.
        batch_size: number of images in a step; the rest at the end of an epoch is not used.
        seed: seed of the order of the images and of the numbers within their intervals.

    Attributes:
        losses: (epochs so far, 1) mean bits per number of an image.
    """

    def __init__(self, flow: Player, images: Tensor, batch_size: int, seed: int):
        losses = {"bits": "bits per number of an image"}
        super().__init__({"flow": flow}, take_step, losses, images, batch_size, seed)

    def batches(self) -> Iterator[dict[str, Tensor]]:
        """Yield the batches of the next epoch: images (B, ...) in [-1, 1], with noise below one grey level."""
        for chosen, stream in self._shuffled():
            levels = self._images[chosen]
            within = torch.rand(levels.shape, generator=stream, device=levels.device)
            yield {"images": (levels + within) * (2 / _LEVELS) - 1}

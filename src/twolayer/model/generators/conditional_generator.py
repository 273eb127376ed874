"""Conditional generative networks for images of 28 x 28 pixels (torch)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from twolayer.model.data.images import CLASSES

LATENT = 62
PIXELS = 28
_CORNER = 7  # height and width of the smallest maps; each of two convolutions doubles them
_SLOPE = 0.2  # slope of a leaky ReLU below zero
_DEVIATION = 0.02  # standard deviation of the initial weights
_CONVOLUTION = {"kernel_size": 4, "stride": 2, "padding": 1}


class ConditionalGenerator(nn.Module):
    """A network that generates images from a latent vector and a class.

    Args:
        hidden: units of the first layer. channels: channels of the maps of 7 x 7; maps of 14 x 14 have half as many.
        momentum: weight of a batch in the running statistics of the batch norms.

    Source: demir2025, conditional GAN.
    """

    def __init__(self, hidden: int = 1024, channels: int = 128, momentum: float = 0.1):
        super().__init__()
        self.hidden, self.channels = hidden, channels
        flat = channels * _CORNER**2
        self.dense = nn.Sequential(
            *(nn.Linear(LATENT + CLASSES, hidden), nn.BatchNorm1d(hidden, momentum=momentum), nn.ReLU()),
            *(nn.Linear(hidden, flat), nn.BatchNorm1d(flat, momentum=momentum), nn.ReLU()),
        )
        self.maps = nn.Sequential(
            nn.Unflatten(1, (channels, _CORNER, _CORNER)),
            nn.ConvTranspose2d(channels, channels // 2, **_CONVOLUTION),
            *(nn.BatchNorm2d(channels // 2, momentum=momentum), nn.ReLU()),
            nn.ConvTranspose2d(channels // 2, 1, **_CONVOLUTION),
        )
        _initialise(self)

    def draw_latents(self, count: int, stream: torch.Generator) -> Tensor:
        """Return latents (count, LATENT), uniform in [0, 1), from a stream on the device of the generator."""
        return torch.rand(count, LATENT, generator=stream, device=stream.device)

    def forward(self, latents: Tensor, classes: Tensor) -> Tensor:
        """Map latents (B, LATENT), uniform in [0, 1), and classes (B,) to images (B, 1, 28, 28) in [-1, 1]."""
        labels = functional.one_hot(classes, CLASSES).to(latents.dtype)
        return torch.tanh(self.maps(self.dense(torch.cat([latents, labels], 1))))


class ConditionalDiscriminator(nn.Module):
    """A network that estimates whether an image is real, given its class.

    Args:
        hidden, channels: as for the generator.

    Source: demir2025, conditional GAN.
    """

    def __init__(self, hidden: int = 1024, channels: int = 128):
        super().__init__()
        self.maps = nn.Sequential(
            *(nn.Conv2d(1 + CLASSES, channels // 2, **_CONVOLUTION), nn.LeakyReLU(_SLOPE)),
            nn.Conv2d(channels // 2, channels, **_CONVOLUTION),
            *(nn.BatchNorm2d(channels), nn.LeakyReLU(_SLOPE), nn.Flatten()),
        )
        self.dense = nn.Sequential(
            *(nn.Linear(channels * _CORNER**2, hidden), nn.BatchNorm1d(hidden), nn.LeakyReLU(_SLOPE)),
            nn.Linear(hidden, 1),
        )
        _initialise(self)

    def forward(self, images: Tensor, classes: Tensor) -> Tensor:
        """Map images (B, 1, 28, 28) in [-1, 1] and classes (B,) to the log odds (B,) that they are real."""
        labels = functional.one_hot(classes, CLASSES).to(images.dtype)
        planes = labels[:, :, None, None].expand(-1, -1, PIXELS, PIXELS)
        return self.dense(self.maps(torch.cat([images, planes], 1)))[:, 0]


def _initialise(network):
    """Set all weights to N(0, 0.02^2), except in batch norms, and biases to zero."""
    for layer in network.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d | nn.ConvTranspose2d):
            nn.init.normal_(layer.weight, std=_DEVIATION)
            nn.init.zeros_(layer.bias)

"""Convolutional generator of images and its discriminator, as in a dcGAN (torch)."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from twolayer.model.generators.latent_generators import LatentGenerator

CORNER = 4  # height and width of the smallest maps
_SLOPE = 0.2  # slope of a leaky ReLU below zero
_DEVIATION = 0.02  # standard deviation of the initial weights
_RESIZING = {"kernel_size": 4, "stride": 2, "padding": 1, "bias": False}
BATCHES, BATCH = 20, 200  # number and size of batches of images for the statistics of a random generator


class ConvolutionalGenerator(LatentGenerator):
    """A generator of images of 4 x 4 pixels times two to the power of `doublings`, with values in (-1, 1).

    Args:
        latent_size: D.
        width: f, the width of the largest maps; each halving of their size doubles it.
        doublings: number of doublings of height and width.
        colours: number of colours of a pixel.

    Source: goldt2021, dcGAN.
    """

    def __init__(self, latent_size: int = 100, width: int = 64, doublings: int = 3, colours: int = 3):
        super().__init__()
        self.latent_size, self.image_shape = latent_size, _image_shape(doublings, colours)
        self.output_size = torch.Size(self.image_shape).numel()
        self.sizes = {"latent_size": latent_size, "width": width, "doublings": doublings, "colours": colours}
        widths = [width * 2**level for level in reversed(range(doublings + 1))]
        layers = [nn.Unflatten(1, (latent_size, 1, 1)), nn.ConvTranspose2d(latent_size, widths[0], CORNER, bias=False)]
        for inputs, outputs in pairwise(widths):
            layers += [nn.BatchNorm2d(inputs), nn.ReLU(), nn.ConvTranspose2d(inputs, outputs, **_RESIZING)]
        self.maps = nn.Sequential(*layers, nn.BatchNorm2d(width), nn.ReLU())
        self.colours = nn.ConvTranspose2d(width, colours, 1, bias=False)
        _initialise(self)

    def forward(self, latents: Tensor) -> Tensor:
        """Map latents (B, D) to images (B, N), colour by colour and row by row."""
        return torch.tanh(self.brightness(latents))

    def brightness(self, latents: Tensor) -> Tensor:
        """Return the argument (B, N) of the hyperbolic tangent."""
        return self.colours(self.maps(latents)).flatten(1)


class ConvolutionalDiscriminator(nn.Module):
    """A network that estimates whether an image is real.

    Args:
        width: f, the width of the largest maps. doublings, colours: as for the generator.

    Source: goldt2021, dcGAN.
    """

    def __init__(self, width: int = 64, doublings: int = 3, colours: int = 3):
        super().__init__()
        widths = [width * 2**level for level in range(doublings)]
        layers = [nn.Unflatten(1, _image_shape(doublings, colours)), nn.Conv2d(colours, width, **_RESIZING)]
        for inputs, outputs in pairwise(widths):
            layers += [nn.LeakyReLU(_SLOPE), nn.Conv2d(inputs, outputs, **_RESIZING), nn.BatchNorm2d(outputs)]
        self.maps = nn.Sequential(*layers, nn.LeakyReLU(_SLOPE), nn.Conv2d(widths[-1], 1, CORNER, bias=False))
        _initialise(self)

    def forward(self, images: Tensor) -> Tensor:
        """Map images (B, N) in [-1, 1] to the log odds (B,) that they are real."""
        return self.maps(images).flatten()


@torch.no_grad()
def calibrate(generator: ConvolutionalGenerator, stream: torch.Generator) -> None:
    """Calibrate the statistics of an untrained generator, without which the signal vanishes in its layers.

    The batch norms take the averages over a number of batches, and the weights of the colours are divided by a number
    that gives the argument of the hyperbolic tangent unit variance. The generator is in evaluation mode afterwards.
    """
    norms = [layer for layer in generator.modules() if isinstance(layer, nn.BatchNorm2d)]
    usual = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the average over all batches, with equal weights
    generator.train()
    for _ in range(BATCHES):
        generator(generator.draw_latents(BATCH, stream))
    for norm, momentum in zip(norms, usual, strict=True):
        norm.momentum = momentum
    generator.eval()
    batches = (generator.brightness(generator.draw_latents(BATCH, stream)) for _ in range(BATCHES))
    moments = torch.stack([torch.stack([batch.mean(), batch.square().mean()]) for batch in batches]).mean(0)
    generator.colours.weight /= (moments[1] - moments[0] ** 2).sqrt()


def _image_shape(doublings, colours):
    return colours, CORNER * 2**doublings, CORNER * 2**doublings


def _initialise(network):
    """Set weights of convolutions to N(0, 0.02^2), of batch norms to N(1, 0.02^2), and biases to zero."""
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d):
            nn.init.normal_(layer.weight, std=_DEVIATION)
        elif isinstance(layer, nn.BatchNorm2d):
            nn.init.normal_(layer.weight, 1, _DEVIATION)
    network.to(memory_format=torch.channels_last)  # a quarter faster on a CPU

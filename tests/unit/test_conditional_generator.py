"""Conditional generator and discriminator: shapes, initial weights, and that the class counts."""

import pytest
import torch
from torch import nn

from twolayer.model.generators.conditional_generator import LATENT, ConditionalDiscriminator, ConditionalGenerator

CLASSES = torch.arange(10)


def parameters(network):
    return sum(weights.numel() for weights in network.parameters())


def test_sizes():
    assert parameters(ConditionalGenerator()) == 6_650_433
    assert parameters(ConditionalDiscriminator()) == 6_569_409


@pytest.mark.parametrize("sizes", [(1024, 128), (24, 6)])
def test_shapes(sizes):
    generator, discriminator = ConditionalGenerator(*sizes), ConditionalDiscriminator(*sizes)
    images = generator(torch.rand(10, LATENT), CLASSES)
    assert images.shape == (10, 1, 28, 28)
    assert float(images.detach().abs().max()) < 1
    assert discriminator(images, CLASSES).shape == (10,)


def test_initial_weights():
    """The standard error of a deviation over 6 million weights is 6e-6."""
    torch.manual_seed(0)
    for network in (ConditionalGenerator(), ConditionalDiscriminator()):
        layers = [layer for layer in network.modules() if isinstance(layer, nn.Linear | nn.Conv2d | nn.ConvTranspose2d)]
        weights = torch.cat([layer.weight.detach().flatten() for layer in layers])
        assert float(weights.std()) == pytest.approx(0.02, abs=5e-5)
        assert all(float(layer.bias.detach().abs().max()) == 0 for layer in layers)


def test_the_class_counts():
    torch.manual_seed(0)
    generator, discriminator = ConditionalGenerator(24, 6).eval(), ConditionalDiscriminator(24, 6).eval()
    with torch.no_grad():
        images = generator(torch.rand(1, LATENT).expand(10, -1), CLASSES)
        odds = discriminator(images[:1].expand(10, -1, -1, -1), CLASSES)
    assert len({image.numpy().tobytes() for image in images}) == 10
    assert len(odds.unique()) == 10

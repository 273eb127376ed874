"""Random dense generators: their inputs, moments against closed forms, and learning from them."""

from typing import get_args

import numpy as np
import pytest
import torch

import twolayer as tl
from twolayer.model.generators.dense_network import FUNCTIONS, DenseNetwork
from twolayer.model.networks.names import LayerActivation
from twolayer.results.generator import latent_generator


def test_every_activation_has_a_function():
    assert list(FUNCTIONS) == list(get_args(LayerActivation))


def test_a_result_holds_the_network():
    made = tl.dense_generator(widths=[5, 7, 9], activation="tanh", seed=3)
    network = latent_generator(made)
    assert isinstance(network, DenseNetwork)
    first, second = (layer.numpy() for layer in network.layers)
    latents = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
    expected = np.tanh(np.tanh(latents @ first.T) @ second.T)
    np.testing.assert_allclose(network(torch.from_numpy(latents)).numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("activation", ["erf", "relu"])
def test_moments_of_one_layer(activation):
    """Arcsine and arc-cosine kernels of the rows of F."""
    generator = tl.dense_generator(widths=[30, 12], activation=activation, seed=1)
    moments = tl.moments(generator, samples=400_000)
    F = latent_generator(generator).layers[0].numpy().astype(float)
    overlaps = F @ F.T
    powers = np.diag(overlaps)
    if activation == "erf":
        norm = np.sqrt(np.outer(1 + powers, 1 + powers))
        expected, mean = 2 / np.pi * np.arcsin(overlaps / norm), np.zeros(12)
    else:
        norm = np.sqrt(np.outer(powers, powers))
        angle = np.arccos(np.clip(overlaps / norm, -1, 1))
        mean = np.sqrt(powers / (2 * np.pi))
        expected = norm / (2 * np.pi) * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) - np.outer(mean, mean)
    np.testing.assert_allclose(moments.Omega, expected, atol=0.01)
    np.testing.assert_allclose(moments["mean"], mean, atol=0.01)


def test_one_width_is_refused():
    with pytest.raises(tl.ConfigError, match="give at least two"):
        tl.dense_generator(widths=[5])

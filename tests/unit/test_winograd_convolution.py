"""Winograd convolution gives the same images as direct convolution."""

import pytest
import torch

from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator, calibrate
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.results.generator import made_from
from twolayer.simulation.teacher_student import winograd_convolution
from twolayer.simulation.teacher_student.winograd_convolution import FilteredGenerator, fastest

SIZES = {
    "one doubling": {"latent_size": 5, "width": 3, "doublings": 1, "colours": 1},
    "two doublings": {"latent_size": 7, "width": 5, "doublings": 2, "colours": 3},  # the second has several tiles
}


def made(sizes):
    """With the statistics and the contrast that it is used with."""
    generator = made_from(1, ConvolutionalGenerator, **sizes)
    calibrate(generator, torch.Generator().manual_seed(2))
    return generator.eval()


def images(generator, latents):
    with torch.inference_mode():
        return generator(latents)


def in_double(generator, latents):
    found = images(generator.double(), latents.double())
    generator.float()
    return found.float()


@pytest.mark.parametrize("images_at_a_time", [1, 100])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_images_are_those_of_the_convolutions(sizes, images_at_a_time, monkeypatch):
    generator = made(sizes)
    if images_at_a_time == 1:
        monkeypatch.setattr(winograd_convolution, "BLOCK_ELEMENTS", 1)
    filtered, latents = fastest(generator), torch.randn(7, sizes["latent_size"])
    assert isinstance(filtered, FilteredGenerator)
    found = images(filtered, latents)
    torch.testing.assert_close(found, in_double(generator, latents), rtol=0, atol=2e-5)
    assert found.std() > 0.2


def test_they_stand_in_for_the_generator():
    generator = made(SIZES["two doublings"])
    filtered = fastest(generator)
    for name in ("latent_size", "output_size", "image_shape", "sizes"):
        assert getattr(filtered, name) == getattr(generator, name)
    (latents, found), (same, expected) = (
        each.sample(3, torch.Generator().manual_seed(4)) for each in (filtered, generator)
    )
    assert latents.equal(same)
    torch.testing.assert_close(found, expected, rtol=0, atol=2e-5)


def test_a_weight_that_is_not_a_number_shows():
    generator = made(SIZES["two doublings"])
    with torch.no_grad():
        generator.maps[1].weight[0, 0, 0, 0] = torch.nan
    assert images(fastest(generator), torch.randn(2, 7)).isnan().any()


class Altered(ConvolutionalGenerator):
    """One that somebody changed."""

    def forward(self, latents):
        return -super().forward(latents)


@pytest.mark.parametrize(
    "generator",
    [SignNetwork([3, 4]), Altered(3, 2, 1, 1), ConvolutionalGenerator(3, 2, 1, 1).double()],
    ids=["another architecture", "a subclass", "double precision"],
)
def test_all_others_stay_as_they_are(generator: LatentGenerator):
    assert fastest(generator) is generator

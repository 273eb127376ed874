"""Images of a dcGAN with random weights by Winograd convolution, against torch's transposed convolutions."""

import pytest
import torch

from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator, calibrate
from twolayer.results.generator import made_from
from twolayer.simulation.teacher_student.winograd_convolution import fastest

IMAGES = 85  # number of images that are generated at a time


@pytest.mark.benchmark(group=f"{IMAGES} images of a dcGAN")
@pytest.mark.parametrize("form", ["filtered", "textbook"])
def test_images(benchmark, one_thread, form):
    generator = made_from(0, ConvolutionalGenerator, width=64 if benchmark.enabled else 4)
    calibrate(generator, torch.Generator().manual_seed(1))
    network = fastest(generator) if form == "filtered" else generator
    latents = generator.draw_latents(IMAGES, torch.Generator().manual_seed(2))
    with torch.inference_mode():
        torch.testing.assert_close(network(latents), generator(latents), rtol=0, atol=2e-4)
        benchmark(network, latents)

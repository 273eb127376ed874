"""What the longest runs of the preset `paper` do most of their time: they generate images."""

import numpy as np
import pytest
from torch.profiler import ProfilerActivity, profile

import twolayer as tl
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator
from twolayer.model.generators.flows import ImageFlow
from twolayer.model.generators.latent_generators import sampled_batches
from twolayer.results.generator import latent_generator

PRODUCTS = "mm", "conv"  # in the names of matrix products and of convolutions


def share_of_products(generator, count):
    """The share of convolutions and matrix products in the time to generate some inputs."""
    rng = np.random.default_rng(0)
    list(sampled_batches(generator, 10, rng))  # warm up
    with profile(activities=[ProfilerActivity.CPU]) as measured:
        for _ in sampled_batches(generator, count, rng):
            pass
    times = {one.key: one.self_cpu_time_total for one in measured.key_averages()}
    return sum(time for name, time in times.items() if any(part in name for part in PRODUCTS)) / sum(times.values())


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: ConvolutionalGenerator().eval(), 50),
        (ImageFlow, 50),
        (lambda: latent_generator(tl.sign_generator(widths=[200, 200, 200, 200, 1000], seed=0)), 4000),
    ],
    ids=["dcGAN", "flow", "sign network"],
)
def test_images_cost_products(one_thread, make, count):
    assert share_of_products(make(), count) > 0.5

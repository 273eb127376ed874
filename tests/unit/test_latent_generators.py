"""All generators with latents: one interface, bijections that are inverted, and results that give them back."""

import numpy as np
import pytest
import torch
from torch import nn

from twolayer import io
from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.model.generators.convolutional_generator import (
    ConvolutionalDiscriminator,
    ConvolutionalGenerator,
    calibrate,
)
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.generators.flows import DenseFlow, ImageFlow
from twolayer.model.generators.latent_generators import sampled_batches
from twolayer.parameters import parse
from twolayer.results.generator import (
    image_array,
    latent_generator,
    latent_generator_to_dataset,
    made_from,
)

KINDS = {
    "sign": (SignNetwork, {"widths": [20, 20, 30]}, (20, 30)),
    "convolutional": (ConvolutionalGenerator, {"latent_size": 7, "width": 4, "doublings": 1, "colours": 2}, (7, 128)),
    "dense_flow": (DenseFlow, {"dimension": 11, "couplings": 3}, (11, 11)),
    "image_flow": (ImageFlow, {"size": 4, "colours": 2, "width": 3, "blocks": 1}, (32, 32)),
}
FLOWS = ("dense_flow", "image_flow")


def make(kind, seed=0):
    """Random everywhere: an image flow starts as the identity."""
    kind, sizes, _ = KINDS[kind]
    generator = made_from(seed, kind, **sizes).eval()
    if kind is ImageFlow:
        torch.manual_seed(seed)
        for weights in generator.parameters():
            nn.init.normal_(weights, std=0.3)
    return generator


def stream(seed=0):
    return torch.Generator().manual_seed(seed)


def result_of(task, params):
    return TASKS[task].run(parse(TASKS[task].parameters, params, task))


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_depend_on_the_seed_and_on_nothing_else(kind):
    latents, inputs = make(kind).sample(6, stream())
    assert (latents.shape[1], inputs.shape[1]) == KINDS[kind][2]
    assert len(inputs) == 6
    assert inputs.unique(dim=0).shape == inputs.shape
    assert make(kind).sample(6, stream())[1].equal(inputs)
    assert not make(kind, seed=1)(latents).equal(inputs)
    assert not make(kind).sample(6, stream(1))[1].equal(inputs)


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_does_not_depend_on_its_batch(kind):
    generator = make(kind).double()
    latents, inputs = generator.sample(6, stream())
    torch.testing.assert_close(generator(latents[2:3]), inputs[2:3], rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_comes_back_from_its_file(kind, tmp_path):
    generator = make(kind)
    io.write(io.made_by(latent_generator_to_dataset(generator), "any", "{}", 0), tmp_path / "it.nc")
    found = latent_generator(io.read(tmp_path / "it.nc"))
    assert not found.training
    assert (type(found), found.image_shape) == (type(generator), generator.image_shape)
    ours, theirs = (next(sampled_batches(each, 9, np.random.default_rng(3)))[1] for each in (generator, found))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", FLOWS)
def test_f_is_the_inverse_of_g_and_knows_its_jacobian(kind):
    flow = make(kind).double()
    latents, inputs = flow.sample(4, stream())
    assert float((inputs - latents).detach().abs().max()) > 0.1
    found, volume = flow.encode(inputs)
    torch.testing.assert_close(found, latents, rtol=1e-10, atol=1e-10)
    for one, expected in zip(inputs, volume, strict=True):
        jacobian = torch.autograd.functional.jacobian(lambda x: flow.encode(x[None])[0][0], one.detach())
        torch.testing.assert_close(torch.linalg.slogdet(jacobian)[1], expected, rtol=1e-10, atol=1e-10)


def test_the_density_of_a_flow_integrates_to_one():
    flow = made_from(0, DenseFlow, dimension=1, couplings=3).double()
    line = torch.linspace(-6, 6, 4001, dtype=torch.float64)
    density = flow.log_likelihood(line[:, None]).exp().detach()
    assert float(torch.trapezoid(density, line)) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("dimension", [30, 120])
def test_weights_of_a_dense_flow_keep_the_scale(dimension):
    """The standard error of a deviation is 1 / sqrt(2 n) of it for n weights, here at most 0.7 %."""
    flow = made_from(0, DenseFlow, dimension=dimension, couplings=12)
    for layer, deviation in ((0, 1.0), (2, 1.5)):
        weights = torch.cat([coupling.network[layer].weight.detach().flatten() for coupling in flow.couplings])
        assert float(weights.std()) == pytest.approx(deviation / dimension**0.5, rel=0.03)
        assert all(not coupling.network[layer].bias.any() for coupling in flow.couplings)


def test_an_untrained_image_flow_only_reorders():
    flow = made_from(0, ImageFlow, size=8, colours=3, width=4, blocks=1)
    latents, images = flow.sample(3, stream())
    assert torch.equal(latents.sort().values, images.sort().values)
    assert float(flow.encode(images)[1].detach().abs().max()) == 0


def test_images_of_odd_size_have_no_flow():
    with pytest.raises(ConfigError, match="size is 5: make it even"):
        ImageFlow(size=5)


@pytest.mark.slow
def test_a_random_convolutional_generator_is_calibrated():
    """The pixels of an image are correlated, so that 4000 images give the deviation to about a hundredth."""
    generator = made_from(1, ConvolutionalGenerator, latent_size=20, width=8, doublings=2, colours=3)
    calibrate(generator, stream())
    with torch.no_grad():
        brightness = generator.brightness(generator.draw_latents(4000, stream(5)))
        maps = generator.maps[:3](generator.draw_latents(4000, stream(6)))
    assert float(brightness.std()) == pytest.approx(1, rel=0.03)
    scales, shifts = generator.maps[2].weight[:, None, None], generator.maps[2].bias[:, None, None]
    standard = ((maps - shifts) / scales).detach()
    assert float(standard.mean((0, 2, 3)).abs().max()) < 0.05
    assert float((standard.var((0, 2, 3)) - 1).abs().max()) < 0.1


def test_sizes_of_a_generator_of_the_paper():
    """100 to 512 maps of 4 x 4, 256 of 8 x 8, 128 of 16 x 16, 64 of 32 x 32, three colours; two numbers a map."""
    generator = ConvolutionalGenerator()
    weights = 16 * (100 * 512 + 512 * 256 + 256 * 128 + 128 * 64) + 64 * 3
    assert sum(w.numel() for w in generator.parameters()) == weights + 2 * (512 + 256 + 128 + 64)
    assert (generator.latent_size, generator.output_size, generator.image_shape) == (100, 3072, (3, 32, 32))
    assert ConvolutionalDiscriminator()(generator(torch.randn(2, 100))).shape == (2,)


def test_images_are_laid_out_as_the_generator_does():
    generator = make("convolutional")
    latents = torch.randn(2, 7)
    images = image_array(generator(latents).detach().numpy(), generator)
    assert images.sizes == {"example": 2, "colour": 2, "row": 8, "column": 8}
    maps = torch.tanh(generator.colours(generator.maps(latents)))
    np.testing.assert_array_equal(images, maps.detach())


def test_tasks_give_generators():
    sign = latent_generator(result_of("sign_generator", {"widths": [4, 4, 9], "seed": 2}))
    assert set(sign.sample(50, stream())[1].unique().tolist()) == {-1, 1}
    flow = latent_generator(result_of("dense_flow", {"dimension": 16, "seed": 2}))
    assert flow.sample(3, stream())[1].shape == (3, 16)
    result = result_of("convolutional_generator", {"seed": 2, "width": 2, "doublings": 1, "colours": 1})
    assert result.generated.shape == (64, 1, 8, 8)
    assert float(latent_generator(result).sample(500, stream())[1].detach().std()) > 0.3


@pytest.mark.parametrize(
    ("task", "params", "message"),
    [
        ("sign_generator", {"widths": [4], "seed": 0}, r"widths is \[4\]: give at least two"),
        ("dense_flow", {"dimension": 1, "seed": 0}, "dimension is 1: it must be at least 2"),
        ("convolutional_generator", {"seed": 0, "colours": 0}, "colours is 0: it must be at least 1"),
    ],
)
def test_bad_parameters(task, params, message):
    with pytest.raises(ConfigError, match=message):
        parse(TASKS[task].parameters, params, task)

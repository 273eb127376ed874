"""A step of the conditional GAN against plain textbook code, on one thread: two passes of the generator, and gradients
that nobody needs."""

import pytest
import torch
from torch import nn

from twolayer.model.generators.conditional_generator import LATENT, ConditionalDiscriminator, ConditionalGenerator
from twolayer.simulation.training.adversarial_training import TWO_PASSES_MOMENTUM, Player, take_step

pytestmark = pytest.mark.usefixtures("one_thread")
BATCH = 64


def setting(sizes, momentum):
    torch.manual_seed(0)
    networks = ConditionalGenerator(*sizes, momentum), ConditionalDiscriminator(*sizes)
    players = [Player(network, torch.optim.Adam(network.parameters(), 2e-4, (0.5, 0.999))) for network in networks]
    return *players, torch.rand(BATCH, 1, 28, 28) * 2 - 1, torch.rand(BATCH, LATENT), torch.arange(BATCH) % 10


def textbook(generator, discriminator, images, latents, classes):
    loss, real, fake = nn.BCELoss(), torch.ones(BATCH), torch.zeros(BATCH)
    discriminator.optimizer.zero_grad()
    ours = discriminator.network(generator.network(latents, classes), classes)
    against = loss(torch.sigmoid(discriminator.network(images, classes)), real) + loss(torch.sigmoid(ours), fake)
    against.backward()
    discriminator.optimizer.step()
    generator.optimizer.zero_grad()
    own = loss(torch.sigmoid(discriminator.network(generator.network(latents, classes), classes)), real)
    own.backward()
    generator.optimizer.step()
    return against.detach(), own.detach()


def test_the_two_agree():
    """Losses and statistics; the weights as far as Adam, which divides by tiny gradients, lets them."""
    plain, ours = setting((48, 16), 0.1), setting((48, 16), TWO_PASSES_MOMENTUM)
    for _ in range(3):
        torch.testing.assert_close(take_step(*ours), textbook(*plain), rtol=1e-4, atol=0)
    expected = plain[0].network.state_dict()
    for name, values in ours[0].network.state_dict().items():
        if not name.endswith("num_batches_tracked"):
            torch.testing.assert_close(values, expected[name], rtol=1e-3, atol=1e-4, msg=name)


@pytest.mark.benchmark(group="conditional GAN, a step of 64 images")
@pytest.mark.parametrize("way", [take_step, textbook])
def test_step(benchmark, way):
    momentum = TWO_PASSES_MOMENTUM if way is take_step else 0.1
    sizes = (1024, 128) if benchmark.enabled else (48, 16)
    benchmark.pedantic(way, setting(sizes, momentum), rounds=3, warmup_rounds=1)

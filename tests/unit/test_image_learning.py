"""Generators that learn images: the pixels they see, both trainings, and that each goes on where it stopped."""

from pathlib import Path

import numpy as np
import pytest
import torch

from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments import TASKS
from twolayer.model.data.images import square_images
from twolayer.model.generators.convolutional_generator import ConvolutionalDiscriminator, ConvolutionalGenerator
from twolayer.model.generators.flows import ImageFlow
from twolayer.parameters import parse
from twolayer.results.generator import latent_generator, made_from
from twolayer.simulation.training.adversarial_training import AdversarialTraining
from twolayer.simulation.training.epoch_training import EpochTraining, Player
from twolayer.simulation.training.likelihood_training import LikelihoodTraining
from twolayer.storage.checkpoint import Checkpoint

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
COMMON = {"seed": 0, "device": "cpu", "dataset": "fashion-mnist", "size": 8, "epochs": 2, "batch_size": 250}
PARAMS = {
    "trained_generator": COMMON | {"latent_size": 5, "width": 4},
    "trained_flow": COMMON | {"width": 4, "blocks": 1},
}
SHADES = torch.tensor([40, 200], dtype=torch.uint8)


def player(network, rate):
    return Player(network, torch.optim.Adam(network.parameters(), rate, (0.5, 0.999)))


def pictures(count=96):
    """Return dark and bright pictures of one shade each, with a little noise."""
    noise = torch.randint(0, 20, (count, 64), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    return SHADES[torch.arange(count) % 2][:, None] + noise


def adversarial(seed=7, batch_size=32):
    sizes = {"width": 4, "doublings": 1, "colours": 1}
    generator = made_from(0, ConvolutionalGenerator, latent_size=5, **sizes)
    discriminator = made_from(1, ConvolutionalDiscriminator, **sizes)
    players = player(generator, 2e-3), player(discriminator, 1e-3)
    return AdversarialTraining(*players, pictures(), None, batch_size, seed), generator


def likelihood(seed=7, rate=5e-3):
    flow = made_from(0, ImageFlow, size=8, colours=1, width=4, blocks=1)
    return LikelihoodTraining(player(flow, rate), pictures(), 32, seed), flow


TRAININGS = {"adversarial": adversarial, "likelihood": likelihood}


def run(task, folder, **changes):
    config = parse(TASKS[task].parameters, PARAMS[task] | changes, task)
    return TASKS[task].run(config, images=RESOURCES, checkpoint=Checkpoint(folder / "it.nc", str(config)))


@pytest.mark.parametrize("kind", TRAININGS)
def test_a_resumed_training_is_the_same_to_the_last_bit(kind, check_resuming):
    check_resuming(*(TRAININGS[kind]()[0] for _ in range(3)))


@pytest.mark.parametrize("kind", TRAININGS)
def test_seeds_differ(kind):
    (one, _), (other, _) = (TRAININGS[kind](seed) for seed in (1, 2))
    one.run_epoch()
    other.run_epoch()
    assert not np.array_equal(one.losses, other.losses)


def test_an_incomplete_batch_is_left_out_and_latents_are_normal():
    training, _ = adversarial(batch_size=40)
    batches = list(training.batches())
    assert [len(batch["images"]) for batch in batches] == [40, 40]
    assert all(set(batch) == {"images", "latents"} for batch in batches)
    latents = torch.cat([batch["latents"] for batch in batches])
    assert latents.shape == (80, 5)
    assert float(latents.std()) == pytest.approx(1, abs=0.15)  # 4 standard errors
    assert float(latents.min()) < -1


def test_a_level_is_spread_over_its_own_interval():
    training, _ = likelihood()
    images = torch.cat([batch["images"] for batch in training.batches()])
    within = (images + 1).flatten().sort().values * 128 - pictures().flatten().sort().values
    assert -1e-4 < float(within.min()) < 0.01 < 0.99 < float(within.max()) < 1 + 1e-4
    assert float(within.mean()) == pytest.approx(0.5, abs=0.02)  # 5 standard errors


@pytest.mark.slow
def test_an_adversarial_generator_learns_both_shades():
    training, generator = adversarial()
    for _ in range(60):
        training.run_epoch()
    stream = torch.Generator().manual_seed(0)
    shades = (generator.eval().sample(400, stream)[1].detach().mean(1) + 1) * 127.5
    assert float(shades.quantile(0.2)) < 90
    assert float(shades.quantile(0.7)) > 150


def test_bits_of_an_untrained_flow_are_those_of_a_normal_density():
    """It is the identity: a number x in [-1, 1] has the density exp(-x^2 / 2) / sqrt(2 pi) times 1/128 a level."""
    training, _ = likelihood(rate=0.0)
    training.run_epoch()
    x = (pictures().float() + 0.5) / 128 - 1
    expected = ((x.square() / 2 + np.log(2 * np.pi) / 2).mean() / np.log(2)) + 7
    assert training.losses[0, 0] == pytest.approx(float(expected), abs=1e-3)


@pytest.mark.slow
def test_a_flow_learns_to_need_fewer_bits():
    """The shade is one bit an image, and the noise log2(20) bits a number."""
    training, _ = likelihood()
    for _ in range(20):
        training.run_epoch()
    least = np.log2(20) + 1 / 64
    assert least < training.losses[-1, 0] < training.losses[0, 0] - 1


@pytest.mark.parametrize("kind", TRAININGS)
def test_a_loss_that_explodes(kind):
    training, network = TRAININGS[kind]()
    with torch.no_grad():
        next(network.parameters()).fill_(torch.nan)
    with pytest.raises(NotConverged, match="a loss is no longer finite in epoch 1: reduce learning_rate"):
        training.run_epoch()


@pytest.mark.slow
@pytest.mark.parametrize("task", PARAMS)
def test_tasks(task, tmp_path, monkeypatch):
    whole = run(task, tmp_path / "whole")
    assert whole.generated.shape == whole.original.shape == (64, 1, 8, 8)
    assert float(abs(whole.original).max()) <= 1
    assert int(whole.images) == 750
    found = latent_generator(whole)
    assert found.image_shape == (1, 8, 8)
    run_epoch = EpochTraining.run_epoch

    def interrupted(training):
        if training.epoch == 1:
            raise KeyboardInterrupt
        run_epoch(training)

    monkeypatch.setattr(EpochTraining, "run_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(task, tmp_path / "stopped")
    monkeypatch.setattr(EpochTraining, "run_epoch", run_epoch)
    assert run(task, tmp_path / "stopped").identical(whole)


@pytest.mark.slow
@pytest.mark.parametrize("task", PARAMS)
def test_colours(task, tmp_path):
    changes = {"dataset": "cifar-10-subset", "epochs": 1, "batch_size": 500}
    assert run(task, tmp_path, **changes).generated.shape == (64, 3, 8, 8)
    assert run(task, tmp_path, **changes, grey=True).generated.shape == (64, 1, 8, 8)


def test_square_images_are_averages():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (3, 32, 32, 3), dtype=np.uint8)
    np.testing.assert_array_equal(square_images(pixels, 32), pixels.transpose(0, 3, 1, 2))
    halved = square_images(pixels, 16)
    assert halved.shape == (3, 3, 16, 16)
    assert abs(float(halved[1, 2, 5, 7]) - pixels[1, 10:12, 14:16, 2].mean()) <= 0.5
    grey = square_images(pixels, 16, grey=True)
    assert abs(float(grey[1, 0, 5, 7]) - pixels[1, 10:12, 14:16].mean()) <= 0.5
    framed = square_images(pixels[:, :28, :28, 0], 32)
    assert framed.shape == (3, 1, 32, 32)
    np.testing.assert_array_equal(framed[:, 0, 2:-2, 2:-2], pixels[:, :28, :28, 0])
    assert framed[:, 0, :2].max() == framed[:, 0, :, -2:].max() == 0


@pytest.mark.parametrize("task", PARAMS)
def test_bad_parameters(task, tmp_path):
    with pytest.raises(ConfigError, match="size is 12: choose one of 8, 16, 32"):
        run(task, tmp_path, size=12)
    with pytest.raises(ConfigError, match="batch_size is 1: it must be at least 2"):
        run(task, tmp_path, batch_size=1)
    with pytest.raises(ConfigError, match="batch_size is 1000: use at most 750, the number of images"):
        run(task, tmp_path, batch_size=1000)

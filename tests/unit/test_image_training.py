"""The task `image_training`: its parameters, and what it makes of a training."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from twolayer.errors import ConfigError, DataError
from twolayer.experiments.images import image_training
from twolayer.experiments.images.parameters import ImageTraining
from twolayer.parameters import parse
from twolayer.simulation.training.image_batches import ImageBatches
from twolayer.storage.checkpoint import Checkpoint

PARAMS = {"optimizer": "varpro", "batch_size": 64, "learning_rate": 0.064, "seed": 0, "device": "cpu"}


def config(**changes):
    return parse(ImageTraining, PARAMS | changes, "here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"optimizer": "adam"}, "here: optimizer is 'adam': choose one of varpro, sgd, shampoo"),
        ({"batch_size": 1}, "here: batch_size is 1: it must be at least 2"),
        ({"momentum": 1.0}, "here: momentum is 1.0: it must be at least 0 and below 1"),
        ({"optimizer": "shampoo", "momentum": 0.9}, "here: momentum is 0.9, but shampoo has none: set it to 0"),
        ({"device": "tpu"}, "here: device is 'tpu': choose one of auto, cpu, cuda"),
        ({"epochs": 0}, "here: epochs is 0: it must be at least 1 and at most 1e+12"),
        ({"layers": 21}, "here: layers is 21: choose one of 8, 14, 20, 32"),
        ({"dataset": "mnist"}, "here: dataset is 'mnist': choose one of cifar-10-batches-bin, cifar-10-subset"),
    ],
)
def test_what_is_not_allowed(changes, message):
    with pytest.raises(ConfigError) as caught:
        config(**changes)
    assert str(caught.value) == message


def finished(epochs, steps, accuracies):
    risks = np.random.default_rng(0).uniform(1, 2, epochs * steps) + np.linspace(20, 10, epochs * steps)
    rates = np.full(epochs, 0.1)
    return SimpleNamespace(risks=risks, accuracies=np.array(accuracies), epoch=epochs, test=range(400), rates=rates)


def test_risk_is_a_moving_average_over_an_epoch():
    training = finished(4, 11, [0.1, 0.2, 0.1, 0.3, 0.16])
    result = image_training.training_result(config(), training)
    starts = [0, 8, 16, 25, 33]  # 3 / 4 of an epoch apart, to the nearest step
    averages = [training.risks[start : start + 11].mean() for start in starts]
    np.testing.assert_allclose(result.risk, averages)
    np.testing.assert_allclose(
        result.epoch_risk, [training.risks[start : start + 11].mean() for start in (0, 11, 22, 33)]
    )
    assert result.completed_epochs.values.tolist() == [0, 1, 2, 3, 4]
    assert result.accuracy.values.tolist() == [0.1, 0.2, 0.1, 0.3, 0.16]
    assert (result.optimizer, result.batch_size) == ("varpro", 64)


def test_fall_and_accuracy_in_standard_errors():
    training = finished(3, 50, [0.4, 0.13, 0.16, 0.1])
    result = image_training.training_result(config(), training)
    first, last = training.risks[:50], training.risks[-50:]
    error = np.sqrt(first.std(ddof=1) ** 2 / 50 + last.std(ddof=1) ** 2 / 50)
    assert float(result.risk_decrease) == pytest.approx((first.mean() - last.mean()) / error)
    assert float(result.above_chance) == pytest.approx(0.06 / np.sqrt(0.1 * 0.9 / 400))


def test_networks_start_alike_whatever_trains_them():
    networks = [image_training.initial_resnet(config(optimizer=name)) for name in ("varpro", "sgd", "shampoo")]
    for name, weights in networks[0].named_parameters():
        for other in networks[1:]:
            assert weights.equal(dict(other.named_parameters())[name])
    momenta = [network.features.first_norm.momentum for network in networks]
    assert momenta == [pytest.approx(0.19), 0.1, 0.1]


OPTIMIZERS = {
    "varpro": {"learning_rate": 0.064, "momentum": 0.5},
    "sgd": {"learning_rate": 0.064, "momentum": 0.9},
    "shampoo": {"learning_rate": 0.64},
}


def few_images():
    pixels = np.random.default_rng(0).integers(0, 256, (3 * 64, 8, 8, 3), dtype=np.uint8)
    return ImageBatches(pixels, np.arange(len(pixels), dtype=np.uint8) % 10, torch.device("cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_first_steps_are_those_of_the_definitions(optimizer):
    """With the momentum of each, the biased risk, and the statistics of the batch norms."""
    images = few_images()
    steps = image_training.first_steps(config(optimizer=optimizer, **OPTIMIZERS[optimizer]), images, images)
    np.testing.assert_allclose(steps.first_risk, steps.reference_risk, rtol=1e-9)
    np.testing.assert_allclose(steps.confidence, steps.reference_confidence, rtol=1e-7)
    assert steps.sizes == {"step": 3, "image": 64}


@pytest.mark.slow
def test_a_deeper_network_takes_other_steps():
    twenty, thirty_two = (
        image_training.first_steps(config(layers=layers, **OPTIMIZERS["varpro"]), *2 * [few_images()])
        for layers in (20, 32)
    )
    np.testing.assert_allclose(thirty_two.first_risk, thirty_two.reference_risk, rtol=1e-9)
    assert not np.allclose(twenty.first_risk, thirty_two.first_risk, rtol=1e-3)


def test_the_final_epochs_have_half_the_rate():
    rates = image_training.epoch_rates(config(epochs=3, final_epochs=2))
    assert rates == [0.064, 0.064, 0.064, 0.032, 0.032]


def test_images_that_are_missing(tmp_path):
    with pytest.raises(DataError, match=r"cifar-10-batches-bin/data_batch_1\.bin is missing"):
        image_training.run(config(), images=tmp_path, checkpoint=Checkpoint(tmp_path / "x.nc", ""))

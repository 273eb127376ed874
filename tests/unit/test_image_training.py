"""The task `image_training`: its parameters, and what it makes of a training."""

from types import SimpleNamespace

import numpy as np
import pytest

from twolayer.checkpoint import Checkpoint
from twolayer.errors import ConfigError, DataError
from twolayer.experiments.images import image_training
from twolayer.experiments.images.parameters import ImageTraining
from twolayer.parameters import parse

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
        ({"dataset": "mnist"}, "here: dataset is 'mnist': choose one of cifar-10-batches-bin, cifar-10-subset"),
    ],
)
def test_what_is_not_allowed(changes, message):
    with pytest.raises(ConfigError) as caught:
        config(**changes)
    assert str(caught.value) == message


def finished(epochs, steps, accuracies):
    risks = np.random.default_rng(0).uniform(1, 2, epochs * steps) + np.linspace(20, 10, epochs * steps)
    return SimpleNamespace(risks=risks, accuracies=np.array(accuracies), epoch=epochs, test=range(400))


def test_risk_is_a_moving_average_over_an_epoch():
    training = finished(4, 11, [0.1, 0.2, 0.1, 0.3, 0.16])
    result = image_training._dataset(config(), training)
    starts = [0, 8, 16, 25, 33]  # 3 / 4 of an epoch apart, to the nearest step
    averages = [training.risks[start : start + 11].mean() for start in starts]
    np.testing.assert_allclose(result.risk, averages)
    assert result.passes.values.tolist() == [0, 1, 2, 3, 4]
    assert result.accuracy.values.tolist() == [0.1, 0.2, 0.1, 0.3, 0.16]
    assert (result.optimizer, result.batch_size) == ("varpro", 64)


def test_fall_and_accuracy_in_standard_errors():
    training = finished(3, 50, [0.4, 0.13, 0.16, 0.1])
    result = image_training._dataset(config(), training)
    first, last = training.risks[:50], training.risks[-50:]
    error = np.sqrt(first.std(ddof=1) ** 2 / 50 + last.std(ddof=1) ** 2 / 50)
    assert float(result.fall) == pytest.approx((first.mean() - last.mean()) / error)
    assert float(result.above_chance) == pytest.approx(0.06 / np.sqrt(0.1 * 0.9 / 400))


def test_networks_start_alike_whatever_trains_them():
    networks = [image_training._initial_network(config(optimizer=name)) for name in ("varpro", "sgd", "shampoo")]
    for name, weights in networks[0].named_parameters():
        for other in networks[1:]:
            assert weights.equal(dict(other.named_parameters())[name])
    momenta = [network.features.first_norm.momentum for network in networks]
    assert momenta == [pytest.approx(0.19), 0.1, 0.1]


def test_images_that_are_missing(tmp_path):
    with pytest.raises(DataError, match=r"cifar-10-batches-bin/data_batch_1\.bin is missing"):
        image_training.run(config(), tmp_path, Checkpoint(tmp_path / "x.nc", ""))

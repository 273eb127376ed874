"""Rates of online learning, and the errors of a trained model in simulations and theory."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twolayer.errors import ConfigError


class LayerRates(NamedTuple):
    """Rates of online SGD of a student of a teacher, layer by layer, in the form for compiled code.

    Attributes:
        learning_rate: learning rate of the first layer. weight_decay: its weight decay, in units of its learning rate.
        second_layer_rate: learning rate of the second layer, per N steps. second_layer_decay: its decay, in units of
            its rate.
        sphere: whether each row of the first layer keeps its norm.
    """

    learning_rate: float
    weight_decay: float = 0.0
    second_layer_rate: float = 0.0
    second_layer_decay: float = 0.0
    sphere: bool = False


@dataclass(frozen=True)
class Learning:
    """Rates of online SGD; time counts its steps in units of the input dimension N.

    Attributes:
        learning_rate: learning rate of the first layer; the second layer has learning_rate / N in each step.
        weight_decay: weight decay of both layers, in units of the learning rate.
        train_second_layer: if False, the second layer keeps its initial weights.
    """

    learning_rate: float
    weight_decay: float = 0.0
    train_second_layer: bool = True

    def without_decay(self, what: str) -> None:
        """Raise an error if there is weight decay, for a computation without it.

        Raises:
            ConfigError: the weight decay is not zero.
        """
        if self.weight_decay != 0:
            raise ConfigError(f"weight_decay is {self.weight_decay:g}: {what} has none: set it to 0")

    @property
    def layers(self) -> LayerRates:
        """Return the rates of both layers."""
        second = self.learning_rate if self.train_second_layer else 0.0
        return LayerRates(self.learning_rate, self.weight_decay, second, self.weight_decay)


@dataclass(frozen=True)
class Losses:
    """Mean losses on the training samples and on fresh samples."""

    training_loss: float
    test_loss: float


@dataclass(frozen=True)
class Performance:
    """An estimator z = w.v / sqrt d of a field nu, averaged over samples or over their distribution.

    Attributes:
        loss: mean loss. class_error: probability that z and the label have different signs; zero is half an error.
        q: mean of z^2. m: mean of z nu.
        class_error_clean: probability that z and nu have different signs.
        excess: mean of (z - nu)^2.
    """

    loss: float
    class_error: float
    q: float
    m: float
    class_error_clean: float
    excess: float


def wrong_signs(outputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return 1 where the signs of output and label differ, 0 where they agree, and 0.5 where either is zero."""
    return 0.5 - 0.5 * np.sign(outputs) * np.sign(labels)

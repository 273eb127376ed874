"""Training of a ResNet-20 on images: variable projection with outer momentum, SGD, Shampoo, by one loop.

The three differ in the optimizer, and in whether the outer weights follow a projection or the optimizer. All minimise
the regularised risk of the biased kind, see `variable_projection.Risk`.

An epoch draws from a random stream of its own, so that what a training is after an epoch is all that it needs to go on:
`state` and `resume` stop and continue it without a trace in its numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim import Optimizer

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.data.images import CLASSES
from twolayer.model.networks.resnet import ResNet
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.training.epoch_training import epoch_stream, restore, state_of
from twolayer.simulation.training.image_batches import ImageBatches

SMALLEST_BATCH = 2  # a batch norm needs a variance
_TEST_BATCH = 1000

Projection = Callable[[Tensor, Tensor, Tensor], None]


class OuterProjection:
    """Moves the outer weights towards the minimiser of the risk on a batch: u <- momentum u + (1 - momentum) u*.

    Args:
        risk: that u* minimises, in double precision. momentum: of the outer weights.

    Source: barboni2025, section 6.2.
    """

    def __init__(self, risk: Risk, momentum: float):
        self._risk, self._momentum = risk, momentum

    @torch.no_grad()
    def __call__(self, outer: Tensor, features: Tensor, targets: Tensor) -> None:
        """Changes `outer` (K, C) in place, for features (B, K) and targets (B, C)."""
        best = self._risk.project(features.double(), targets.double())
        outer.lerp_(best.to(outer.dtype), 1 - self._momentum)


def features_of(network: ResNet, images: Tensor, half_precision: bool) -> Tensor:
    """The features (B, K) of images, in the precision of the outer weights, whatever the map below computes in."""
    with torch.autocast(images.device.type, torch.bfloat16, enabled=half_precision):
        features = network.features(images)
    return features.to(network.outer.dtype)


def take_step(
    network: ResNet,
    images: Tensor,
    targets: Tensor,
    risk: Risk,
    optimizer: Optimizer,
    projection: Projection | None = None,
    half_precision: bool = False,
) -> Tensor:
    """One step: features, projection of the outer weights where there is one, gradient, optimizer.

    The projected outer weights are constants of the gradient, as the envelope theorem has it.

    Args:
        images: (B, 3, 32, 32), normalised. targets: (B, CLASSES), one-hot.
        half_precision: whether the feature map computes in bfloat16; everything after it does not.

    Returns: the risk after the projection and before the optimizer's step.

    Source: barboni2025, section 6.2.
    """
    features = features_of(network, images, half_precision)
    if projection is not None:
        projection(network.outer, features.detach(), targets)
    value = risk(features, network.outer, targets)
    optimizer.zero_grad()
    value.backward()
    optimizer.step()
    return value.detach()


class Training:
    """A network on its way, epoch by epoch.

    Args:
        train, test: images on the device of the network.
        learning_rates: of each epoch.
        seed: of the order and the augmentation of the images.
        tf32: whether a GPU may round the factors of convolutions to ten bits.
        network, risk, optimizer, projection, half_precision: see `take_step`; test passes have the same precision.

    Attributes:
        risks: (steps so far,) risk of each batch.
        rates: (epochs so far,) learning rate that the optimizer had.
        accuracies: (epochs so far + 1,) fraction of the test images in the class of the largest output; the first one
            is before the training.
    """

    def __init__(
        self,
        network: ResNet,
        train: ImageBatches,
        test: ImageBatches,
        batch_size: int,
        learning_rates: Sequence[float],
        seed: int,
        tf32: bool = False,
        **ways: Any,
    ):
        self._network, self._train, self.test = network, train, test
        self._batch_size, self._learning_rates, self._seed, self._ways = batch_size, learning_rates, seed, ways
        self._tf32 = tf32
        self.risks, self.rates = np.empty(0), np.empty(0)
        self.accuracies = np.array([self._accuracy()])

    @property
    def epoch(self) -> int:
        """How many epochs lie behind."""
        return len(self.accuracies) - 1

    def run_epoch(self) -> None:
        """Train on every image once, and measure the accuracy.

        Raises:
            NotConverged: the risk is no longer finite.
            ConfigError: a batch does not fit into the memory of the device.
        """
        for group in self._ways["optimizer"].param_groups:
            group["lr"] = self._learning_rates[self.epoch]
        self._network.train()
        with self._numerics():
            stream = epoch_stream(self._seed, self.epoch, self._train.device)
            batches = self._train.shuffled(self._batch_size, stream)
            risks = torch.stack([self._step(images, labels) for images, labels in batches])
        risks = risks.double().cpu().numpy()
        if not np.isfinite(risks).all():
            raise NotConverged(
                f"the risk is no longer finite in epoch {self.epoch + 1}: reduce learning_rate, now "
                f"{self._learning_rates[self.epoch]:g}"
            )
        self.risks = np.concatenate([self.risks, risks])
        self.rates = np.append(self.rates, self._ways["optimizer"].param_groups[0]["lr"])
        self.accuracies = np.append(self.accuracies, self._accuracy())

    def state(self) -> dict[str, np.ndarray]:
        """All that `resume` needs: weights, statistics, what the optimizer remembers, and the course so far."""
        course = {"risks": self.risks, "rates": self.rates, "accuracies": self.accuracies}
        return state_of(self._network, self._ways["optimizer"]) | course

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Be where a training of the same arguments was when it gave this state."""
        restore(self._network, self._ways["optimizer"], state)
        self.risks, self.rates, self.accuracies = (state[name] for name in ("risks", "rates", "accuracies"))

    def _step(self, images, labels):
        targets = functional.one_hot(labels, CLASSES).to(self._network.outer.dtype)
        try:
            return take_step(self._network, images, targets, **self._ways)
        except torch.OutOfMemoryError:
            size = len(images)
        fits = self._largest_that_fits(images, targets)
        raise ConfigError(
            f"batch_size is {size}: a batch does not fit into the memory of {self._train.device}: "
            + (f"{fits} does" if fits else "free some of it, not even two images do")
        )

    def _largest_that_fits(self, images, targets):
        """By trial, size after size; the network is of no use afterwards."""
        size = len(images) // 2
        while size >= SMALLEST_BATCH:
            try:
                take_step(self._network, images[:size], targets[:size], **self._ways)
                return size
            except torch.OutOfMemoryError:
                size //= 2
        return None

    def _numerics(self):
        """How convolutions compute on a GPU: deterministic, so that a training that was interrupted can be told from no
        other, and with all digits of single precision, as on a CPU, unless `tf32` allows fewer."""
        return torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False, allow_tf32=self._tf32)

    @torch.no_grad()
    def _accuracy(self):
        self._network.eval()
        with self._numerics():
            right = [self._right(*batch).sum() for batch in self.test.in_order(_TEST_BATCH)]
        return int(torch.stack(right).sum()) / len(self.test)

    def _right(self, images, labels):
        features = features_of(self._network, images, self._ways.get("half_precision", False))
        return (features @ self._network.outer).argmax(1) == labels

"""Training of a ResNet-20 on images by one loop: variable projection with outer momentum, SGD, or Shampoo.

The three methods differ in the optimizer, and in whether the outer weights follow a projection or the optimizer. All
minimise the biased regularised risk, see `variable_projection.Risk`.

Each epoch has a separate random stream, so that the state after an epoch is sufficient to continue. `state` and
`resume` interrupt and continue a training without changing its numbers.
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
    """Projection of the outer weights towards the minimiser of the risk on a batch.

    The update is u <- momentum u + (1 - momentum) u*.

    Args:
        risk: risk that u* minimises, in double precision. momentum: momentum of the outer weights.

    Source: barboni2025, section 6.2.
    """

    def __init__(self, risk: Risk, momentum: float):
        self._risk, self._momentum = risk, momentum

    @torch.no_grad()
    def __call__(self, outer: Tensor, features: Tensor, targets: Tensor) -> None:
        """Change `outer` (K, C) in place, for features (B, K) and targets (B, C)."""
        best = self._risk.project(features.double(), targets.double())
        outer.lerp_(best.to(outer.dtype), 1 - self._momentum)


def features_of(network: ResNet, images: Tensor, half_precision: bool) -> Tensor:
    """Return the features (B, K) of images, in the precision of the outer weights, for any precision of the map
    below."""
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
    """Take one step: features, projection of the outer weights if there is one, gradient, optimizer.

    The projected outer weights are constants in the gradient, by the envelope theorem.

    Args:
        images: (B, 3, 32, 32), normalised. targets: (B, CLASSES), one-hot.
        half_precision: whether the feature map computes in bfloat16; everything after it has single precision.

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
    """The training of a network, epoch by epoch.

    Args:
        train, test: images on the device of the network.
        learning_rates: learning rate of each epoch.
        seed: seed of the order and the augmentation of the images.
        tf32: whether a GPU may round the factors of convolutions to ten bits.
        network, risk, optimizer, projection, half_precision: see `take_step`; test passes have the same precision.

    Attributes:
        risks: (steps so far,) risk of each batch.
        rates: (epochs so far,) learning rate of the optimizer.
        accuracies: (epochs so far + 1,) fraction of the test images in the class of the largest output; the first value
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
        """The number of epochs so far."""
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
        """Return the state for `resume`: weights, statistics, the state of the optimizer, and the measurements so
        far."""
        course = {"risks": self.risks, "rates": self.rates, "accuracies": self.accuracies}
        return state_of(self._network, self._ways["optimizer"]) | course

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state of a training with the same arguments."""
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
            + (f"use {fits}" if fits else "free some memory, because not even two images fit")
        )

    def _largest_that_fits(self, images, targets):
        """Return the largest batch size that fits, by trial; the network cannot be used afterwards."""
        size = len(images) // 2
        while size >= SMALLEST_BATCH:
            try:
                take_step(self._network, images[:size], targets[:size], **self._ways)
                return size
            except torch.OutOfMemoryError:
                size //= 2
        return None

    def _numerics(self):
        """Set the arithmetic of convolutions on a GPU.

        It is deterministic, so that an interrupted training gives the same numbers. It has all digits of single
        precision, as on a CPU, unless `tf32` allows fewer.
        """
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

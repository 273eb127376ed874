"""Training of a conditional generator against a discriminator, on labelled images, by one loop.

Like every training here it can stop after an epoch and go on to the same numbers, see `resuming`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim import Optimizer

from twolayer.errors import NotConverged
from twolayer.model.generators import LATENT, ConditionalDiscriminator, ConditionalGenerator
from twolayer.simulation.resuming import epoch_stream, part, restore, state_of

# The original passes the latents through the generator twice in a step, once for either player, at the same weights.
# The images are the same, and the statistics of its batch norms are those of one pass with this momentum.
TWO_PASSES_MOMENTUM = 1 - (1 - 0.1) ** 2


@dataclass(frozen=True)
class Player:
    """A network and what moves its weights."""

    network: ConditionalGenerator | ConditionalDiscriminator
    optimizer: Optimizer


def take_step(
    generator: Player, discriminator: Player, images: Tensor, classes: Tensor, latents: Tensor
) -> tuple[Tensor, Tensor]:
    """One step of the discriminator, then one of the generator on the same latents, whose target is "real".

    Args:
        images: (B, 1, 28, 28) in [-1, 1]. classes: (B,). latents: (B, LATENT).

    Returns: cross entropies of the discriminator, on images of both kinds, and of the generator, each before its step.

    Source: demir2025, conditional GAN.
    """
    generated = generator.network(latents, classes)
    judge = discriminator.network
    real, fake = judge(images, classes), judge(generated.detach(), classes)
    against = functional.softplus(-real).mean() + functional.softplus(fake).mean()
    _descend(discriminator.optimizer, against)
    judge.requires_grad_(False)  # spares their gradient, of which nobody makes use
    own = functional.softplus(-judge(generated, classes)).mean()
    _descend(generator.optimizer, own)
    judge.requires_grad_(True)
    return against.detach(), own.detach()


def _descend(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class AdversarialTraining:
    """A generator and its discriminator on their way, epoch by epoch.

    Args:
        generator, discriminator: on the device of the images.
        images: (n, 1, 28, 28) uint8. classes: (n,) int64.
        batch_size: of a step; the images that are left at the end of an epoch are not used in it.
        seed: of the order of the images and of the latents.

    Attributes:
        losses: (epochs so far, 2) mean cross entropies of discriminator and generator.
    """

    def __init__(
        self,
        generator: Player,
        discriminator: Player,
        images: Tensor,
        classes: Tensor,
        batch_size: int,
        seed: int,
    ):
        self._players = {"generator": generator, "discriminator": discriminator}
        self._images, self._classes, self._batch_size, self._seed = images, classes, batch_size, seed
        self.losses = np.empty((0, 2))

    @property
    def epoch(self) -> int:
        """How many epochs lie behind."""
        return len(self.losses)

    def run_epoch(self) -> None:
        """Train on every image once, but for an incomplete batch.

        Raises:
            NotConverged: a loss is no longer finite.
        """
        for player in self._players.values():
            player.network.train()
        # deterministic, so that a training that was interrupted can be told from no other
        with torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False):
            losses = [torch.stack(take_step(**self._players, **batch)) for batch in self._batches()]
        mean = torch.stack(losses).double().mean(0).cpu().numpy()
        if not np.isfinite(mean).all():
            raise NotConverged(f"a loss is no longer finite in epoch {self.epoch + 1}: reduce learning_rate")
        self.losses = np.vstack([self.losses, mean])

    def state(self) -> dict[str, np.ndarray]:
        """All that `resume` needs: both networks, what their optimizers remember, and the course so far."""
        states = {name: state_of(player.network, player.optimizer) for name, player in self._players.items()}
        arrays = {f"{name}.{key}": array for name, state in states.items() for key, array in state.items()}
        return arrays | {"losses": self.losses}

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Be where a training of the same arguments was when it gave this state."""
        for name, player in self._players.items():
            restore(player.network, player.optimizer, part(state, name))
        self.losses = state["losses"]

    def _batches(self):
        device = self._images.device
        stream = epoch_stream(self._seed, self.epoch, device)
        order = torch.randperm(len(self._images), generator=stream, device=device)
        for start in range(0, len(order) - self._batch_size + 1, self._batch_size):
            chosen = order[start : start + self._batch_size]
            latents = torch.rand(len(chosen), LATENT, generator=stream, device=device)
            images = self._images[chosen] / 127.5 - 1
            yield {"images": images, "classes": self._classes[chosen], "latents": latents}

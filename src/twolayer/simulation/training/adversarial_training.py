"""Training of a generator against a discriminator, on images with their classes or without."""

from collections.abc import Iterator

from torch import Tensor
from torch.nn import functional

from twolayer.simulation.training.epoch_training import EpochTraining, Player

# The published code passes the latents through the conditional generator twice in a step, once for either network, at
# the same weights. The images are equal, and the batch-norm statistics equal one pass with this momentum.
TWO_PASSES_MOMENTUM = 1 - (1 - 0.1) ** 2


def take_step(
    generator: Player, discriminator: Player, images: Tensor, latents: Tensor, classes: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Take one step of the discriminator, then one of the generator on the same latents, with the target "real".

    Args:
        images: (B, ...) in [-1, 1]. latents: (B, D). classes: (B,), if the networks are conditional.

    Returns: cross entropies of the discriminator, on images of both types, and of the generator, each before its step.

    Source: goldt2021, dcGAN; demir2025, conditional GAN.
    """
    condition = () if classes is None else (classes,)
    generated = generator.network(latents, *condition)
    judge = discriminator.network
    real, fake = judge(images, *condition), judge(generated.detach(), *condition)
    against = functional.softplus(-real).mean() + functional.softplus(fake).mean()
    _descend(discriminator.optimizer, against)
    judge.requires_grad_(False)  # avoids the computation of unused gradients
    generator_loss = functional.softplus(-judge(generated, *condition)).mean()
    _descend(generator.optimizer, generator_loss)
    judge.requires_grad_(True)
    return against.detach(), generator_loss.detach()


def _descend(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class AdversarialTraining(EpochTraining):
    """The training of a generator and its discriminator, epoch by epoch.

    Args:
        generator, discriminator: networks on the device of the images. The generator draws its latents, by
            `draw_latents`.
        images: (n, ...) uint8, in the shape for the networks. classes: (n,) int64, if the networks are conditional.
        batch_size: number of images in a step; the rest at the end of an epoch is not used.
        seed: seed of the order of the images and of the latents.

    Attributes:
        losses: (epochs so far, 2) mean cross entropies of discriminator and generator.
    """

    def __init__(
        self,
        generator: Player,
        discriminator: Player,
        images: Tensor,
        classes: Tensor | None,
        batch_size: int,
        seed: int,
    ):
        players = {"generator": generator, "discriminator": discriminator}
        losses = dict.fromkeys(("discriminator_loss", "generator_loss"), "mean cross entropy")
        super().__init__(players, take_step, losses, images, batch_size, seed)
        self._classes = classes

    def batches(self) -> Iterator[dict[str, Tensor]]:
        """Yield the batches of the next epoch: images (B, ...) in [-1, 1], latents (B, D), classes (B,) if known."""
        for chosen, stream in self._shuffled():
            latents = self._players["generator"].network.draw_latents(len(chosen), stream)
            batch = {"images": self._images[chosen] / 127.5 - 1, "latents": latents}
            yield batch if self._classes is None else batch | {"classes": self._classes[chosen]}

"""Training of networks on images, epoch by epoch, which can stop and continue with the same numbers, see `resuming`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from twolayer.errors import NotConverged


@dataclass(frozen=True)
class Player:
    """A network and its optimizer."""

    network: nn.Module
    optimizer: Optimizer


class EpochTraining:
    """Networks during training. A subclass defines the batches, in `batches`.

    Args:
        players: the networks by their names, on the device of the images.
        take_step: function from the players and a batch, both as keywords, to the losses.
        loss_names: name of each loss, and its meaning.
        images: (n, ...) uint8.
        batch_size: number of images in a step; the rest at the end of an epoch is not used.
        seed: seed of all random numbers of an epoch.

    Attributes:
        losses: (epochs so far, number of losses) means over each epoch.
        loss_names: name of each loss, and its meaning.
    """

    def __init__(
        self,
        players: Mapping[str, Player],
        take_step: Callable[..., Sequence[Tensor]],
        loss_names: Mapping[str, str],
        images: Tensor,
        batch_size: int,
        seed: int,
    ):
        self._players, self._take_step, self.loss_names = players, take_step, loss_names
        self._images, self._batch_size, self._seed = images, batch_size, seed
        self.losses = np.empty((0, len(loss_names)))

    @property
    def epoch(self) -> int:
        """The number of epochs so far."""
        return len(self.losses)

    def run_epoch(self) -> None:
        """Train on every image once, except for an incomplete batch.

        Raises:
            NotConverged: a loss is no longer finite.
        """
        for player in self._players.values():
            player.network.train()
        # deterministic, so that an interrupted training gives the same numbers
        with torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False):
            losses = [torch.stack(self._take_step(**self._players, **batch)) for batch in self.batches()]
        mean = torch.stack(losses).double().mean(0).cpu().numpy()
        if not np.isfinite(mean).all():
            raise NotConverged(f"a loss is no longer finite in epoch {self.epoch + 1}: reduce learning_rate")
        self.losses = np.vstack([self.losses, mean])

    def state(self) -> dict[str, np.ndarray]:
        """Return the state for `resume`: the networks, the states of their optimizers, and the losses so far."""
        states = {name: state_of(player.network, player.optimizer) for name, player in self._players.items()}
        arrays = {f"{name}.{key}": array for name, state in states.items() for key, array in state.items()}
        return arrays | {"losses": self.losses}

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state of a training with the same arguments."""
        for name, player in self._players.items():
            restore(player.network, player.optimizer, part(state, name))
        self.losses = state["losses"]

    def batches(self) -> Iterator[dict[str, Tensor]]:
        """Yield the batches of the next epoch, as keyword arguments of `take_step`."""
        raise NotImplementedError

    def _shuffled(self) -> Iterator[tuple[Tensor, torch.Generator]]:
        """Yield numbers (B,) of the images of each batch, and the stream for further random numbers."""
        stream = epoch_stream(self._seed, self.epoch, self._images.device)
        order = torch.randperm(len(self._images), generator=stream, device=self._images.device)
        for start in range(0, len(order) - self._batch_size + 1, self._batch_size):
            yield order[start : start + self._batch_size], stream


def epoch_stream(seed: int, epoch: int, device: torch.device) -> torch.Generator:
    """Return the random stream of one epoch, which does not depend on the epochs before."""
    state = np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)
    return torch.Generator(device).manual_seed(int(state[0]))


def state_of(network: nn.Module, optimizer: Optimizer) -> dict[str, np.ndarray]:
    """Return weights and statistics of a network, and the state of its optimizer."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for name, parameter in network.named_parameters():
        remembered = optimizer.state.get(parameter, {})
        tensors |= {f"optimizer.{name}.{key}": value for key, value in remembered.items() if isinstance(value, Tensor)}
    return {name: tensor.numpy(force=True) for name, tensor in tensors.items()}


def restore(network: nn.Module, optimizer: Optimizer, state: Mapping[str, np.ndarray]) -> None:
    """Restore both from a result of `state_of`, which may contain other arrays as well."""
    network.load_state_dict({name: torch.from_numpy(array) for name, array in part(state, "network").items()})
    parameters = dict(network.named_parameters())
    for name, array in part(state, "optimizer").items():
        parameter, _, key = name.rpartition(".")
        optimizer.state[parameters[parameter]][key] = _like(parameters[parameter], torch.from_numpy(array))


def part(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays named `<prefix>.<name>`, by their names."""
    return {name.removeprefix(f"{prefix}."): array for name, array in state.items() if name.startswith(f"{prefix}.")}


def _like(parameter, value):
    """Return the value on the device of the parameter; a value of its shape also gets its order in memory."""
    if value.shape != parameter.shape:
        return value.to(parameter.device)
    return torch.empty_like(parameter, dtype=value.dtype).copy_(value)

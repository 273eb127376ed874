"""What lets a training stop after an epoch and go on without a trace in its numbers."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer


def epoch_stream(seed: int, epoch: int, device: torch.device) -> torch.Generator:
    """The random stream of one epoch, its own: nothing of the epochs before has to be kept."""
    state = np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)
    return torch.Generator(device).manual_seed(int(state[0]))


def state_of(network: nn.Module, optimizer: Optimizer) -> dict[str, np.ndarray]:
    """Weights and statistics of a network, and what its optimizer remembers."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for name, parameter in network.named_parameters():
        remembered = optimizer.state.get(parameter, {})
        tensors |= {f"optimizer.{name}.{key}": value for key, value in remembered.items() if isinstance(value, Tensor)}
    return {name: tensor.numpy(force=True) for name, tensor in tensors.items()}


def restore(network: nn.Module, optimizer: Optimizer, state: Mapping[str, np.ndarray]) -> None:
    """Put both where they were when `state_of` gave this state; it may hold other arrays as well."""
    network.load_state_dict({name: torch.from_numpy(array) for name, array in part(state, "network").items()})
    parameters = dict(network.named_parameters())
    for name, array in part(state, "optimizer").items():
        parameter, _, key = name.rpartition(".")
        optimizer.state[parameters[parameter]][key] = _like(parameters[parameter], torch.from_numpy(array))


def part(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays named `<prefix>.<name>`, by their names."""
    return {name.removeprefix(f"{prefix}."): array for name, array in state.items() if name.startswith(f"{prefix}.")}


def _like(parameter, value):
    """The value on the device of the parameter, and where it is of its shape also in its order in memory."""
    if value.shape != parameter.shape:
        return value.to(parameter.device)
    return torch.empty_like(parameter, dtype=value.dtype).copy_(value)

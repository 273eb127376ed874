"""Devices of tensors, and numbers of threads."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Literal

import torch

from twolayer.errors import ConfigError

_FEW = 2**21  # elements of a matrix whose product with a small one takes a thread about a millisecond


@contextmanager
def threads_for(elements: int) -> Iterator[None]:
    """Limit torch to one thread for matrices with few elements, for which several threads would mostly wait."""
    with one_thread() if elements <= _FEW else nullcontext():
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch to one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def device_named(name: Literal["auto", "cpu", "cuda"]) -> torch.device:
    """Return the device with a name; `auto` is the GPU if there is one.

    Raises:
        ConfigError: the device does not exist.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise ConfigError("device is 'cuda', but torch finds no GPU here: set device to 'auto' or 'cpu'")
    return torch.device("cuda" if name != "cpu" and available else "cpu")

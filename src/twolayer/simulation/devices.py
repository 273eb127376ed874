"""Where tensors live."""

from typing import Literal

import torch

from twolayer.errors import ConfigError


def device_named(name: Literal["auto", "cpu", "cuda"]) -> torch.device:
    """The device of that name; `auto` is the GPU where there is one.

    Raises:
        ConfigError: it is not there.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise ConfigError("device is 'cuda', but torch finds no GPU here: set device to 'auto' or 'cpu'")
    return torch.device("cuda" if name != "cpu" and available else "cpu")

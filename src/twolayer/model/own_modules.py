"""Modules of torch that are named in the configuration, as `package.module:function`.

The function is called without arguments, and returns the module, or a function of tensors. Its code is the user's, and
runs in the job that needs it and nowhere else.
"""

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from twolayer.errors import ConfigError
from twolayer.parameters import shown

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def named_module(name: str) -> Callable[[Tensor], Tensor]:
    """What the function of that name returns, in evaluation mode; modules of the current folder count.

    Raises:
        ConfigError: there is no such function, or it fails, or returns nothing that can be called.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"module is {shown(name)}: name a function as package.module:function")
    place, _, function = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        made = getattr(importlib.import_module(place), function)()
    except Exception as failure:
        message = " ".join(f"{type(failure).__name__}: {failure}".split())[:200]
        raise ConfigError(f"module {name} cannot be made ({message}): let the function take no arguments") from failure
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(made):
        raise ConfigError(f"module {name} gives {shown(made)}: return a torch module, or a function of tensors")
    return made.eval() if isinstance(made, nn.Module) else made


def module_features(module: Callable[[Tensor], Tensor]) -> Callable[[np.ndarray], np.ndarray]:
    """A module as a map of arrays, from inputs (n, N) to features (n, F)."""
    weights = list(module.parameters()) if isinstance(module, nn.Module) else []
    like = weights[0] if weights else torch.zeros(())

    @torch.inference_mode()
    def features(inputs):
        made = module(torch.as_tensor(inputs).to(like))
        if not isinstance(made, Tensor) or len(made) != len(inputs):
            raise ConfigError(f"the module makes {shown(made)} of {len(inputs)} samples: it must give a row for each")
        return made.flatten(1).numpy(force=True)

    return features

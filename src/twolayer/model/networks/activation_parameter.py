"""The activation as a parameter: a name, a function of arrays, or an `Activation`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from twolayer.errors import ConfigError, shown
from twolayer.model.networks.activation_names import NAMES, is_named
from twolayer.parameters import Reader

if TYPE_CHECKING:
    from twolayer.model.networks.activations import Activation


def read_activation(value: Any, where: str) -> "str | Activation":
    """Return the name of an activation that has one, else the `Activation`.

    Raises:
        ConfigError: the name is unknown, or the value is neither a name nor a function.
    """
    if isinstance(value, str):
        _check_name(value, where)
        return value
    if not callable(value):
        raise ConfigError(
            f"{where} is {shown(value)}: give a function of arrays, an Activation, or a name ({', '.join(NAMES)})"
        )
    from twolayer.model.networks.activations import (  # needs numba, which loads slowly
        ACTIVATIONS,
        as_activation,
    )

    activation = as_activation(value)
    return activation.name if ACTIVATIONS.get(activation.name) is activation else activation


def _check_name(name, where):
    if is_named(name):
        return
    from twolayer.model.networks.activation_functions import NAMED  # has the names of extensions, and needs scipy

    if name not in NAMED:
        raise ConfigError(f"{where} is {shown(name)}: choose one of {', '.join(NAMED)}")


ActivationLike = Annotated[str | Callable[..., Any], Reader(read_activation, "str | Callable")]

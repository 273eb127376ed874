"""The function of a teacher as a parameter: a name, or a function of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from twolayer.errors import ConfigError, shown
from twolayer.model.networks.activation_parameter import read_activation
from twolayer.parameters import Reader

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class NamedFunction:
    """A function of arrays with the name that results record."""

    name: str
    function: "Callable[[np.ndarray], np.ndarray]"

    def __call__(self, fields: "np.ndarray") -> "np.ndarray":
        """Return the values at fields."""
        return self.function(fields)


def read_label_function(value: Any, where: str) -> "str | Callable[..., Any]":
    """Return a name, or a function together with its name.

    Raises:
        ConfigError: the name is unknown, or the value is neither a name nor a function.
    """
    if isinstance(value, str):
        return read_activation(value, where)
    if not callable(value):
        raise ConfigError(f"{where} is {shown(value)}: give a function of arrays, or the name of an activation")
    name = getattr(value, "name", None) or getattr(value, "__name__", type(value).__name__)
    return value if isinstance(value, NamedFunction) else NamedFunction(name, value)


TeacherFunction = Annotated[str | Callable[..., Any], Reader(read_label_function, "str | Callable")]

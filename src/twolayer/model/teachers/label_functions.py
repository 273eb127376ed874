"""Labels as functions of one direction of the inputs, or of several directions (multi-index models)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks.activations import Activation, as_activation, check_size

_PROBES = 7  # number of fields at which a function is tested


@dataclass(frozen=True, eq=False)
class LabelFunction:
    """Labels t(s) of the teacher's fields s = (s_1, ..., s_a).

    Attributes:
        function: t, maps an array (..., a) to an array (...).
        directions: a.
        elementwise: t as an activation, for one field.
    """

    function: Callable[[np.ndarray], np.ndarray]
    directions: int = 1
    elementwise: Activation | None = None

    @classmethod
    def of(cls, given: Activation | str | Callable[[np.ndarray], np.ndarray], directions: int) -> "LabelFunction":
        """Return the labels of a named function or a function.

        Args:
            given: a function of one field, or its name; the values of a named function are summed over all directions.
                A function of several directions takes an array (..., directions).

        Raises:
            ConfigError: the function does not return one finite number for each point.
        """
        named = isinstance(given, str | Activation)
        if directions == 1:
            activation = as_activation(given) if named else Activation.of(given, name="teacher_function")
            return cls(lambda s: activation.value(s[..., 0]), 1, activation)
        if named:
            activation = as_activation(given)
            return cls(lambda s: activation.value(s).sum(axis=-1), directions)
        probes = np.random.default_rng(0).standard_normal((_PROBES, directions))
        values = np.asarray(given(probes))
        if values.shape != (_PROBES,) or values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            raise ConfigError(
                f"teacher_function gives for {_PROBES} points in {directions} dimensions an array of shape "
                f"{values.shape}: it must return one finite number for each point"
            )
        check_size(np.abs(values).max(), "teacher_function")
        return cls(given, directions)

    @cached_property
    def kinks(self) -> np.ndarray:
        """Places (p,) where value or slope of a function of one field jumps."""
        return self.elementwise.kinks if self.elementwise else np.empty(0)

    def __call__(self, fields: np.ndarray) -> np.ndarray:
        """Return the labels (...) of fields (..., a)."""
        return self.function(fields)


RELU_LABELS = LabelFunction.of("relu", 1)

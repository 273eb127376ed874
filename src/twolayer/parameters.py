"""Strict parsing: plain values, as YAML and JSON hold them, into frozen dataclasses.

The type of a field states what is allowed: `int`, `float`, `bool`, `str`, `Literal`, `X | None`, `tuple[X, ...]`,
another dataclass, and `Annotated[X, Bounds(...)]` for a range. A tuple of numbers may be written as
`{logspace: [a, b, n]}` or `{linspace: [a, b, n]}`.
"""

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from twolayer.errors import ConfigError


@dataclasses.dataclass(frozen=True)
class Bounds:
    """An interval that a number must lie in."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None

    def __str__(self):
        named = {"above": self.above, "at least": self.at_least, "below": self.below, "at most": self.at_most}
        return " and ".join(f"{word} {bound:g}" for word, bound in named.items() if bound is not None)

    def hold(self, value: float) -> bool:
        """Whether the value lies inside."""
        return (
            (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        )


Positive = Annotated[float, Bounds(above=0)]
NonNegative = Annotated[float, Bounds(at_least=0)]
Fraction = Annotated[float, Bounds(above=0, below=1)]
Count = Annotated[int, Bounds(at_least=1)]
Seed = Annotated[int, Bounds(at_least=0)]


def parse(cls: type, values: Any, where: str):
    """Values as an instance of the dataclass `cls`.

    Args:
        values: a mapping of the fields. where: the place to name in an error, e.g. "config/gmm.yaml, run xor".

    Raises:
        ConfigError: a key is unknown or missing, or a value has the wrong type or lies out of range.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: found {values!r} where a mapping with the keys {_names(cls)} belongs")
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for key in values:
        if key not in fields:
            raise ConfigError(f"{where}: unknown key {key!r}: allowed are {_names(cls)}")
    for name, field in fields.items():
        if name not in values and field.default is dataclasses.MISSING:
            raise ConfigError(f"{where}: the key {name!r} is missing: required are {_names(cls, required=True)}")
    hints = get_type_hints(cls, include_extras=True)
    parsed = {name: _value(hints[name], value, f"{where}: {name}") for name, value in values.items()}
    try:
        return cls(**parsed)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def to_json(config: Any) -> str:
    """A parsed config with every default spelled out; `parse` reads it back to an equal instance."""
    return json.dumps(dataclasses.asdict(config), sort_keys=True)


def _names(cls, required=False):
    fields = dataclasses.fields(cls)
    return ", ".join(field.name for field in fields if not required or field.default is dataclasses.MISSING)


def _value(kind, value, where):
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        value = _value(arguments[0], value, where)
        bounds = arguments[1]
        if not bounds.hold(value):
            raise ConfigError(f"{where} is {value!r}: it must be {bounds}")
        return value
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{where} is {value!r}: choose one of {', '.join(map(str, arguments))}")
        return value
    if origin in (Union, types.UnionType):  # only `X | None` is in use
        return None if value is None else _value(arguments[0], value, where)
    if origin is tuple:
        return _sequence(arguments[0], value, where)
    if dataclasses.is_dataclass(kind):
        return parse(kind, value, where)
    return _scalar(kind, value, where)


def _sequence(kind, value, where):
    if isinstance(value, Mapping):
        value = _spaced(value, where)
    if not isinstance(value, list | tuple) or not value:
        raise ConfigError(f"{where} is {value!r}: give a list with at least one value")
    return tuple(_value(kind, item, f"{where}[{position}]") for position, item in enumerate(value))


def _spaced(value, where):
    (name, arguments), *others = list(value.items()) or [(None, None)]
    if others or name not in ("logspace", "linspace") or not isinstance(arguments, list) or len(arguments) != 3:
        raise ConfigError(f"{where} is {value!r}: give a list, or {{logspace: [first, last, count]}}, or linspace so")
    first = _value(Positive if name == "logspace" else float, arguments[0], f"{where}: {name}[0]")
    last = _value(Positive if name == "logspace" else float, arguments[1], f"{where}: {name}[1]")
    count = _value(Annotated[int, Bounds(at_least=2)], arguments[2], f"{where}: {name}[2]")
    steps = [position / (count - 1) for position in range(count)]
    if name == "logspace":
        points = [first * (last / first) ** step for step in steps]
    else:
        points = [first + (last - first) * step for step in steps]
    points = [float(f"{point:.6g}") for point in points]  # six digits name a point without float noise
    return [int(point) if point.is_integer() else point for point in points]


def _scalar(kind, value, where):
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is float and isinstance(value, str):
        value = _float_from_text(value)  # YAML 1.1 reads 1e-3, without a point, as text
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        expected = {float: "a finite number", int: "a whole number", bool: "true or false", str: "a text"}[kind]
        raise ConfigError(f"{where} is {value!r}: it must be {expected}")
    return value


def _float_from_text(text):
    try:
        return float(text)
    except ValueError:
        return text

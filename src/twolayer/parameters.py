"""Strict parameters: frozen dataclasses that check their values on creation, from YAML, JSON or Python.

The type of a field defines the allowed values: `int`, `float`, `bool`, `str`, `Literal`, `X | None`, `X |
Literal[...]`, `X | tuple[X, ...]`, `tuple[X, ...]`, another such dataclass (or a mapping of its fields), `Array`,
`Annotated[X, Bounds(...)]` for a range, and `Annotated[X, Reader(...)]` for other types. A tuple of numbers may be
written as `{logspace: [a, b, n]}` or `{linspace: [a, b, n]}`. Numbers and arrays of numpy are converted.
"""

import dataclasses
import functools
import inspect
import json
import math
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Real
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from twolayer.errors import ConfigError, shown

if TYPE_CHECKING:
    import numpy as np


_NO_LIMIT = 1e9  # larger bounds exclude no computation


def _first(*bounds):
    """Return the first bound that is not None, with its signs, or None."""
    return next((bound for bound in bounds if bound[0] is not None), None)


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The interval of the allowed values of a number."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None

    def __str__(self):
        named = {"above": self.above, "at least": self.at_least, "below": self.below, "at most": self.at_most}
        return " and ".join(f"{word} {bound:g}" for word, bound in named.items() if bound is not None)

    def around(self, name: str) -> str:
        """Return the range of a name: `name >= 1` or `0 < name <= 1`.

        A bound that excludes no computation is left out.
        """
        lower = _first((self.above, "<", ">"), (self.at_least, "<=", ">="))
        upper = _first((self.below, "<", "<"), (self.at_most, "<=", "<="))
        if upper is None or upper[0] >= _NO_LIMIT:
            return name if lower is None else f"{name} {lower[2]} {lower[0]:g}"
        return f"{'' if lower is None else f'{lower[0]:g} {lower[1]} '}{name} {upper[1]} {upper[0]:g}"

    def hold(self, value: float) -> bool:
        """Return whether the value is inside."""
        return (
            (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        )


@dataclasses.dataclass(frozen=True)
class Reader:
    """The conversion of a parameter of a custom type.

    Attributes:
        read: converts a value and the name of its place to the parameter; it raises ConfigError.
        shown: the type in signatures.
    """

    read: Callable[[Any, str], Any]
    shown: str


_LARGEST, _SMALLEST = 1e30, 1e-30  # a larger or smaller number overflows, or vanishes, when it is squared a few times
_LARGEST_WHOLE = 10**18  # largest number that arrays can count
LARGEST_EXACT = 2**53  # doubles represent all whole numbers up to this one
_PUBLISHED_SEEDS = 2**32  # number of seeds of NumPy's legacy generator
_MANY = 10_000  # largest number of values of a spacing

Positive = Annotated[float, Bounds(above=0)]
NonNegative = Annotated[float, Bounds(at_least=0)]
Fraction = Annotated[float, Bounds(above=0, below=1)]
Count = Annotated[int, Bounds(at_least=1, at_most=10**12)]
Several = Annotated[int, Bounds(at_least=2)]  # number of samples that have a variance
Seed = Annotated[int, Bounds(at_least=0)]
Log2 = Annotated[int, Bounds(at_least=1, at_most=24)]  # binary logarithm of a number of nodes
Device = Literal["auto", "cpu", "cuda"]  # auto is the GPU if there is one

MAY_BE_EMPTY = "may be empty"  # marks a tuple: Annotated[tuple[X, ...], MAY_BE_EMPTY]
Array = Annotated[Any, "array"]  # numpy array of finite numbers, from any value that numpy can convert

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True)
def checked(cls: _Class) -> _Class:
    """Convert a class to a frozen dataclass that checks its values; `__post_init__` may check combinations of values.

    The representation of an object shows the arguments that differ from their defaults. Objects are equal if all their
    values are, arrays by their shape and numbers.

    The constructor raises:
        ConfigError: an argument is unknown or missing, or has the wrong type or is out of range.
    """
    cls = dataclasses.dataclass(frozen=True, repr=False, eq=False)(cls)
    store, order = cls.__init__, [field.name for field in dataclasses.fields(cls)]

    @functools.wraps(store)
    def __init__(self, *values, **named):
        if len(values) > len(order):
            raise ConfigError(f"{len(values)} values are given: {cls.__name__} takes {_names(cls)}")
        given = dict(zip(order, values, strict=False))
        if twice := sorted(given.keys() & named.keys()):
            raise ConfigError(f"{twice[0]} is given twice: give it once")
        store(self, **_read(cls, given | named))

    __init__.__signature__ = _signature(cls)
    cls.__init__, cls.__repr__ = __init__, _representation
    cls.__eq__, cls.__hash__ = _is_equal, _hash
    return cls


class TypeText(str):
    """A type in readable form, which help() shows without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _signature(cls):
    """Return the signature of `__init__` with readable types."""
    by_position = inspect.Parameter.POSITIONAL_OR_KEYWORD
    arguments = [inspect.Parameter("self", by_position)]
    for field in dataclasses.fields(cls):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        annotation = TypeText(type_text(field.type))
        arguments.append(inspect.Parameter(field.name, by_position, default=default, annotation=annotation))
    return inspect.Signature(arguments)


def type_text(hint: Any, *, ranges: bool = True) -> str:
    """Return a type in Python notation, with its range: `int >= 1`, `0 < float < 1`, `Sequence[float > 0]`.

    Args:
        ranges: whether to state ranges.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        if isinstance(arguments[1], Reader):
            return arguments[1].shown
        if arguments[1] == "array":
            return "ArrayLike"
        inner = type_text(arguments[0], ranges=ranges)
        return arguments[1].around(inner) if ranges and isinstance(arguments[1], Bounds) else inner
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(one, ranges=ranges) for one in arguments)
    if origin is tuple:
        return f"Sequence[{type_text(arguments[0], ranges=ranges)}]"
    return "None" if hint is type(None) else getattr(hint, "__name__", str(hint))


def _representation(self):
    """Return the class with the arguments that differ from their defaults."""
    values = [(field, getattr(self, field.name)) for field in dataclasses.fields(self)]
    listed = [f"{field.name}={_short(value)}" for field, value in values if not _is_default(value, field.default)]
    return f"{type(self).__name__}({', '.join(listed)})"


def _is_equal(self, other):
    return _key(self) == _key(other) if type(self) is type(other) else NotImplemented


def _hash(self):
    return hash(_key(self))


def _key(self):
    """Return all values, with arrays as shapes and bytes because arrays have no hash. Adding 0 replaces -0.0 by 0.0."""
    values = (getattr(self, field.name) for field in dataclasses.fields(self))
    return tuple((value.shape, (value + 0.0).tobytes()) if hasattr(value, "tobytes") else value for value in values)


def _is_default(value, default):
    return value is default or (isinstance(value, int | float | str | tuple) and value == default)


def _short(value):
    if hasattr(value, "shape"):
        return f"<array of shape {value.shape}>"
    return value.name if callable(value) and hasattr(value, "name") else repr(value)


def parse(cls: type, values: Any, where: str) -> Any:
    """Convert values to an instance of the `checked` dataclass `cls`.

    Args:
        values: a mapping of the fields, or an instance. where: the place to name in an error, e.g.
            "config/mixtures.yaml, run xor".

    Raises:
        ConfigError: a key is unknown or missing, or a value has the wrong type or is out of range.
    """
    if isinstance(values, cls):
        return values
    if not isinstance(values, Mapping):
        raise ConfigError(
            f"{where}: found {shown(values)}: give a mapping with the keys {_names(cls)}, or a {cls.__name__}"
        )
    try:
        return cls(**{str(key): value for key, value in values.items()})
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def fill(parameters: Any, **defaults: Any) -> None:
    """Set fields that are None to values that depend on other fields, in the `__post_init__` of a `checked`
    dataclass."""
    for name, value in defaults.items():
        if getattr(parameters, name) is None:
            object.__setattr__(parameters, name, value)


def to_json(config: Any) -> str:
    """Return parameters with every default; `parse` converts them back to an equal instance.

    A custom function appears as `custom:` and its name, which `parse` refuses.
    """
    return json.dumps(_plain(config), sort_keys=True)


def _plain(value):
    if dataclasses.is_dataclass(value) and not callable(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return recorded_name(value)


def recorded_name(value: Any) -> Any:
    """Return a parameter as results record it: a custom function as `custom:` and its name, all others unchanged."""
    return f"custom:{value.name}" if callable(value) else value


def _read(cls, given):
    """Return the values of a dataclass's fields, converted to their types."""
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for key in given:
        if key not in fields:
            raise ConfigError(f"unknown key {shown(key)}: allowed are {_names(cls)}")
    for name, field in fields.items():
        if name not in given and field.default is dataclasses.MISSING:
            raise ConfigError(f"the key {name!r} is missing: required are {_names(cls, required=True)}")
    hints = hints_of(cls)
    return {name: _value(hints[name], value, name) for name, value in given.items()}


@functools.cache
def hints_of(cls: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields."""
    return get_type_hints(cls, include_extras=True)


def _names(cls, required=False):
    fields = dataclasses.fields(cls)
    return ", ".join(field.name for field in fields if not required or field.default is dataclasses.MISSING)


def _value(kind, value, where):
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated and isinstance(arguments[1], Reader):
        return arguments[1].read(value, where)
    if origin is Annotated and arguments[1] == "array":
        array = read_array(value, where)
        array.flags.writeable = False  # the arrays of a frozen class cannot be changed
        return array
    if hasattr(value, "to_numpy"):  # a labelled array
        value = value.to_numpy()
    if hasattr(value, "tolist"):  # a number or an array of numpy or torch
        value = value.tolist()
    if origin is Annotated and arguments[1] == MAY_BE_EMPTY:
        return () if isinstance(value, list | tuple) and not value else _value(arguments[0], value, where)
    if origin is Annotated:
        value = _value(arguments[0], value, where)
        bounds = arguments[1]
        if not bounds.hold(value):
            raise ConfigError(f"{where} is {shown(value)}: it must be {bounds}")
        return value
    if origin is Literal:
        found = [
            choice for choice in arguments if isinstance(value, bool) is isinstance(choice, bool) and choice == value
        ]
        if not found:
            raise ConfigError(f"{where} is {shown(value)}: choose one of {', '.join(map(str, arguments))}")
        return found[0]
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value, where)
    if origin is tuple:
        return _sequence(arguments[0], value, where)
    if dataclasses.is_dataclass(kind):
        return parse(kind, value, where)
    return _scalar(kind, value, where)


def _one_of(kinds, value, where):
    """Return a value of a union: None, one of the choices of a Literal, a sequence, or anything else."""
    if value is None and type(None) in kinds:
        return None
    if any(get_origin(kind) is Literal and value in get_args(kind) for kind in kinds):
        return value
    kinds = [kind for kind in kinds if kind is not type(None)]
    others = [kind for kind in kinds if get_origin(kind) is not Literal] or kinds
    is_sequence = isinstance(value, list | tuple | range | Mapping)
    fitting = [kind for kind in others if (get_origin(kind) is tuple) is is_sequence]
    return _value((fitting or others)[0], value, where)


def _sequence(kind, value, where):
    if isinstance(value, Mapping):
        value = _spaced(value, where)
    if not isinstance(value, list | tuple | range) or not value:
        raise ConfigError(f"{where} is {shown(value)}: give a list with at least one value")
    items = tuple(_value(kind, item, f"{where}[{position}]") for position, item in enumerate(value))
    if get_origin(kind) is Annotated and isinstance(get_args(kind)[1], Reader):
        _check_names(items, where)
    return items


def _check_names(functions, where):
    """Check that functions have different names, by which a result labels them."""
    names = [recorded_name(function) for function in functions]
    if twice := [name for position, name in enumerate(names) if name in names[:position]]:
        raise ConfigError(
            f"{where} has the name {shown(twice[0])} twice: give each function once, and "
            "different functions different names, as in Activation.of(function, name='other')"
        )


def _spaced(value, where):
    (name, arguments), *others = list(value.items()) or [(None, None)]
    if others or name not in ("logspace", "linspace") or not isinstance(arguments, list) or len(arguments) != 3:
        raise ConfigError(
            f"{where} is {shown(value)}: give a list, or {{logspace: [first, last, count]}}, or "
            f"{{linspace: [first, last, count]}}"
        )
    first = _value(Positive if name == "logspace" else float, arguments[0], f"{where}: {name}[0]")
    last = _value(Positive if name == "logspace" else float, arguments[1], f"{where}: {name}[1]")
    count = _value(Annotated[int, Bounds(at_least=2, at_most=_MANY)], arguments[2], f"{where}: {name}[2]")
    steps = [position / (count - 1) for position in range(count)]
    if name == "logspace":
        points = [first * (last / first) ** step for step in steps]
    else:
        points = [first + (last - first) * step for step in steps]
    points = [float(f"{point:.6g}") for point in points]  # six digits give a point without floating-point noise
    return [int(point) if point.is_integer() else point for point in points]


def read_array(value: Any, where: str) -> "np.ndarray":
    """Convert a value to an array of finite real numbers, in double precision.

    Raises:
        ConfigError: it is not an array, or the conversion would change it, because values are masked, complex, text,
            dates or too large. The error contains `where`.
    """
    import numpy as np  # imported here, so that the workflow reads its configuration without numpy

    array = _numbers(value, where)
    if array.dtype.kind in "iu" and array.size and max(-int(array.min()), int(array.max())) > LARGEST_EXACT:
        raise ConfigError(f"{where} has a whole number above 2**53, which a double rounds: scale its numbers")
    with np.errstate(over="ignore"):  # the array may have a longer type than double
        array = array.astype(float)
    if not np.isfinite(array).all():
        raise ConfigError(f"{where} has {array[~np.isfinite(array)][0]}: all its numbers must be finite")
    if array.size and (largest := np.abs(array).max()) > _LARGEST:
        raise ConfigError(f"{where} has {largest:.3g}: its numbers must be at most {_LARGEST:g} in size, scale them")
    return array


def _numbers(value, where):
    """Return a value as an array of numpy numbers, of any precision."""
    import numpy as np

    if hasattr(value, "detach"):  # a torch tensor, on any device
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value  # numpy has no bfloat16
    if np.ma.is_masked(value):
        raise ConfigError(f"{where} has masked values: fill or remove them, because an array has no mask")
    if hasattr(value, "toarray"):
        raise ConfigError(f"{where} is a sparse matrix: give its toarray()")
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and array.ndim and all(isinstance(item, Real | Decimal) for item in array.flat):
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{where} is {shown(value)}: it must be an array of numbers") from None
    if array.dtype.kind == "c":
        raise ConfigError(
            f"{where} has complex numbers: give real numbers, such as the real part or the absolute value"
        )
    if array.dtype.kind not in "biuf":
        raise ConfigError(f"{where} is {shown(value)}: it must be an array of numbers")
    return array


def _scalar(kind, value, where):
    if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
        raise ConfigError(f"{where} is {shown(value)}: it must be at most {_LARGEST_WHOLE:.0e} in size")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is int and isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT:
        value = int(value)  # numpy returns signs and counts as floats
    if kind is float and isinstance(value, str):
        value = _float_from_text(value)  # YAML 1.1 reads 1e-3, without a point, as text
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        text = "a text, write it in quotes" if isinstance(value, int | float) else "a text"  # YAML reads 3, yes and no
        expected = {float: "a finite number", int: "a whole number", bool: "true or false", str: text}[kind]
        raise ConfigError(f"{where} is {shown(value)}: it must be {expected}")
    if kind is float and value and not _SMALLEST <= abs(value) <= _LARGEST:
        raise ConfigError(f"{where} is {value:g}: it must be 0, or from {_SMALLEST:g} to {_LARGEST:g} in size")
    return value


def _float_from_text(text):
    try:
        return float(text)
    except ValueError:
        return text


def require_published_seed(last: int) -> None:
    """Raise an error if the random numbers of a published experiment do not exist for a seed.

    Args:
        last: largest seed.
    """
    if last >= _PUBLISHED_SEEDS:
        raise ConfigError(f"seed reaches {last}: the published stream has seeds below {_PUBLISHED_SEEDS}: lower seed")


def shift_seeds(parameters: Any, by: int) -> Any:
    """Add a number to every field `seed`, at any depth.

    Parameters that replay a published stream, or name a stored training, are not changed.

    Args:
        parameters: an object of a checked class.
    """
    pinned = getattr(parameters, "stream", None) == "published" or getattr(parameters, "stored", None) is not None
    if by == 0 or pinned:
        return parameters
    changes = {}
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        if field.name == "seed" and isinstance(value, int):
            changes[field.name] = value + by
        elif dataclasses.is_dataclass(value):
            changes[field.name] = shift_seeds(value, by)
    return dataclasses.replace(parameters, **changes)

"""Configuration files: read, checked against their schemas, and their grids expanded."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import fastjsonschema
import numpy as np
import yaml

from twolayer.errors import ConfigError

_SAFE = re.compile(r"[A-Za-z0-9_.+-]{1,200}")  # a name that every file system and shell takes as it is


def read_yaml(root: Path, place: str) -> Any:
    """The content of a YAML file.

    Raises:
        ConfigError: it is missing, or no valid YAML.
    """
    path = root / place
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{place} is missing in {root}: restore it from the repository") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{place}{line} is not valid YAML: {getattr(error, 'problem', error)}") from None


def validate(values: Any, root: Path, schema: str, place: str) -> None:
    """Check values against a schema of `config/schemas`.

    Raises:
        ConfigError: they do not conform.
    """
    definition = json.loads((root / "config" / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8"))
    try:
        fastjsonschema.validate(definition, values)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ConfigError(f"{place}: {_complaint(error)}") from None


def _complaint(error):
    """What a schema does not allow, as a sentence."""
    where = ".".join(error.path[1:]) or "top level"
    if error.rule == "additionalProperties":
        allowed = error.definition["properties"]
        unknown = next(key for key in error.value if key not in allowed)
        return f"{where}: unknown key {unknown!r}: allowed are {', '.join(allowed)}"
    if error.rule == "required":
        missing = next(key for key in error.definition["required"] if key not in error.value)
        return f"{where}: the key {missing!r} is missing"
    return f"{where} is {error.value!r}: it {error.message.removeprefix(f'{error.name} ')}"


def grid_points(family: Mapping, scale: str, place: str) -> Iterator[dict]:
    """The points of a family's grid at one scale, {key: value}; without a grid, one empty point.

    Raises:
        ConfigError: the quick grid has a key that the grid has not.
    """
    axes, quick = family.get("grid", {}), family.get("quick_grid", {})
    if unknown := set(quick) - set(axes):
        raise ConfigError(f"{place}: quick_grid has {sorted(unknown)[0]!r}: grid has {', '.join(axes) or 'nothing'}")
    axes = axes | quick if scale == "quick" else axes
    return (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))


def run_name(family: str, point: Mapping, place: str) -> str:
    """The name of the run at a point of a family's grid: circle_ridge1e-3_unbiased.

    Raises:
        ConfigError: it would not be safe as the name of a file.
    """
    name = "_".join([family, *(_label(key, value) for key, value in point.items())])
    if not _SAFE.fullmatch(name):
        raise ConfigError(
            f"{place}: the run name {name[:80]!r} is not safe as a file name: use letters, digits and _ . + -, "
            "at most 200 of them"
        )
    return name


def params_at(family: Mapping, scale: str, point: Mapping) -> dict:
    """The parameters of a family's run at one point of its grid."""
    params = _overlay(family.get("params", {}), family.get("quick", {}) if scale == "quick" else {})
    for key, value in point.items():
        params = _overlay(params, _nested(key, value))
    return params


def _nested(key, value):
    """{"a.b": 1} -> {"a": {"b": 1}}."""
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _label(key, value):
    """A grid value in a run's name: width1024, ridge1e-3, unbiased; of a nested key only the last part."""
    key = key.rpartition(".")[2]
    if isinstance(value, bool):
        return key if value else f"no-{key}"
    if isinstance(value, str):
        return value
    small = isinstance(value, float) and 0 < abs(value) < 0.01
    text = np.format_float_scientific(value, trim="-", exp_digits=1) if small else repr(value).removesuffix(".0")
    return f"{key}{text}"


def _overlay(base, changes):
    """A copy of nested mappings `base` with `changes` laid over it."""
    merged = deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _overlay(merged[key], value) if both and not _is_spacing(value) else deepcopy(value)
    return merged


def _is_spacing(value):
    return set(value) <= {"logspace", "linspace"}

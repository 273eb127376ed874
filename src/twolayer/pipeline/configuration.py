"""Configuration files: reading, checking against their schemas, and expansion of their grids."""

import functools
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastjsonschema
import yaml

from twolayer.errors import ConfigError, known, shown
from twolayer.storage.files import read_regular

# a name that every file system and shell accepts without quotes
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,119}")
_DEEPEST = 30  # depth of nested lists and mappings
_MOST = 100_000  # number of values in a file, where each alias counts as often as it repeats a value
_LARGEST = 10_000_000  # size of a file in bytes
_LONGEST_WHOLE = 10_000  # bits of a number that Python still prints
_LONGEST_NUMBER = 200  # characters
# numbers that YAML 1.1 reads in base 8 (010 is 8) or in base 60 (1:30 is 90)
_OTHER_BASE = re.compile(r"[-+]?(0[0-7_]*[0-7]|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
_MOST_RUNS = 100_000  # number of runs in a family
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same loader in C, if PyYAML was built with it


def read_yaml(root: Path, place: str) -> Any:
    """Return the content of a YAML file: texts, numbers, lists, and mappings from texts to them. The content is shared.

    Raises:
        ConfigError: it is missing, is not valid YAML, or has other contents.
    """
    return parsed(read_text(root, place), place)


def read_text(root: Path, place: str) -> str:
    """Return the text of a configuration file.

    Raises:
        ConfigError: it is missing, or is not a text.
    """
    try:
        content = read_regular(root / place)
    except FileNotFoundError:
        raise ConfigError(f"{place} is missing in {root}: restore it from the repository") from None
    except OSError as error:
        raise ConfigError(f"{place} cannot be read ({error.strerror}): give a file that you may read") from None
    if len(content) > _LARGEST:
        raise ConfigError(f"{place} has {len(content):,} bytes: make it smaller than {_LARGEST:,}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{place} is not a text in UTF-8 (byte {error.start}): save it in UTF-8") from None


@functools.lru_cache(maxsize=64)  # a forked process does not repeat the parsing of its worker
def parsed(text: str, place: str) -> Any:
    """Return the content of the text of a YAML file, see `read_yaml`."""
    try:
        if _size(text) > _MOST:
            raise ConfigError(f"{place} has more than {_MOST:,} values: make it smaller")
        content = yaml.load(text, _LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{place}{line} is not valid YAML: {problem[:200]}") from None
    except ValueError as error:  # a text looks like a date or a number, but is neither
        reason = str(error).partition("; use sys.")[0]  # Python's remedy for numbers of many digits
        raise ConfigError(f"{place} is not valid YAML: {reason[:200]}") from None
    # PyYAML raises these for `!!float ""` and similar values
    except (KeyError, IndexError, AttributeError, TypeError, OverflowError):
        raise ConfigError(f"{place} is not valid YAML: a value does not have the type of its tag") from None
    check_plain(content, place)
    return content


@dataclass
class _Open:
    """A list or a mapping whose end has not been read yet.

    Attributes:
        keys: keys so far, None for a list. is_key: whether a key is next. size: values so far, as `_size` counts them.
    """

    anchor: str | None
    keys: set[str] | None
    is_key: bool = True
    size: int = 1


def _size(text: str) -> int:
    """Return the number of values in a YAML text, up to the limit.

    Each value counts as often as an alias or a merge (`<<`) repeats it.

    Raises:
        YAMLError: it is nested too deeply, a key occurs twice in a mapping, or a number is too long.
    """
    parents, sizes, total = [], {}, 0  # anchor -> number of its values; for an open one, a number above the limit
    for event in yaml.parse(text, _LOADER):
        size = 0
        if isinstance(event, yaml.NodeEvent):
            if parents and parents[-1].keys is not None:
                _note_key(parents[-1], event)
            if isinstance(event, yaml.CollectionStartEvent):
                parents.append(_Open(event.anchor, set() if isinstance(event, yaml.MappingStartEvent) else None))
                sizes[event.anchor] = _MOST + 1
                if len(parents) > _DEEPEST:
                    raise _problem(event, f"it is nested deeper than {_DEEPEST}")
                continue
            _check_number(event)
            size = sizes.get(event.anchor, 1) if isinstance(event, yaml.AliasEvent) else 1
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = parents.pop()
            sizes[closed.anchor] = size = closed.size
        if parents:
            parents[-1].size += size
        total = max(total, size, parents[-1].size if parents else 0)
        if total > _MOST:
            break
    return total


def _note_key(parent, event):
    """Record whether a value of a mapping is a key, and check that the key is new."""
    is_key, parent.is_key = parent.is_key, not parent.is_key
    name = getattr(event, "value", None)
    if is_key and name in parent.keys:
        raise _problem(event, f"the key {shown(name)} is given twice")
    if is_key and name != "<<":
        parent.keys.add(name)


def _check_number(event):
    """Check that a number is not in base 8 or 60. The time to parse base 60 grows with the square of the length."""
    value = getattr(event, "value", "")
    if len(value) <= _LONGEST_NUMBER and _OTHER_BASE.fullmatch(value) and event.implicit[0]:
        raise _problem(event, f"{shown(value)} is a number in base 8 or 60: write it in base 10, or put it into quotes")
    if len(value) > _LONGEST_NUMBER and value[0] in "+-0123456789" and ":" in value and not event.implicit[1]:
        raise _problem(event, f"{shown(value)} is not a number: put it into quotes")


def _problem(event, words):
    return yaml.MarkedYAMLError(problem=words, problem_mark=event.start_mark)


def check_plain(content: Any, place: str) -> None:
    """Check that a content has only values that JSON can represent.

    Raises:
        ConfigError: a value is something else, is not finite, or has an invisible character.
    """
    waiting = [("", content)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise ConfigError(f"{place}: {path}the key {shown(key)} is not a text: put it into quotes")
            waiting += [(f"{path}{key}: " if path.count(": ") < _DEEPEST else path, one) for key, one in value.items()]
        elif isinstance(value, list):
            waiting += [(path, one) for one in value]
        elif isinstance(value, int) and value.bit_length() > _LONGEST_WHOLE:
            raise ConfigError(f"{place}: {path}a number has {value.bit_length():,} bits: give a smaller one")
        elif isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{place}: {path}{value} is not finite: give a finite number")
        elif isinstance(value, str) and not value.replace("\n", " ").isprintable():
            raise ConfigError(f"{place}: {path}{shown(value)} has an invisible character: remove it")
        elif value is not None and not isinstance(value, str | bool | int | float):
            raise ConfigError(f"{place}: {path}{value} is neither a text nor a number: put it into quotes")


def validate(values: Any, root: Path, schema: str, place: str) -> None:
    """Check values against a schema of `config/schemas`.

    Raises:
        ConfigError: the values do not conform.
    """
    try:
        _schema((root / "config" / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8"))(values)
    except OSError as error:
        raise ConfigError(f"{error.filename} cannot be read ({error.strerror}): restore it") from None
    except fastjsonschema.JsonSchemaValueException as error:
        raise ConfigError(f"{place}: {_complaint(error)}") from None


@functools.cache
def _schema(text: str) -> Callable[[Any], Any]:
    return fastjsonschema.compile(json.loads(text))


def _complaint(error):
    """Return the violation of a schema as a sentence."""
    where = ".".join(error.path[1:])[:200] or "top level"
    if error.rule == "additionalProperties":
        allowed = error.definition["properties"]
        unknown = next(key for key in error.value if key not in allowed)
        return f"{where}: unknown key {shown(unknown)}: allowed are {', '.join(allowed)}"
    if error.rule == "propertyNames":
        rule = error.definition["propertyNames"]
        unfit = next(key for key in error.value if not re.fullmatch(rule["pattern"], key))
        return f"{where}: the name {shown(unfit)} does not match {rule['pattern']}: choose another"
    if error.rule == "required":
        missing = next(key for key in error.definition["required"] if key not in error.value)
        return f"{where}: the key {missing!r} is missing: add it"
    return f"{where} is {shown(error.value)}: it {error.message.removeprefix(f'{error.name} ')[:200]}"


def grid_points(family: Mapping, preset: str, place: str) -> Iterator[dict]:
    """Yield the points of a family's grid at one preset, {key: value}; without a grid, one empty point.

    Raises:
        ConfigError: the quick grid has a key that is not in the grid, or there are too many points.
    """
    axes, quick = family.get("grid", {}), family.get("quick_grid", {})
    if unknown := set(quick) - set(axes):
        raise ConfigError(
            f"{place}: quick_grid has {shown(sorted(unknown)[0])}, but grid has {', '.join(axes) or 'nothing'}: remove "
            "the key, or add it to grid"
        )
    axes = axes | quick if preset == "quick" else axes
    if (count := math.prod(map(len, axes.values()))) > _MOST_RUNS:
        raise ConfigError(f"{place}: grid has {count:,} points at the {preset} preset: give at most {_MOST_RUNS:,}")
    return (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))


def run_name(family: str, point: Mapping, place: str) -> str:
    """Return the name of the run at a point of a family's grid, such as circle_ridge1e-3_unbiased.

    Raises:
        ConfigError: the name is not safe for a file.
    """
    name = "_".join([family, *(_label(key, value) for key, value in point.items())])
    if not _SAFE.fullmatch(name):
        raise ConfigError(
            f"{place}: the run name {shown(name)} is not safe as a file name: use letters, digits and _ . + -, "
            "at most 120 of them, a letter or a digit first"
        )
    return name


def for_generators(family: Mapping, generators: str | None) -> Mapping:
    """Return a family as the setting `generators` selects it at the paper preset.

    The entry `published` replaces the task and its parameters: that task reads published data. The entry `brief`
    shortens a training. The entry `shipped` names the file of a training that comes with the project. A family without
    it is shortened if it has the entry `brief`.
    """
    if generators in (None, "published") and "published" in family:
        of_its_own = ("params", "quick", "grid", "quick_grid")
        return {key: value for key, value in family.items() if key not in of_its_own} | family["published"]
    for entry in {"brief": ("brief",), "shipped": ("shipped", "brief")}.get(generators, ()):
        if entry in family:
            return {**family, **family[entry], "params": _overlay(family.get("params", {}), family[entry]["params"])}
    return family


def overridden(families: Mapping, changes: Mapping, place: str) -> dict:
    """Return the families of a study with changed parameters, which apply to both presets.

    Args:
        changes: name of a family -> the parameters to change, as in its `params`.

    Raises:
        ConfigError: there is no such family, or its grid has the parameter.
    """
    if unknown := sorted(set(changes) - set(families)):
        raise ConfigError(f"{place}: unknown run {shown(unknown[0])}: choose one of {known(families, unknown[0])}")
    changed = dict(families)
    for name, params in changes.items():
        family = families[name]
        if taken := sorted(set(params) & {key.partition(".")[0] for key in family.get("grid", {})}):
            raise ConfigError(f"{place}.{name}: {taken[0]} is a key of the run's grid: change the grid in config/")
        values = {key: _overlay(family.get(key, {}), params) for key in ("params", "quick")}
        changed[name] = {**family, **values}
    return changed


def params_at(family: Mapping, preset: str, point: Mapping) -> dict:
    """Return the parameters of a family's run at one point of its grid."""
    params = _overlay(family.get("params", {}), family.get("quick", {}) if preset == "quick" else {})
    for key, value in point.items():
        params = _overlay(params, _nested(key, value))
    return params


def _nested(key, value):
    """Return nested mappings: {"a.b": 1} -> {"a": {"b": 1}}."""
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _label(key, value):
    """Return a grid value in a run's name, such as width1024, ridge1e-3 or unbiased; a nested key appears with its last
    part.
    """
    key = key.rpartition(".")[2]
    if isinstance(value, bool):
        return key if value else f"no-{key}"
    if isinstance(value, str):
        return value
    small = isinstance(value, float) and 0 < abs(value) < 0.01
    text = f"{Decimal(repr(value)):e}" if small else repr(value).removesuffix(".0")
    return f"{key}{text}"


def _overlay(base, changes):
    """Return a copy of nested mappings `base` with `changes` applied to it."""
    merged = deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _overlay(merged[key], value) if both and not _is_spacing(value) else deepcopy(value)
    return merged


def _is_spacing(value):
    return set(value) <= {"logspace", "linspace"}

"""JSON schema and tables of the keys of a configuration, from the classes of parameters.

`python -m twolayer.pipeline.schema` writes `config/schemas/tasks.schema.json`.
"""

import dataclasses
import inspect
import json
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from twolayer.experiments import TASKS
from twolayer.library.describe import meanings, type_text
from twolayer.parameters import MAY_BE_EMPTY, Bounds, hints_of, to_json
from twolayer.pipeline.project import CLONE
from twolayer.pipeline.report.format import markdown_table
from twolayer.storage.files import write_text

SCHEMA = Path("config", "schemas", "tasks.schema.json")
_SIMPLE = {float: "number", int: "integer", bool: "boolean", str: "string"}
_BOUNDS = {
    "above": "exclusiveMinimum",
    "at_least": "minimum",
    "below": "exclusiveMaximum",
    "at_most": "maximum",
}
_SPACING = {
    "type": "object",
    "description": "[first, last, count]",
    "properties": {key: {"type": "array", "minItems": 3, "maxItems": 3} for key in ("linspace", "logspace")},
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
}
_HEADER = """\
# Keys of the configuration

Editors that support JSON schemas complete the keys of a study. The file needs this first line:

```yaml
# yaml-language-server: $schema=schemas/tasks.schema.json
```

A list of numbers may be written as `{linspace: [first, last, count]}` or `{logspace: [first, last, count]}`.
"""


def parameters_schema(parameters: type) -> dict[str, Any]:
    """Return the JSON schema of a class of parameters. No key is required, because a grid may contain it."""
    hints, described = hints_of(parameters), meanings(parameters)
    defaults = {
        field.name: json.loads(to_json(field.default))
        for field in dataclasses.fields(parameters)
        if field.default is not dataclasses.MISSING
    }
    properties = {
        field.name: _value_schema(hints[field.name])
        | ({"description": described[field.name]} if field.name in described else {})
        | ({"default": defaults[field.name]} if field.name in defaults else {})
        for field in dataclasses.fields(parameters)
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value_schema(hint):
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated and arguments[1] == MAY_BE_EMPTY:
        return {"type": "array", "items": _value_schema(get_args(arguments[0])[0])}
    if origin is Annotated:
        return _bounded(*arguments) if isinstance(arguments[1], Bounds) else {"type": "string"}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_value_schema(one) for one in arguments]}
    if origin is tuple:
        values = {"type": "array", "items": _value_schema(arguments[0]), "minItems": 1}
        return {"anyOf": [values, {"$ref": "#/definitions/spacing"}]}
    if dataclasses.is_dataclass(hint):
        return {"$ref": f"#/definitions/{hint.__name__}"}
    return {"type": "null"} if hint is type(None) else {"type": _SIMPLE[hint]}


def _bounded(kind, bounds):
    limits = {_BOUNDS[name]: value for name, value in dataclasses.asdict(bounds).items() if value is not None}
    return _value_schema(kind) | limits


def tasks_schema() -> dict[str, Any]:
    """Return the JSON schema of the file of a study, with the parameters of each task."""
    tasks = {name: parameters_schema(task.parameters) for name, task in TASKS.items()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "config/<study>.yaml, with the parameters of each task",
        "allOf": [{"$ref": "study.schema.json"}],
        "properties": {"runs": {"additionalProperties": {"allOf": [_run_of(name) for name in TASKS]}}},
        "definitions": tasks | _nested() | {"spacing": _SPACING},
    }


def _nested():
    """Return the schemas of the classes that are fields of parameters, by the names of the classes."""
    waiting, found = [task.parameters for task in TASKS.values()], {}
    while waiting:
        hints = [part for hint in hints_of(waiting.pop()).values() for part in (hint, *get_args(hint))]
        nested = [hint for hint in hints if isinstance(hint, type) and dataclasses.is_dataclass(hint)]
        waiting += nested
        found |= {one.__name__: parameters_schema(one) for one in nested}
    return dict(sorted(found.items()))


def _run_of(task):
    """Return the condition that a run of a task has its parameters."""
    parameters = {"$ref": f"#/definitions/{task}"}
    return {
        "if": {"properties": {"task": {"const": task}}},
        "then": {"properties": {"params": parameters, "quick": parameters}},
    }


def page(schemas: Path) -> str:
    """Return the page of all keys.

    Args:
        schemas: folder of the schemas of the settings and of a study.
    """
    settings, study = (json.loads((schemas / f"{name}.schema.json").read_text()) for name in ("config", "study"))
    parts = [_HEADER, "## Settings, config/config.yaml\n", *_entries(settings)]
    for name in ("run", "figure"):
        parts += [f"## A {name}, config/STUDY.yaml\n", *_entries(study["definitions"][name])]
    parts.append("## Parameters of the tasks\n")
    for name, task in TASKS.items():
        parts += [f"### {name}\n", inspect.getdoc(task.parameters).splitlines()[0] + "\n"]
        parts += _table(_rows(task.parameters))
    return "\n".join(parts)


def _entries(schema):
    rows = ((name, _words(one), "", one.get("description", "")) for name, one in schema["properties"].items())
    return _table(rows)


def _words(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema, or its choices."""
    kinds = schema.get("type", schema.get("enum", ""))
    return kinds if isinstance(kinds, str) else ", ".join(kinds)


def _rows(parameters, prefix="") -> Iterator[tuple[str, str, str, str]]:
    """Yield the key, the type, the default and the description of each field, and of the fields in it."""
    hints, described = hints_of(parameters), meanings(parameters)
    for field in dataclasses.fields(parameters):
        hint, required = hints[field.name], field.default is dataclasses.MISSING
        default = "required" if required else f"`{json.dumps(json.loads(to_json(field.default)))}`"
        yield prefix + field.name, _kind(hint), default, described.get(field.name, "")
        if dataclasses.is_dataclass(hint):
            yield from _rows(hint, f"{prefix}{field.name}.")


def _kind(hint):
    """Return the type of a field with its range."""
    if dataclasses.is_dataclass(hint):
        return "mapping"
    arguments = get_args(hint)
    bounded = get_origin(hint) is Annotated and isinstance(arguments[1], Bounds)
    return f"`{type_text(hint)}`" + (f", {arguments[1]}" if bounded else "")


def _table(rows):
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return [*(markdown_table("key | type | default | meaning", cells) if cells else ["There are no keys."]), ""]


def schema_text() -> str:
    """Return the text of the schema of tasks."""
    return json.dumps(tasks_schema(), indent=1) + "\n"


if __name__ == "__main__":
    write_text(schema_text(), CLONE / SCHEMA)

"""Signatures and descriptions of functions, from the declarations of their tasks."""

import dataclasses
import inspect
import re
from functools import cache
from textwrap import dedent, indent, wrap
from typing import Any

from twolayer import parameters
from twolayer.experiments import TASKS
from twolayer.experiments.tasks import Task
from twolayer.library.custom_objects import CUSTOM
from twolayer.parameters import TypeText, hints_of

FROM_MIXTURE = {
    "geometry": None,
    "sigma": "the noise of the mixture",
    "input_dimension": "the dimension of the mixture or of the student",
    "simulated_dimension": "the dimension of the mixture or of the student",
}
FEW_SAMPLES = ("class_statistics", "feature_covariances", "generated_feature_covariances", "moments")
_REQUIRED = inspect.Parameter.empty
_SECTION = re.compile(r"^(Attributes|Example|References|Raises):$\n?", re.MULTILINE)
# Numerical settings, which follow the parameters of the problem in signatures. Other parameters define the problem.
SETTINGS = {
    "seeds", "seed", "projections", "test_samples", "simulated_samples", "simulated_dimension", "simulated_relaxations",
    "simulated_seeds", "fit_to_data", "measurements", "directions", "bins", "bandwidth", "points", "cells", "harmonics",
    "quantiles", "verified", "log2_nodes", "drift_log2_nodes", "log2_samples", "nodes", "overlap_order", "method",
    "step", "tolerance", "draws", "stream", "precision", "half_precision", "tf32", "compiled", "device",
}  # fmt: skip


def variants(name: str) -> list[Task]:
    """Return the other tasks that the function of a task can run, depending on the type of its first argument."""
    return [task for task in TASKS.values() if task.function == name]


@cache
def signature(task: Task) -> inspect.Signature:
    """Return the signature of a function: inputs and classes in order, then all other arguments by name.

    Of the latter, the parameters of the problem come first and the numerical settings last.
    """
    hints = hints_of(task.parameters)
    ordered, named, optional, files = [], [], [], []
    if "geometry" in hints:
        ordered.append(_argument("mixture", "Mixture | xr.Dataset"))
    for array in task.arrays:
        name, required = array.rstrip("?"), not array.endswith("?")
        one = _argument(name, "ArrayLike") if required else _argument(name, "ArrayLike | None", None, by_name=True)
        (ordered if required else optional).append(one)
    for role in task.inputs:
        name, given = role.rstrip("?"), _input_type(task, role.rstrip("?"))
        if role.endswith("?"):
            optional.append(_argument(name, f"{given} | None", None, by_name=True))
        else:
            ordered.append(_argument(name, given))
    if task.images and task.files:  # a stored training needs no images
        ordered.append(_argument("images", "str | Path | None", None))
    elif task.images:
        ordered.append(_argument("images", "str | Path"))
    for field in dataclasses.fields(task.parameters):
        if field.name == "geometry":
            continue
        kind, default = type_text(hints[field.name]), field.default
        if default is not dataclasses.MISSING:
            named.append(_argument(field.name, kind, default, by_name=True))
        elif "geometry" in hints and field.name in FROM_MIXTURE:
            named.append(_argument(field.name, f"{kind} | None", None, by_name=True))
        elif dataclasses.is_dataclass(hints[field.name]):
            ordered.append(_argument(field.name, kind))
        else:
            named.append(_argument(field.name, kind, by_name=True))
    if task.images or task.files:
        files.append(_argument("largest_gb", "float | None", None, by_name=True))
    if task.resumes:
        files.append(_argument("checkpoint", "str | Path | None", None, by_name=True))
    named = sorted([*named, *optional], key=lambda one: one.name in SETTINGS)
    return inspect.Signature([*ordered, *named, *files], return_annotation=TypeText("xr.Dataset"))


def _argument(name, kind, default=_REQUIRED, *, by_name=False):
    how = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, how, default=default, annotation=TypeText(kind))


def _input_type(task, name):
    custom = CUSTOM.get(task.makers(name)[0])
    return f"{custom.annotation} | xr.Dataset" if custom else "xr.Dataset"


def type_text(hint: Any) -> str:
    """Return the type of a parameter in Python notation, without its range."""
    return parameters.type_text(hint, ranges=False)


def sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring by their titles, without indentation; the text before has the title ""."""
    parts = _SECTION.split(inspect.cleandoc(text))
    return {"": parts[0].strip()} | {
        title: dedent(body.strip("\n")) for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


@cache
def meanings(parameters: type) -> dict[str, str]:
    """Return the description of each field of a class of parameters, from its docstring.

    Fields that are described together share their description. "As for `task`" refers to the field of the same name of
    that task.
    """
    arrays = parameters.task.arrays if hasattr(parameters, "task") else ()
    names = "|".join([*(field.name for field in dataclasses.fields(parameters)), *(one.rstrip("?") for one in arrays)])
    text = " ".join(sections(parameters.__doc__).get("Attributes", "").split())
    parts = re.split(rf"(?:^|(?<=[.;] ))((?:{names})(?:, (?:{names}))*): ", text)[1:]
    found = zip(parts[::2], parts[1::2], strict=True)
    described = {name: one.strip() for listed, one in found for name in listed.split(", ")}
    return {name: _resolved(name, one) for name, one in described.items()}


def _resolved(name, text):
    other = re.fullmatch(r"as for `(\w+)`\.", text)
    return meanings(TASKS[other[1]].parameters)[name] if other else text


def description(task: Task) -> str:
    """Return the docstring of a function."""
    found = sections(task.parameters.__doc__)
    lines = [found[""], "", "Args:", *_arguments(task)]
    lines += ["", "Returns: a Dataset with", *_variables(task)]
    lines += ["", "Raises:", *(f"    {line}" for line in _raises(task))]
    for title in ("Example", "References"):
        lines += ["", f"{title}:", indent(found[title], "    ")] if title in found else []
    for other in variants(task.name):
        role = next(iter(other.inputs))
        lines += ["", f"With {_may_be(other, role).rstrip('.')} first, it is the same function as `{other.name}`."]
    return "\n".join(lines) + "\n"


def _raises(task):
    """Yield the errors of a function, one in each line."""
    yield "ConfigError: an argument is not allowed, a package is missing, or the memory is too small. The message"
    yield "    states what is allowed."
    yield "NotConverged: a solver does not reach its tolerance, or numbers leave the range of double precision. The"
    yield "    message names the arguments to change."
    if task.inputs:
        yield "ResultError: a given result is damaged or incomplete, or is the result of another task."
    else:
        yield "ResultError: the result does not have its declared variables."
    if task.images or task.files or task.resumes:
        yield "DataError: a file is missing, damaged, too large, or not in a known format."
    elif task.name in FEW_SAMPLES:
        yield "DataError: there are too few samples for a covariance."


def _arguments(task):
    """Yield the lines about the arguments, in their order."""
    described = _inputs(task) | meanings(task.parameters)
    for name in signature(task).parameters:
        text = described[name]
        if "geometry" in hints_of(task.parameters) and FROM_MIXTURE.get(name):
            text = f"{text.rstrip('.')}; by default {FROM_MIXTURE[name]}."
        text = re.sub(r"\bnull\b", "None", text)
        yield from wrap(
            f"{name}: {text}", 116, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False
        )


def _inputs(task):
    """Return the meanings of the inputs and the files by their names."""
    found = {name: _may_be(task, name) for name in task.possible_inputs}
    if "geometry" in hints_of(task.parameters):
        found["mixture"] = "a Mixture of isotropic noise, or a result of isotropic_mixture."
    if task.images:
        found["images"] = "folder with the folders of the image sets, with the publishers' files."
    if task.images or task.files:
        found["largest_gb"] = "limit of a file in memory, in 10^9 bytes; None means 4."
    if task.resumes:
        found["checkpoint"] = "file to continue from after an interruption, removed after success; None stores nothing."
    return found


def _may_be(task, name):
    makers = task.makers(name)
    custom = CUSTOM.get(makers[0])
    needed = " (optional)" if f"{name}?" in task.inputs else ""
    return (
        f"{custom.what}, or a result of {', '.join(makers)}{needed}." if custom else f"a result of {', '.join(makers)}."
    )


def _variables(task):
    """Return the variables of the result, one in each line."""
    lines = []
    for dims, names in task.result.variables.items():
        for name in names.split():
            shape = f" ({', '.join(dims.split())})" if dims else ""
            maybe = " (optional)" if name.endswith("?") else ""
            unit = task.result.units.get(name.rstrip("?"))
            meaning = task.result.meaning(name.rstrip("?")) + (f", in units of {unit}" if unit else "")
            lines.append(f"    {name.rstrip('?')}{shape}: {meaning}{maybe}")
    return lines + (["    weights.*: the weights of the network"] if task.result.weights else [])

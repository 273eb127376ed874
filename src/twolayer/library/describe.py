"""Signatures and descriptions of functions, from the declarations of their tasks."""

import dataclasses
import inspect
from functools import cache
from typing import Any

from twolayer import parameters
from twolayer.experiments import TASKS
from twolayer.experiments.tasks import Task
from twolayer.library.types import CUSTOM
from twolayer.parameters import TypeText, hints_of

FROM_MIXTURE = {
    "geometry": None,
    "sigma": "the noise of the mixture",
    "input_dimension": "the dimension of the mixture or of the student",
    "simulated_dimension": "the dimension of the mixture or of the student",
}
FEW_SAMPLES = ("class_statistics", "feature_covariances", "generated_feature_covariances", "moments")
_REQUIRED = inspect.Parameter.empty


def variants(name: str) -> list[Task]:
    """Return the other tasks that the function of a task can run, depending on the type of its first argument."""
    return [task for task in TASKS.values() if task.function == name]


@cache
def signature(task: Task) -> inspect.Signature:
    """Return the signature of a function: inputs and classes in order, then all other arguments by name."""
    hints = hints_of(task.parameters)
    ordered, named, optional = [], [], []
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
    if task.images and task.files:
        optional.append(_argument("images", "str | Path | None", None, by_name=True))
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
        optional.append(_argument("largest_gb", "float | None", None, by_name=True))
    if task.resumes:
        optional.append(_argument("checkpoint", "str | Path | None", None, by_name=True))
    return inspect.Signature([*ordered, *named, *optional], return_annotation=TypeText("xr.Dataset"))


def _argument(name, kind, default=_REQUIRED, *, by_name=False):
    how = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, how, default=default, annotation=TypeText(kind))


def _input_type(task, name):
    own = CUSTOM.get(task.makers(name)[0])
    return f"{own.annotation} | xr.Dataset" if own else "xr.Dataset"


def type_text(hint: Any) -> str:
    """Return the type of a parameter in Python notation, without its range."""
    return parameters.type_text(hint, ranges=False)


def description(task: Task) -> str:
    """Return the docstring of a function."""
    text, _, example = inspect.cleandoc(task.parameters.__doc__).partition("Example:\n")
    summary, _, attributes = text.partition("Attributes:")
    lines = [summary.strip(), "", "Args:", *_inputs(task), *_indented(attributes), *_filled(task)]
    lines += ["", "Returns: a Dataset with", *_variables(task)]
    lines += ["", "Raises:", *(f"    {line}" for line in _raises(task))]
    lines += ["", "Example:", example.rstrip()] if example else []
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


def _inputs(task):
    """Return the possible types of the inputs, one in each line."""
    lines = [f"    {name}: {_may_be(task, name)}" for name in sorted(task.possible_inputs)]
    if "geometry" in hints_of(task.parameters):
        lines.insert(0, "    mixture: a Mixture of isotropic noise, or a result of isotropic_mixture.")
    if task.images:
        lines.append("    images: folder with the folders of the image sets, with the publishers' files.")
    if task.images or task.files:
        lines.append("    largest_gb: limit of a file in memory, in 10^9 bytes; None means 4.")
    if task.resumes:
        lines.append("    checkpoint: file for the state, to continue after an interruption; None stores nothing.")
    return lines


def _may_be(task, name):
    makers = task.makers(name)
    own = CUSTOM.get(makers[0])
    needed = " (optional)" if f"{name}?" in task.inputs else ""
    return f"{own.what}, or a result of {', '.join(makers)}{needed}." if own else f"a result of {', '.join(makers)}."


def _indented(attributes):
    """Return the attributes of the parameters, without the geometry that the mixture defines."""
    lines = attributes.strip("\n").splitlines()
    return [line for line in lines if line.strip() != "geometry: arrangement of the clusters."]


def _filled(task):
    """Return the parameters that the mixture defines by default."""
    hints = hints_of(task.parameters)
    names = [name for name in FROM_MIXTURE if name in hints and name != "geometry"] if "geometry" in hints else []
    return [f"    By default {name} is {FROM_MIXTURE[name]}." for name in names]


def _variables(task):
    """Return the variables of the result, one in each line."""
    lines = []
    for dims, names in task.result.variables.items():
        for name in names.split():
            shape = f" ({', '.join(dims.split())})" if dims else ""
            maybe = " (optional)" if name.endswith("?") else ""
            lines.append(f"    {name.rstrip('?')}{shape}: {task.result.meaning(name.rstrip('?'))}{maybe}")
    return lines + (["    weights.*: the weights of the network"] if task.result.weights else [])

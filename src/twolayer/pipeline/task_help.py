"""Help for the tasks: summary, parameters with their defaults, inputs and result."""

import dataclasses
from collections.abc import Iterator
from textwrap import wrap

from twolayer.experiments import TASKS
from twolayer.experiments.tasks import Task
from twolayer.library.describe import meanings, sections, type_text
from twolayer.parameters import hints_of


def summaries() -> Iterator[str]:
    """Yield a line for each task: its name and its summary."""
    width = max(map(len, TASKS))
    for name, task in TASKS.items():
        yield f"{name:{width}}  {_summary(task)}"


def task_lines(task: Task) -> Iterator[str]:
    """Yield the lines of the help of a task."""
    yield f"{task.name}: {_summary(task)}"
    yield ""
    yield "Parameters, for --params in JSON:"
    hints = hints_of(task.parameters)
    for field in dataclasses.fields(task.parameters):
        default = "required" if field.default is dataclasses.MISSING else f"default {field.default!r}"
        yield f"    {field.name}: {type_text(hints[field.name])}, {default}"
    if described := meanings(task.parameters):
        yield ""
        yield "Meaning of the parameters:"
        for name in (field.name for field in dataclasses.fields(task.parameters) if field.name in described):
            yield from wrap(f"{name}: {described[name]}", 116, initial_indent="    ", subsequent_indent="        ")
    if task.possible_inputs:
        yield ""
        yield "Inputs, for --input NAME=PATH:"
        yield from (f"    {name}: a result of {', '.join(task.makers(name))}" for name in sorted(task.possible_inputs))
    yield ""
    yield "Variables of the result:"
    for dims, names in task.result.variables.items():
        shape = f" ({', '.join(dims.split())})" if dims else ""
        for name in (one.rstrip("?") for one in names.split()):
            yield f"    {name}{shape}: {task.result.meaning(name)}"


def _summary(task):
    return sections(task.parameters.__doc__)[""].partition("\n\n")[0].replace("\n", " ")

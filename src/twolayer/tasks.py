"""What a task is. Its parameters, a dataclass, declare it; the module that does it lies beside them.

A function is named, not imported, so that the workflow can read all tasks in no time.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """One kind of job.

    Attributes:
        name: of the task, of its module, and of its folder of results.
        parameters: dataclass of its parameters.
        module: whose function `run(parameters, **inputs)` returns a Dataset.
        inputs: names of the results it needs.
        images: splits that it reads of an image set, from a folder, its input `images`.
        resumes: whether it goes on where it was interrupted, from its input `checkpoint`.
    """

    name: str
    parameters: type
    module: str
    inputs: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    resumes: bool = False

    @property
    def function(self) -> Callable:
        """The function that does the task."""
        return importlib.import_module(self.module).run


def task(
    name: str, *, inputs: tuple[str, ...] = (), images: tuple[str, ...] = (), resumes: bool = False
) -> Callable[[type], type]:
    """Declare a dataclass to be the parameters of a task, which the module `name` in the same folder does."""

    def declare(parameters):
        folder = parameters.__module__.rpartition(".")[0]
        parameters.task = Task(name, parameters, f"{folder}.{name}", inputs, images, resumes)
        return parameters

    return declare

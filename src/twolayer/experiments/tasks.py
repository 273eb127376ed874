"""Definition of a task: a dataclass declares its parameters, and a module in the same folder computes it.

A function is given by name and not imported, so that the workflow can read all tasks quickly.
"""

import dataclasses
import importlib
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twolayer.errors import ConfigError, NotConverged
from twolayer.extras import needing_extras
from twolayer.results.layout import Layout

if TYPE_CHECKING:
    import xarray as xr

NOT_OF_IMAGES = ("digits",)  # data sets that come with scikit-learn


@dataclass(frozen=True, eq=False)
class Task:
    """A type of job.

    Attributes:
        name: name of the task, of its module, and of its folder of results.
        parameters: dataclass of its parameters.
        module: name of the module, whose function `run(parameters, **inputs)` returns a Dataset.
        result: layout of its result.
        inputs: names of the results that it needs, with a ? if they are optional -> the tasks that create them.
        arrays: names of the arrays that it takes, with a ? if they are optional. Such a task cannot be part of a
            configuration.
        images: splits of an image set that it reads from a folder, its input `images`; none if its parameter `dataset`
            is null, or not an image set, or if its parameter `stored` names a stored training.
        files: its parameters that name files of the user. If the parameters have a method `files_read`, that method
            lists the files instead.
        modules: its parameters, with dots if they are nested, that name functions of custom modules.
        resumes: whether it continues after an interruption, from its input `checkpoint`.
        function: another task, whose library function also runs this task, depending on the type of its first argument.
        training: whether it trains a network by so many steps that rounding changes the trained network.
    """

    name: str
    parameters: type
    module: str
    result: Layout
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arrays: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    resumes: bool = False
    function: str | None = None
    training: bool = False

    @property
    def required_inputs(self) -> set[str]:
        """Return the inputs that it requires."""
        return {name for name in self.inputs if not name.endswith("?")}

    @property
    def possible_inputs(self) -> set[str]:
        """Return all inputs that it takes."""
        return {name.rstrip("?") for name in self.inputs}

    def makers(self, name: str) -> tuple[str, ...]:
        """Return the tasks whose results it takes as that input."""
        return self.inputs.get(name) or self.inputs[f"{name}?"]

    def image_set(self, parameters: Any) -> str | None:
        """Return the image set that a run with these parameters reads, or None."""
        if not self.images or getattr(parameters, "stored", None) is not None:
            return None
        return None if parameters.dataset in NOT_OF_IMAGES else parameters.dataset

    def image_files(self, parameters: Any, folder: Path) -> list[Path]:
        """Return the files of the image set that a run with these parameters reads.

        Args:
            folder: contains the folders of the image sets.
        """
        from twolayer.model.data.images import image_files

        dataset = self.image_set(parameters)
        names = [name for split in self.images if dataset for name in image_files(dataset, split)]
        return [folder / dataset / name for name in names]

    def custom_files(self, parameters: Any) -> list[str]:
        """Return the files of the user that a run with these parameters reads.

        Raises:
            OSError: a folder of files cannot be read.
        """
        if hasattr(parameters, "files_read"):
            return parameters.files_read()
        named = (getattr(parameters, name) for name in self.files)
        return [os.path.expanduser(path) for path in named if path is not None]

    def custom_modules(self, parameters: Any) -> list[str]:
        """Return the functions of custom modules, "package.module:function", that a run with these parameters calls."""
        return [name for place in self.modules if (name := attrgetter(place)(parameters)) is not None]

    def run(self, parameters: Any, **inputs: Any) -> "xr.Dataset":
        """Run the task.

        Raises:
            ResultError: its result differs from the declared layout.
            ConfigError: it needs a package that is not installed, or more memory than there is.
            NotConverged: its numbers leave the range of double precision.
        """
        with needing_extras(self.name), _within_limits(self.name, parameters), default_state():
            return self.result.complete(importlib.import_module(self.module).run(parameters, **inputs), parameters)


@contextmanager
def default_state() -> Iterator[None]:
    """Run a computation with the defaults of numpy and torch, whatever the caller has set."""
    from twolayer.floating_point import default_errors  # loads numpy

    with ExitStack() as state:
        state.enter_context(default_errors())
        if "torch" in sys.modules:  # else it has its defaults when a computation loads it
            from twolayer.torch_defaults import torch_defaults

            state.enter_context(torch_defaults())
        yield


@contextmanager
def _within_limits(name: str, parameters: Any) -> Iterator[None]:
    """Name the extreme parameters if a computation exceeds the memory or the range of double precision.

    Raises:
        ConfigError: the computation needs too much memory.
        NotConverged: numbers overflow, or a matrix has no decomposition in double precision.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or any(phrase in str(error) for phrase in _TOO_LARGE):
            raise ConfigError(
                f"{name} needs more memory than there is ({_one_line(error)}): lower its largest parameters, "
                f"{_extremes(parameters, float)}"
            ) from error
        if not isinstance(error, ArithmeticError) and type(error).__name__ != "LinAlgError":
            raise
        raise NotConverged(
            f"{name} leaves the range of double precision ({type(error).__name__}: {_one_line(error)}): use less "
            f"extreme parameters, now {_extremes(parameters, lambda x: abs(math.log10(x)))}"
        ) from error


# Messages of torch and numpy, which raise a RuntimeError or a ValueError for arrays beyond memory or beyond 64 bits.
_TOO_LARGE = (
    "allocate memory",
    "out of memory",
    "Storage size calculation overflowed",
    "Overflow when unpacking",
    "Maximum allowed dimension",
    "array is too big",
    "int too large to convert to C",
)


def _one_line(error):
    return " ".join(str(error).split())[:100] or "no details"


def _extremes(parameters, measure):
    """Return the parameters with the largest measure, as an error lists them."""
    numbers = sorted(set(_numbers(parameters, "")), key=lambda one: measure(one[1]), reverse=True)
    return ", ".join(f"{name} = {value:g}" for name, value in numbers[:3]) or "the arrays"


def _numbers(value, name):
    """Yield name and size of every number in parameters that is not zero."""
    if dataclasses.is_dataclass(value):
        for field_ in dataclasses.fields(value):
            yield from _numbers(getattr(value, field_.name), field_.name)
    elif isinstance(value, tuple):
        for item in value:
            yield from _numbers(item, name)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value and name != "seed":
        yield name, abs(value)


def task(
    name: str,
    *,
    result: Layout,
    inputs: Mapping[str, str] | None = None,
    arrays: tuple[str, ...] = (),
    images: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    modules: tuple[str, ...] = (),
    resumes: bool = False,
    function: str | None = None,
    training: bool = False,
) -> Callable[[type], type]:
    """Declare a dataclass as the parameters of a task, which the module `name` in the same folder computes.

    Args:
        inputs: name of an input, with a ? if it is optional -> the tasks that create it, "one other".
        function: another task, whose library function also runs this task.
        training: whether rounding changes the trained network, see `Task`.
    """
    makers = {role: tuple(tasks.split()) for role, tasks in (inputs or {}).items()}

    def declare(parameters):
        folder = parameters.__module__.rpartition(".")[0]
        module = f"{folder}.{name}"
        options = (makers, arrays, images, files, modules, resumes, function, training)
        parameters.task = Task(name, parameters, module, result, *options)
        return parameters

    return declare

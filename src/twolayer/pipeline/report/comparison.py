"""A run of a figure with other parameters, plotted with the result of the workflow. No file is written."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from twolayer import io
from twolayer.errors import ConfigError, known, shown
from twolayer.escaping import mathtext
from twolayer.experiments import TASKS
from twolayer.parameters import parse
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.studies.runs import Run
from twolayer.storage.checkpoint import NoCheckpoint

_AVERAGED = ("seed", "projection", "trial")
_MOST = 6  # largest number of curves of a run that are plotted


def compute(catalogue: Catalogue, run: Run, parameters: Mapping[str, Any]) -> xr.Dataset | None:
    """Return the result of a run with changed parameters, or None if no parameter is changed.

    Args:
        parameters: name of a parameter, with dots if it is nested -> its value.

    Raises:
        ConfigError: a parameter or a value is not allowed.
        ResultError: a result that the run needs is missing.
    """
    task, changed = TASKS[run.task], json.loads(run.params)
    for name, value in parameters.items():
        changed = _with(changed, name.split("."), value)
    asked = parse(task.parameters, changed, f"parameters of {run.name}")
    if asked == run.parameters:
        return None
    inputs = {
        name: io.read(catalogue.root / catalogue.run(run.preset, run.study, source).path, task=task.makers(name))
        for name, source in run.inputs.items()
    }
    inputs |= {"images": catalogue.image_folder(run)} if run.images else {}
    inputs |= {"checkpoint": NoCheckpoint()} if task.resumes else {}
    return task.run(asked, **inputs)


def _with(parameters: Any, path: list[str], value: Any) -> dict[str, Any]:
    """Return parameters with one changed value."""
    key, *rest = path
    parameters = parameters if isinstance(parameters, dict) else {}
    return parameters | {key: _with(parameters.get(key), rest, value) if rest else value}


def plot(stored: xr.Dataset, new: xr.Dataset, curve: str) -> Figure:
    """Plot a variable of two results of a task: the stored result in grey, the new one in colour.

    Raises:
        ConfigError: the results have no such curve.
    """
    drawing, axes = plt.subplots(figsize=(6, 4))
    for index, (_, places, values) in enumerate(_lines(stored, curve)):
        axes.plot(places, values, color="0.6", lw=3, label="workflow" if index == 0 else None)
    for label, places, values in _lines(new, curve):
        axes.plot(places, values, "--", label=mathtext(", ".join(filter(None, ("new", label)))))
    about = stored[curve]
    along = _along(about)
    axes.set(xlabel=mathtext(_named(stored[along], along)), ylabel=mathtext(_named(about, curve)))
    axes.legend()
    return drawing


def _named(variable: xr.DataArray, name: str) -> str:
    return str(variable.attrs.get("long_name", name.replace("_", " ")))


def _lines(result: xr.Dataset, curve: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield label, coordinates and values of each curve of a variable, averaged over seeds."""
    if curve not in result or not result[curve].ndim:
        raise ConfigError(f"unknown curve {shown(curve)}: choose one of {known(result.data_vars, curve)}")
    variable = result[curve]
    variable = variable.mean([name for name in variable.dims if name in _AVERAGED])
    along = _along(variable)
    others = [name for name in variable.dims if name != along]
    stacked = variable.stack(curve=others) if others else variable.expand_dims("curve")
    for index in range(min(stacked.sizes["curve"], _MOST)):
        one = stacked.isel(curve=index)
        label = ", ".join(f"{name.replace('_', ' ')} {one[name].item()}" for name in others if variable.sizes[name] > 1)
        yield label, one[along].values, one.values


def _along(variable: xr.DataArray) -> str:
    """Return the dimension along which a variable is plotted: the longest one with a numeric coordinate."""
    numeric = [
        name
        for name in variable.dims
        if name not in _AVERAGED and name in variable.coords and np.issubdtype(variable[name].dtype, np.number)
    ]
    if not numeric:
        raise ConfigError(f"variable {shown(variable.name)} has no numeric coordinate: choose another curve")
    return max(numeric, key=lambda name: variable.sizes[name])

"""Runs of tasks in tests."""

import xarray as xr

from twolayer.experiments import TASKS
from twolayer.parameters import parse


def make(task: str, params: dict, **inputs: xr.Dataset) -> xr.Dataset:
    """Run a task."""
    return TASKS[task].run(parse(TASKS[task].parameters, params, task), **inputs)

"""Schema of the attributes of results: type, length and pattern of each. Unknown attributes are refused.

Also the names of variables that every layout may have.
"""

import json
import math
import numbers
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from twolayer.errors import shown
from twolayer.parameters import recorded_name

if TYPE_CHECKING:
    import xarray as xr

TASK = "twolayer_task"  # an attribute of every result
DIGESTS = "digests"  # the attribute with the digest of each input and each custom function
FORMAT, CURRENT_FORMAT = "result_format", "2"  # the number changes with the names of variables and tasks
CONVERGED = "converged"  # variable that is 0 at the points of a sweep that are NaN
MARKS = (CONVERGED, f"closed_{CONVERGED}")  # the second is for simulated noise levels
WEIGHTS = "weights."  # prefix of variables of a network, which have arbitrary names and shapes
GIT_COMMIT = re.compile(r"unknown|[0-9a-f]{7,40}(-dirty)?")

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,39}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_LONGEST_LINE = 5000  # characters
_DATE = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\+00:00")
_DIGEST = re.compile(r"[0-9a-f]{16}")
_LONGEST_JSON = 10**6  # characters

_TEXTS = {
    TASK: _NAME,
    FORMAT: re.compile(CURRENT_FORMAT),
    "twolayer_version": _VERSION,
    "git_commit": GIT_COMMIT,
    "created": _DATE,
    "python": _VERSION,
    "machine": re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}"),
    "architecture": _NAME,
    "generator": _DIGEST,
    "checksum": _DIGEST,
}
_LINES = {"processor", "kind", "distribution", "trained_on", "remark", "activation", "defining"}
_OBJECTS = {"params": "parameters", "sizes": "sizes", DIGESTS: "digests"}  # attributes in JSON
_COSTS = {  # name -> the largest value
    "wall_time_s": 6e7,  # 1e6 minutes, the largest value in a configuration
    "cpu_time_s": 1e11,
    "peak_memory_mb": 1e7,
}
_NUMBERS = {**_COSTS, "hidden": 1e6, "channels": 1e6}
_REQUIRED = (TASK, FORMAT, "params", "wall_time_s", "twolayer_version", "git_commit", "created", "python", "machine")
_VERSIONS = "version_"  # beginning of the name of the version of a library
_OF_RUN = {*_COSTS, FORMAT, "twolayer_version", "git_commit", "created", "python", "machine", "processor"}


def describes_run(name: str) -> bool:
    """Return whether an attribute differs between two computations of one result: cost, date, versions and machine."""
    return name in _OF_RUN or name.startswith(_VERSIONS)


def fault_of_result(attributes: Mapping[str, Any]) -> str | None:
    """Find the first attribute of a result that is missing, or that the schema does not allow.

    Returns: its fault, as a phrase that follows the name of the file, or None.
    """
    missing = [name for name in _REQUIRED if name not in attributes]
    return fault_of_attributes(attributes) or (f"lacks the attribute {missing[0]}" if missing else None)


def fault_of_attributes(attributes: Mapping[str, Any]) -> str | None:
    """Find the first attribute that the schema does not allow.

    Returns: its fault, as a phrase that follows the name of the file, or None.
    """
    return next(filter(None, (_fault(name, value) for name, value in attributes.items())), None)


def fault_of_variables(variables: "Mapping[Any, xr.Variable]") -> str | None:
    """Find the first variable with a fault, see `fault_of_variable`."""
    return next(filter(None, (fault_of_variable(str(name), one) for name, one in variables.items())), None)


def fault_of_variable(name: str, variable: "xr.Variable") -> str | None:
    """Find the first attribute of a variable that is neither a number nor a line of text, or a text that is not a line.

    Returns: its fault, as a phrase that follows the name of the file, or None.
    """
    if variable.dtype.kind in "OTU":
        for text in np.unique(np.asarray(variable, str)).tolist():
            if text and not _is_line(text):
                return f"has the text {shown(text)} in {shown(name)}, which is not a line of text"
    for key, value in variable.attrs.items():
        if not (_is_number(value) or (isinstance(value, str) and _is_line(value or "-"))):
            return f"has the attribute {shown(key)} {_plain(value)} of {shown(name)}, which is not a line of text"
    return None


def _fault(name, value):
    if callable(value):
        return f"has the function {recorded_name(value)!r} as {name}, which a file cannot contain: use a named {name}"
    if name in _NUMBERS:
        if not (_is_number(value) and 0 <= float(value) <= _NUMBERS[name]):
            return f"has the attribute {name} {_plain(value)}, which is not a number from 0 to {_NUMBERS[name]:g}"
        return None
    if name in _OBJECTS:
        return _fault_of_json(name, value)
    if name in _LINES:
        return None if _is_line(value) else f"has the attribute {name} {_plain(value)}, which is not a line of text"
    pattern = _TEXTS.get(name) or (_VERSION if str(name).startswith(_VERSIONS) else None)
    if pattern is None:
        return f"has the unknown attribute {shown(name)}"
    if not isinstance(value, str) or not pattern.fullmatch(value):
        return f"has the attribute {name} {_plain(value)}, which does not match {shown(pattern.pattern)}"
    return None


def _fault_of_json(name, value):
    try:
        if isinstance(value, str) and len(value) <= _LONGEST_JSON and isinstance(json.loads(value), dict):
            return None
    except (ValueError, RecursionError):
        pass
    return f"has {_OBJECTS[name]} that are not a JSON object ({_plain(value)})"


def _is_line(value):
    """Return whether a value is a text without control characters, invisible characters and line breaks."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_LINE and value.isprintable()


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def _plain(value):
    """Return a numpy value as an error shows it."""
    return shown(value.tolist() if hasattr(value, "tolist") else value)

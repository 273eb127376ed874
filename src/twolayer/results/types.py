"""The type of object in a result, and the checksum of the variables that define it; both are attributes."""

import hashlib

import numpy as np
import xarray as xr

from twolayer.errors import ResultError

DEFINING = "defining"  # the attribute that lists the variables
_KIND, _CHECKSUM = "kind", "checksum"
_DIGITS = 16  # digits of a checksum


def marked(result: xr.Dataset, kind: str) -> xr.Dataset:
    """Return the result with its type, and with the checksum of all variables that it has now."""
    names = sorted(map(str, result.data_vars))
    attributes = {_KIND: kind, DEFINING: " ".join(names), _CHECKSUM: _checksum(result, names)}
    return result.assign_attrs(attributes)


def named(result: xr.Dataset, kind: str) -> xr.Dataset:
    """Return the result with its type, for objects that have another checksum."""
    return result.assign_attrs({_KIND: kind})


def changed(result: xr.Dataset) -> bool:
    """Return whether the variables that define the object have changed since the object was created.

    A result without a checksum, from an earlier version, counts as unchanged.
    """
    if not {DEFINING, _CHECKSUM} <= result.attrs.keys():
        return False
    names = str(result.attrs[DEFINING]).split()
    return not set(names) <= set(result.data_vars) or _checksum(result, names) != result.attrs[_CHECKSUM]


def kind_of(result: xr.Dataset, *allowed: str) -> str:
    """Return the type of a result, which must be one of the allowed types.

    Raises:
        ResultError: the result has another type, or none.
    """
    kind = result.attrs.get(_KIND)
    if kind not in allowed:
        found = f"a result of type {kind!r}" if kind else "a result without a type"
        raise ResultError(
            f"found {found} with {', '.join(map(str, result.data_vars))[:80]}: give {' or '.join(allowed)}"
        )
    return kind


def _checksum(result, names):
    digest = hashlib.sha256()
    for name in names:
        values = np.ascontiguousarray(result[name].values)
        values = values if values.dtype.kind == "f" else values.astype(float)  # files store integers in other sizes
        digest.update(f"{name} {values.shape} {values.dtype.str}".encode() + values.tobytes())
    return digest.hexdigest()[:_DIGITS]

"""The kind of object that a result holds, with the checksum of the variables that define it; both are attributes."""

import hashlib

import numpy as np
import xarray as xr

from twolayer.errors import ResultError

DEFINING = "defining"  # the attribute that names the variables
_KIND, _CHECKSUM = "kind", "checksum"
_DIGITS = 16  # of a checksum


def marked(result: xr.Dataset, kind: str) -> xr.Dataset:
    """Return the result with its kind, and with the checksum of all variables that it has now."""
    names = sorted(map(str, result.data_vars))
    attributes = {_KIND: kind, DEFINING: " ".join(names), _CHECKSUM: _checksum(result, names)}
    return result.assign_attrs(attributes)


def named(result: xr.Dataset, kind: str) -> xr.Dataset:
    """Return the result with its kind, for objects that have a checksum of their own."""
    return result.assign_attrs({_KIND: kind})


def changed(result: xr.Dataset) -> bool:
    """Return whether the variables that define the object have other values than when it was made.

    A result without a checksum, as an earlier version wrote it, counts as unchanged.
    """
    if not {DEFINING, _CHECKSUM} <= result.attrs.keys():
        return False
    names = str(result.attrs[DEFINING]).split()
    return not set(names) <= set(result.data_vars) or _checksum(result, names) != result.attrs[_CHECKSUM]


def kind_of(result: xr.Dataset, *allowed: str) -> str:
    """The kind of a result, one of those that are allowed.

    Raises:
        ResultError: it is of another, or of none.
    """
    kind = result.attrs.get(_KIND)
    if kind not in allowed:
        found = f"a result of kind {kind!r}" if kind else "a result that holds no object"
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

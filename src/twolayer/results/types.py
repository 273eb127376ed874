"""The kind of object that a result holds: it stands in an attribute and is never guessed."""

import xarray as xr

from twolayer.errors import ResultError

_ATTRIBUTE = "kind"


def marked(result: xr.Dataset, kind: str) -> xr.Dataset:
    """The result, said to be of a kind."""
    return result.assign_attrs({_ATTRIBUTE: kind})


def kind_of(result: xr.Dataset, *allowed: str) -> str:
    """The kind of a result, one of those that are allowed.

    Raises:
        ResultError: it is of another, or of none.
    """
    kind = result.attrs.get(_ATTRIBUTE)
    if kind not in allowed:
        found = f"a result of kind {kind!r}" if kind else "a result that holds no object"
        raise ResultError(
            f"found {found} with {', '.join(map(str, result.data_vars))[:80]}: give {' or '.join(allowed)}"
        )
    return kind

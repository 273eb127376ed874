"""Errors that a user can correct. Each message is one sentence with the value, the place and the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 400  # largest number of letters in a list of names


class TwolayerError(Exception):
    """Base of all errors that are reported without a traceback."""


class ConfigError(TwolayerError):
    """A value of the configuration, or an argument, is not allowed."""


class DataError(TwolayerError):
    """An image file is missing, truncated, or has other contents than expected."""


class ResultError(TwolayerError):
    """A results file is missing, truncated, or belongs to another run."""


def known(names: Iterable[str], wanted: str = "") -> str:
    """Return allowed names as an error lists them: the first few of many, after those that resemble the wanted name."""
    names = list(names)
    if len(together := ", ".join(names)) <= _SHOWN:
        return together or "none"
    first = dict.fromkeys([*get_close_matches(wanted, names, n=3), *names[:5]])
    return f"{', '.join(first)} and {len(names) - len(first):,} more"


class NotConverged(TwolayerError):
    """A solver stopped before it reached its tolerance."""


class SmallSample(UserWarning):
    """A set of samples is too small for a computation.

    The result is valid for this set, and hardly for other samples.
    """

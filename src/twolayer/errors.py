"""What a user can put right: each error is one sentence with the value, the place and the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 400  # letters at most in a list of names


class TwolayerError(Exception):
    """Base of all errors that are reported without a traceback."""


class ConfigError(TwolayerError):
    """A value of the configuration, or an argument, is not allowed."""


class DataError(TwolayerError):
    """An image file is missing, truncated, or not what it should be."""


class ResultError(TwolayerError):
    """A results file is missing, truncated, or does not belong here."""


def known(names: Iterable[str], wanted: str = "") -> str:
    """Names that are allowed, as an error lists them: of many the first few, before them those like the wanted one."""
    names = list(names)
    if len(together := ", ".join(names)) <= _SHOWN:
        return together or "none"
    first = dict.fromkeys([*get_close_matches(wanted, names, n=3), *names[:5]])
    return f"{', '.join(first)} and {len(names) - len(first):,} more"


class NotConverged(TwolayerError):
    """A solver stopped before it reached its tolerance."""


class SmallSample(UserWarning):
    """A set of samples is too small for what is asked of it: the result holds for this set, and hardly beyond."""

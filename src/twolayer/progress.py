"""A progress bar on a terminal, without output in a log."""

from collections.abc import Iterable

from tqdm import tqdm


def track(items: Iterable, description: str) -> Iterable:
    """Yield the items one by one, with a bar on standard error if it is a terminal."""
    return tqdm(items, desc=description, disable=None, leave=False)

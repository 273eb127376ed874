"""A progress bar for whoever watches a terminal, and nothing in a log."""

from collections.abc import Iterable

from tqdm import tqdm


def track(items: Iterable, description: str) -> Iterable:
    """The items, one by one, with a bar on standard error where that is a terminal."""
    return tqdm(items, desc=description, disable=None, leave=False)

"""Quantities and tables as text."""

from collections.abc import Iterable


def duration(seconds: float) -> str:
    """Return a time in a suitable unit."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def percent(fraction: float) -> str:
    """Return a fraction in percent, with two digits below 100 %."""
    return f"{100 * fraction:.2g} %" if abs(fraction) < 0.995 else f"{100 * fraction:.0f} %"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with a given number of digits, or an empty text."""
    return "" if value is None else f"{value:.{digits}g}"


def markdown_table(head: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """Return the lines of a table in Markdown.

    Args:
        head: names of the columns, "one | other". rows: cells, in which | is escaped.
    """
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return [f"| {head} |", "|" + "---|" * len(head.split(" | ")), *lines]

"""Quantities in words, for people."""


def duration(seconds: float) -> str:
    """A time in the unit that fits it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def percent(fraction: float) -> str:
    """A fraction in percent, with two digits below 100 %."""
    return f"{100 * fraction:.2g} %" if abs(fraction) < 0.995 else f"{100 * fraction:.0f} %"


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many digits, or nothing."""
    return "" if value is None else f"{value:.{digits}g}"

"""Quantities in words, for people."""


def duration(seconds: float) -> str:
    """A time in the unit that fits it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"

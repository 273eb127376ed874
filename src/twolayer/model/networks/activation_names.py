"""The names of the activations, which parameters need without numpy and scipy."""

import re

NAMES = (
    *("erf", "relu", "linear", "sign", "tanh", "sigmoid", "softplus", "gelu", "swish", "sin"),
    *("hermite2", "hermite3", "hermite4"),
)
_HERMITE = re.compile(r"hermite(\d{1,2})")


def hermite_degree(name: str) -> int | None:
    """Return the degree of a Hermite polynomial from its name, `hermite` and a number, or None for any other name."""
    found = _HERMITE.fullmatch(name)
    return int(found[1]) if found else None


def is_named(name: str) -> bool:
    """Return whether an activation has this name."""
    return name in NAMES or hermite_degree(name) is not None

"""Names of the activations, apart from their functions: parameters are read without waiting for numba."""

import re
from typing import Literal, get_args

ActivationName = Literal[
    "erf", "relu", "linear", "sign", "tanh", "sigmoid", "softplus", "gelu", "swish", "hermite2", "hermite3", "hermite4"
]
NAMED = get_args(ActivationName)
_HERMITE = re.compile(r"hermite(\d{1,2})")


def hermite_degree(name: str) -> int | None:
    """The degree of the Hermite polynomial of that name, `hermite` and a number; None for any other name."""
    found = _HERMITE.fullmatch(name)
    return int(found[1]) if found else None

"""A start for fixed points of the XOR mixture."""

import numpy as np

from twolayer.errors import ConfigError
from twolayer.theory.mixtures.mixture_equations import IsotropicState


def xor_start(hidden: int) -> IsotropicState:
    """Return a state of `hidden` = 4, 6, 8, ... units in which each unit belongs to one cluster of the XOR mixture.

    Source: refinetti2021, the initial condition of the asymptotic solution.
    """
    if hidden < 4 or hidden % 2:
        raise ConfigError(f"no XOR start for {hidden} hidden units: use an even number of at least 4")
    if hidden == 4:
        norms = np.array([0.98196293, 1.21409575, 1.21608174, 0.97920306])
        c, s = 0.9, np.sqrt(1 - 0.9**2)
        R = norms * np.array([[c, -s, -c, s], [s, c, -s, -c]])
        v = norms * np.array([-c, c, -c, c])
    else:
        even = np.array([[1.07, 0.22], [-0.98, 0.2], [0.39, -0.08]] + [[0.1, -0.01]] * (hidden // 2 - 3)).T
        R = np.stack([even, even[::-1]], axis=2).reshape(2, hidden)  # units in pairs, mirrored at the diagonal
        v = np.tile([-1.0, 1.0], hidden // 2) * np.repeat(np.abs(even[0]), 2)
    return IsotropicState(R.T @ R, R, v)

"""The reduced equations of the XOR mixture with four units, as the authors' code has them: for comparison alone.

Two units and their mirror images (x, y) -> (-y, -x), which belong to the other class, are described by the coordinates
of the first two. The mirror images are exact at a fixed point of the complete equations. What the code adds is not: the
second layer is set to the larger coordinates of its units, and Q to R^T R, which leaves out what the noise of SGD adds.
The decision is then that of the Bayes-optimal classifier at all noise levels, the squared error too small.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import root

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.mixtures.fixed_point import xor_start
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState

_TOLERANCE = 1e-8  # of the drift


def reduced_state(free: np.ndarray) -> IsotropicState:
    """The state of four units whose first two have these coordinates (2, 2), a unit a column."""
    (a, b), (c, d) = free
    R = np.array([[a, b, -d, -c], [c, d, -b, -a]])
    return IsotropicState(R.T @ R, R, np.array([-a, d, -d, a]))


def reduced_fixed_point(equations: IsotropicEquations, start: np.ndarray | None = None) -> IsotropicState:
    """Where the equations of R alone stand still within the ansatz.

    Args:
        equations: of the XOR mixture.
        start: (2, 2) coordinates of the first two units; by default those of `xor_start`.

    Raises:
        ConfigError: the means are not those of the XOR mixture.
        NotConverged: no such state is found.

    Source: refinetti2021, whose code has this option of the asymptotic solution.
    """
    if not np.array_equal(equations.mixture.means, np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])):
        raise ConfigError(
            "the reduced equations are those of the XOR mixture without biases: leave them out for others"
        )
    start = xor_start(4).R[:, :2] if start is None else start
    reference = reduced_state(start)
    equations = replace(equations, nodes=equations.nodes.aligned(reference.Q + np.eye(4)))
    found = root(lambda free: equations.drift(reduced_state(free.reshape(2, 2))).R[:, :2].ravel(), start.ravel())
    if not np.abs(found.fun).max() < _TOLERANCE:
        raise NotConverged(
            f"the reduced equations do not come to rest: the drift is still {np.abs(found.fun).max():.2g}"
        )
    return reduced_state(found.x.reshape(2, 2))

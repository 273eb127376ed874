"""The reduced equations of the XOR mixture with four units, as in the authors' code. They serve only as a comparison.

Two units and their mirror images (x, y) -> (-y, -x), which belong to the other class, are described by the coordinates
of the first two. The mirror images are exact at a fixed point of the complete equations. Two further assumptions of the
code are not exact. It sets the second layer to the larger coordinates of its units, and Q to R^T R, without the
contribution of the noise of SGD. The decision is then Bayes-optimal at all noise levels, and the squared error is too
small.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import root

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState

_TOLERANCE = 1e-8  # largest drift at a fixed point


def reduced_state(free: np.ndarray) -> IsotropicState:
    """Return the state of four units whose first two have these coordinates (2, 2), one unit in each column."""
    (a, b), (c, d) = free
    R = np.array([[a, b, -d, -c], [c, d, -b, -a]])
    return IsotropicState(R.T @ R, R, np.array([-a, d, -d, a]))


def reduced_fixed_point(equations: IsotropicEquations, start: np.ndarray | None = None) -> IsotropicState:
    """Return the fixed point of the equations of R within the ansatz.

    Args:
        equations: equations of the XOR mixture.
        start: (2, 2) coordinates of the first two units; by default the coordinates of `xor_start`.

    Raises:
        ConfigError: the mixture is not the XOR mixture.
        NotConverged: no fixed point is found.

    Source: refinetti2021, whose code has this option of the asymptotic solution.
    """
    if not np.array_equal(equations.mixture.means, np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])):
        raise ConfigError(
            "the reduced equations hold only for the XOR mixture without biases: use the complete equations for others"
        )
    start = xor_start(4).R[:, :2] if start is None else start
    reference = reduced_state(start)
    equations = replace(equations, nodes=equations.nodes.aligned(reference.Q + np.eye(4)))
    found = root(lambda free: equations.drift(reduced_state(free.reshape(2, 2))).R[:, :2].ravel(), start.ravel())
    if not np.abs(found.fun).max() < _TOLERANCE:
        raise NotConverged(
            f"no fixed point of the reduced equations is found: the drift is still {np.abs(found.fun).max():.2g}: "
            "leave out reduced"
        )
    return reduced_state(found.x.reshape(2, 2))

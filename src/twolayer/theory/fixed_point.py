"""Stationary states of online learning on an isotropic mixture: what the network reaches after infinitely many steps."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.ode import integrate

_DIFFERENCE = 1e-5  # step of central differences: an error of 1e-10 from truncation and from rounding alike


@dataclass(frozen=True)
class FixedPoint:
    """A state that the order-parameter equations leave unchanged.

    Attributes:
        equations: with the nodes for which the state is stationary.
        state: the stationary state.
        residual: largest absolute component of the drift.
        iterations: Newton steps taken.
        leading_eigenvalue: largest real part among the eigenvalues of the drift's Jacobian, per unit time.
    """

    equations: IsotropicEquations
    state: IsotropicState
    residual: float
    iterations: int
    leading_eigenvalue: float

    @property
    def stable(self) -> bool:
        """Whether small deviations die out."""
        return self.leading_eigenvalue < 0


def xor_start(hidden: int) -> IsotropicState:
    """A state of `hidden` = 4, 6, 8, ... units in which every cluster of the XOR mixture has units of its own.

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


def stationary_state(
    equations: IsotropicEquations,
    start: IsotropicState,
    relaxation_time: float,
    tolerance: float = 1e-10,
    max_iterations: int = 50,
) -> FixedPoint:
    """The fixed point that the flow from `start` leads to: relaxation first, then Newton's method.

    Args:
        relaxation_time: how long to follow the flow, in units of N steps.
        tolerance: bound on the largest absolute component of the drift.

    Raises:
        NotConverged: the flow diverges, or Newton's method stays above the tolerance.
    """
    relaxed = integrate(equations, start, np.array([0.0, relaxation_time])).states[-1]
    covariance = equations.local_fields(relaxed)[1]
    equations = replace(equations, nodes=equations.nodes.aligned(covariance))
    unknowns, iterations = _pack(relaxed), 0
    drift = _drift(equations, relaxed, unknowns)
    while (residual := np.abs(drift).max()) > tolerance:
        if iterations == max_iterations:
            raise _stuck(residual, iterations, tolerance, relaxation_time)
        step = np.linalg.solve(_jacobian(equations, relaxed, unknowns), -drift)
        unknowns, drift = _damped_step(equations, relaxed, unknowns, step, residual)
        iterations += 1
        if drift is None:
            raise _stuck(residual, iterations, tolerance, relaxation_time)
    leading = np.linalg.eigvals(_jacobian(equations, relaxed, unknowns)).real.max()
    return FixedPoint(equations, _unpack(relaxed, unknowns), float(residual), iterations, float(leading))

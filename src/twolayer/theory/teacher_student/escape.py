"""Escape of one unit on the sphere from a random start. The teacher is also one unit.

The overlap m = w . theta, with |w| = |theta| = 1 in suitable units, obeys for large d

    dm = a(m) dt + sqrt((b(m) - a(m)^2) / d) dB,    t = steps / d,
    a = -eta v E[g' e p] - m / 2 eta^2 v^2 E[g'^2 e^2],    b = E[(eta v g' e p + m / 2 eta^2 v^2 g'^2 e^2)^2],

with fields l and n of correlation m, the error e = v g(l) - v g(n) - noise and p = n - m l. The literature leaves out
a^2 in the diffusion, which is small near m = 0 and where the run ends. If the first Hermite
coefficient of g that is not zero has the order l, the information exponent, gradient flow has a ~ m^(l - 1).

Source: arnaboldi2023escaping, stochastic differential equation of the escape.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.chebyshev import Chebyshev

from twolayer.errors import NotConverged
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.hermite_expansion import unit_rule
from twolayer.theory.averages.hermite_series import FieldGrid

_NODES = 64  # nodes of the Gauss-Hermite rule of each field
_ROUNDING = 1e-12  # rounding error of the drift, relative to its largest value
_USUAL = np.array([0.3, 0.7])  # overlaps of rates that are not 0
_SMALLEST = 1e-12  # overlap at the start below which the nodes do not become finer
_PARTS = 8  # panels of each field if the activation has kinks, where further panels end
_LARGEST_ERROR = 0.01  # largest relative change of a rate by twice the nodes
_DEGREE = 64  # degree of the polynomials of both rates in m
_PANELS, _PANEL = 16, 32  # panels of the integral over a path, and nodes in each panel
_LINEAR = 0.1  # part of the smallest start below which nodes are equidistant
_MOST_RUNS = 1000  # largest number of runs that are integrated at a time


@dataclass(frozen=True, eq=False)
class SingleIndex:
    """A unit and its teacher.

    Attributes:
        activation: g. learning_rate: eta. second_layer: v of both. noise: standard deviation of the labels' noise.
    """

    activation: Activation
    learning_rate: float
    second_layer: float = 1.0
    noise: float = 0.0

    def rates(self, m: np.ndarray, *, flow: bool = False, refinement: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return drift a and mean square b (n,) of the changes at overlaps m (n,).

        Args:
            flow: whether to use the drift of gradient flow, without the square of the learning rate.
            refinement: factor of the number of nodes.
        """
        field, weights = _nodes(self.activation, np.zeros(1), np.ones(1), refinement)
        field, rest = field.ravel(), np.sqrt(1 - m[:, None] ** 2)
        across, weights_across = _nodes(self.activation, m[:, None] * field, rest, refinement)
        value, slope = (function(field)[:, None] for function in (self.activation.value, self.activation.slope))
        teacher = self.activation.value((m[:, None] * field)[..., None] + rest[..., None] * across)
        error = self.second_layer * (value - teacher)
        pull = self.learning_rate * self.second_layer * slope * rest[..., None] * across
        shrinking = m[:, None, None] / 2 * (self.learning_rate * self.second_layer * slope) ** 2  # by the sphere
        s2 = self.noise**2
        squares, cubes = error**2 + s2, error**3 + 3 * error * s2
        fourth = error**4 + 6 * error**2 * s2 + 3 * s2**2
        drift = -(pull * error) - (0 if flow else shrinking * squares)
        mean_square = pull**2 * squares + 2 * pull * shrinking * cubes + shrinking**2 * fourth
        return tuple((rate * weights_across).sum(-1) @ weights.ravel() for rate in (drift, mean_square))

    def stated_rates(self, m: np.ndarray, *, flow: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return drift and mean square (2, n) of the changes at overlaps m (n,), and their quadrature errors (2, n).

        Raises:
            NotConverged: twice the nodes change a rate by more than 1 %.
        """
        coarse, fine = (np.array(self.rates(m, flow=flow, refinement=factor)) for factor in (1, 2))
        errors = np.abs(coarse - fine)
        usual = _ROUNDING * np.abs(self.rates(_USUAL, flow=flow)).max(axis=1)  # rates at 0, 1 and -1 may be 0
        if (errors.max(axis=1) > _LARGEST_ERROR * np.abs(fine).max(axis=1) + usual).any():
            raise NotConverged(
                f"the averages of {self.activation.name} are not accurate: twice the nodes change the drift of the "
                f"overlap or its mean square by more than {_LARGEST_ERROR:.0%}: use a smoother activation"
            )
        return fine, errors

    @cached_property
    def fitted_rates(self) -> tuple[Chebyshev, Chebyshev]:
        """Both rates as polynomials of m."""
        points = np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
        return tuple(Chebyshev.fit(points, values, _DEGREE, domain=[-1, 1]) for values in self.rates(points))

    def variance(self, m: np.ndarray) -> np.ndarray:
        """Return the variance (n,) of the changes, b - a^2."""
        drift, mean_square = (rate(m) for rate in self.fitted_rates)
        return mean_square - drift**2

    def ode_times(self, starts: np.ndarray, threshold: float) -> np.ndarray:
        """Return the times (n,) at which |m| reaches a threshold from starts (n,) without diffusion; infinity if never.

        They are integrals of 1 / a over m, because the rates depend only on m.
        """
        blocks = np.array_split(starts, -(-len(starts) // _MOST_RUNS))
        return np.concatenate([self._path_times(block, threshold) for block in blocks])

    def _path_times(self, starts, threshold):
        drift = self.fitted_rates[0]
        ends = np.where(drift(starts) >= 0, threshold, -threshold)
        smallest = _LINEAR * max(np.abs(starts).min(), _SMALLEST)  # nodes of all sizes, by m = smallest sinh u
        low, high = np.arcsinh(starts / smallest), np.arcsinh(ends / smallest)
        at, weights = unit_rule(_PANEL)
        places = ((np.arange(_PANELS)[:, None] + at) / _PANELS).ravel()
        u = low[:, None] + (high - low)[:, None] * places
        speed = drift(smallest * np.sinh(u))
        with np.errstate(divide="ignore"):
            times = (smallest * np.cosh(u) / speed) @ np.tile(weights / _PANELS, _PANELS) * (high - low)
        moves_on = np.all(np.sign(speed) == np.sign(ends)[:, None], axis=1)
        moves_on &= (starts != 0) | (np.abs(drift(starts)) > _ROUNDING * np.abs(speed).max())  # rests at 0 by symmetry
        return np.where(np.abs(starts) >= threshold, 0.0, np.where(moves_on, times, np.inf))


def _nodes(activation, mean, deviation, refinement):
    """Return nodes of a standard normal variable and their weights (..., n), for fields mean + deviation z.

    Panels end where a field meets a kink. Without kinks the Gauss-Hermite rule is exact for polynomials.
    """
    if activation.kinks.size:
        spread = np.broadcast_to(deviation, mean.shape)
        grid = FieldGrid.of(mean[..., None], spread[..., None], activation.kinks, _PARTS * refinement)
        return grid.z, grid.weights
    z, weights = np.polynomial.hermite_e.hermegauss(_NODES * refinement)
    return z, weights / weights.sum()

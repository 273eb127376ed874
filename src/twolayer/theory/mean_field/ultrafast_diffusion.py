"""The ultra-fast diffusion of the feature distribution: the limit of variable projection for a vanishing ridge.

With features that can represent everything, u = f*/f minimises the unbiased risk, R = int (f*/f - 1)^2 f / 2, and its
gradient flow in the Wasserstein metric is

    d_t f = -d_x( f* d_x u ),

on [-pi, pi), periodic, from the uniform density. One unit of time is one unit of time of the features' descent. The
solution converges at a linear rate: near the teacher, f = f* (1 + g) has d_t g = d_x(f* d_x g) / f*.

With another regularisation phi of the outer weights, R = int phi(f*/f) f, and phi'(u) replaces u.

Source: barboni2025, section 5.2.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import odeint
from scipy.linalg import eigh, toeplitz

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.power_entropies import entropy_slope
from twolayer.model.teachers.teacher_distributions import CircleTeacher

_RELATIVE_TOLERANCE, _ABSOLUTE_TOLERANCE = 1e-7, 1e-10
_MOST_STEPS = 100_000  # steps between two outputs
_RATE_TOLERANCE = 1e-3  # relative change of the slowest rate with half as many harmonics


@dataclass(frozen=True, eq=False)
class Diffusion:
    """The equation in finite volumes, conservative and of second order, with f = f* as an exact equilibrium.

    Attributes:
        target: (n,) cell averages of f*. faces: (n,) f* at the upper ends of the cells, divided by the spacing squared.
        power: power of the regularisation, see `power_entropies`.
    """

    target: np.ndarray
    faces: np.ndarray
    power: float = 2.0

    @classmethod
    def of(cls, teacher: CircleTeacher, cells: int, power: float = 2.0) -> "Diffusion":
        """Return the equation for a teacher, on a grid of at least 4 cells.

        Raises:
            ConfigError: there are fewer than 4 cells.
        """
        if cells < 4:
            raise ConfigError(f"cells is {cells}: the diffusion needs a grid of at least 4")
        edges = np.linspace(-np.pi, np.pi, cells + 1)
        return cls(teacher.cell_averages(edges), teacher.density(edges[1:]) / (2 * np.pi / cells) ** 2, power)

    @property
    def centres(self) -> np.ndarray:
        """Cell centres (n,)."""
        cells = len(self.target)
        return -np.pi + (np.arange(cells) + 0.5) * 2 * np.pi / cells

    def drift(self, density: np.ndarray) -> np.ndarray:
        """Return d_t f of cell averages (n,)."""
        potential = self.target / density
        if self.power != 2:
            potential = entropy_slope(potential, self.power)
        flux = self.faces * (np.roll(potential, -1) - potential)
        return np.roll(flux, 1) - flux

    def bands(self, density: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return d drift_i / d f_k for k = i - 1, i, i + 1, each (n,); periodic."""
        slope = -self.target / density**2
        if self.power != 2:
            slope *= (self.target / density) ** (self.power - 2)
        before = np.roll(self.faces, 1)
        return -before * np.roll(slope, 1), (self.faces + before) * slope, -self.faces * np.roll(slope, -1)

    def solve(self, times: np.ndarray) -> np.ndarray:
        """Return densities (T, n) at increasing times (T,), the first of which is 0.

        Raises:
            NotConverged: the integration stops before the last time.
        """
        cells = len(self.target)
        order = _ring_order(cells)
        jacobian = _BandedJacobian(self, order)
        solution, report = odeint(
            lambda density, _: self.drift(density[jacobian.position])[order],
            np.full(cells, 1 / (2 * np.pi)),
            times,
            Dfun=jacobian,
            ml=2,
            mu=2,
            rtol=_RELATIVE_TOLERANCE,
            atol=_ABSOLUTE_TOLERANCE,
            mxstep=_MOST_STEPS,
            full_output=True,
        )
        if report["message"] != "Integration successful.":
            raise NotConverged(f"the ultra-fast diffusion stopped ({report['message']}): use fewer cells than {cells}")
        return solution[:, jacobian.position]


def slowest_mode(teacher: CircleTeacher, angles: np.ndarray, harmonics: int = 128) -> tuple[float, np.ndarray]:
    """Return the smallest positive eigenvalue of g -> -d_x(f* d_x g) / f* and its eigenfunction at `angles` (n,).

    The eigenvalue is the rate at which f approaches f* in the end. The integral int (f - f*) g over the eigenfunction g
    decays at this rate as soon as the equation is linear. The problem is int f* h' g' = rate int f* h g for all h among
    the first `harmonics` harmonics.

    Returns: the rate, and the eigenfunction, whose largest value is 1.

    Raises:
        NotConverged: the rate changes with half as many harmonics, because gamma is too large for them.
    """
    rate, vector = _slowest(teacher, harmonics)
    if not abs(_slowest(teacher, harmonics // 2)[0] / rate - 1) <= _RATE_TOLERANCE:
        raise NotConverged(
            f"the rate at which the diffusion approaches the teacher does not converge in {harmonics} harmonics: take "
            f"a smaller gamma than {teacher.gamma:g}"
        )
    mode = np.exp(1j * np.outer(angles, np.arange(-harmonics, harmonics + 1))) @ vector
    return rate, (mode / mode[abs(mode).argmax()]).real


def _slowest(teacher, harmonics):
    """Return the rate, and the coefficients of the eigenfunction."""
    k = np.arange(-harmonics, harmonics + 1)
    products = toeplitz(teacher.harmonics(np.arange(len(k))))  # int f* exp(-i (k - l) x)
    (rate,), vectors = eigh(np.outer(k, k) * products, products, subset_by_index=(1, 1))
    return float(rate), vectors[:, 0]


def _ring_order(cells):
    """Return 0, n - 1, 1, n - 2, ....

    Neighbours on the ring are at most two places apart, so the Jacobian is banded.
    """
    order = np.empty(cells, dtype=np.int64)
    order[0::2] = np.arange((cells + 1) // 2)
    order[1::2] = np.arange(cells - 1, (cells + 1) // 2 - 1, -1)
    return order


class _BandedJacobian:
    """The Jacobian in the order of the ring, packed by diagonals as LSODA requires."""

    def __init__(self, diffusion, order):
        self._diffusion = diffusion
        self.position = np.argsort(order)  # position of each cell in the order of the ring
        cells = np.arange(len(order))
        columns = [self.position[np.mod(cells + shift, len(order))] for shift in (-1, 0, 1)]
        self._places = [(2 + self.position - column, column) for column in columns]

    def __call__(self, density, _):
        packed = np.zeros((5, len(density)))
        for place, band in zip(self._places, self._diffusion.bands(density[self.position]), strict=True):
            packed[place] = band
        return packed

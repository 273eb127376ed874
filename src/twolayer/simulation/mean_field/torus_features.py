"""Compiled features on the torus, phi(w, x) = (2 / s^2) exp(-|w - x| / s), for variable projection.

The features have no structure that could be used, unlike on the circle, so every iteration evaluates all N M features.
The matrix Phi passes through the cache row by row, and everything that depends on a row is computed while it is there:
a residual during the evaluation of the features, and both halves of a product with Phi^T Phi. The exponential is a
polynomial to the fourth power, which vectorises in single and in double precision. Coordinates are integers whose range
is the period, so that their differences are shortest on the torus.

Source: barboni2025, section 6.1, for the model.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.teachers.teacher_distributions import FEATURE_WIDTH, HALF_PERIOD, wrap

_FARTHEST = math.sqrt(2) * HALF_PERIOD
_DEGREES = {"single": 8, "double": 14}  # degrees of the polynomial, whose relative error is below rounding
_TYPES = {"single": np.float32, "double": np.float64}
_PLACES = {"single": np.uint32, "double": np.uint64}  # types of coordinates, which start at 0
# sums may be reordered and 1 / sqrt approximated, which allows vectorisation
_SUMS = {"reassoc", "contract", "arcp", "nsz", "afn"}


def _root_polynomial(degree):
    """Return coefficients, by increasing power of r - (farthest / 2), of the fourth root of phi at distance r."""
    root = Chebyshev.interpolate(
        lambda distance: (2 / FEATURE_WIDTH**2 * np.exp(-distance / FEATURE_WIDTH)) ** 0.25,
        degree,
        domain=[0, _FARTHEST],
    )
    power = root.convert(kind=Polynomial, domain=[-1, 1], window=[-1, 1])
    return power(Polynomial([_FARTHEST / 2, 1])).coef


@dataclass(frozen=True)
class _Constants:
    """Constants of the compiled functions in their precision: numba converts any other type of number to a double."""

    unit: np.floating
    middle: np.floating
    tiny: np.floating
    root: tuple[np.floating, ...]

    @classmethod
    def of(cls, precision):
        kind = _TYPES[precision]
        root = tuple(kind(value) for value in _root_polynomial(_DEGREES[precision]))
        unit = 2 * HALF_PERIOD / 2 ** np.iinfo(_PLACES[precision]).bits
        return cls(kind(unit), kind(_FARTHEST / 2), np.finfo(kind).tiny, root)


class TorusFeatures:
    """The features of a changing network at fixed inputs, with targets to fit.

    Args:
        inputs: (N, 2), anywhere in the plane. targets: (N,). width: M.
        precision: `single` or `double`, for everything that is computed with Phi.

    Raises:
        ConfigError: the shapes do not fit together, or there are no features.
    """

    def __init__(self, inputs: np.ndarray, targets: np.ndarray, width: int, precision: str = "double"):
        if inputs.ndim != 2 or inputs.shape[1] != 2 or targets.shape != inputs.shape[:1]:
            raise ConfigError(f"inputs {inputs.shape} and targets {targets.shape} do not fit: give (N, 2) and (N,)")
        if width < 1:
            raise ConfigError(f"width is {width}: a network needs at least one feature")
        self.count, self.width = len(inputs), width
        self._kind, self._place, self._constants = _TYPES[precision], _PLACES[precision], _Constants.of(precision)
        self._inputs, self._targets = self._columns(inputs), self.array(targets)
        self._phi = np.empty((self.count, width), self._kind)

    def array(self, values: np.ndarray) -> np.ndarray:
        """Return an array of the type for the other methods."""
        return np.array(values, self._kind)

    def numpy(self, values: np.ndarray) -> np.ndarray:
        """Return an array in double precision."""
        return values

    def place(self, weights: np.ndarray) -> np.ndarray:
        """Move weights (M, 2) of features, in double precision, to the cell that represents the torus."""
        return wrap(np.array(weights, float))

    def evaluate(self, weights: np.ndarray, outer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Set the weights of the features, and return the misfit.

        Args:
            weights: (M, 2), see `place`. outer: (M,), u.

        Returns: the misfit y - Phi u / M (N,), and Phi^T misfit / N (M,).
        """
        self._weights = self._columns(weights)
        misfit, pull, constants = np.empty_like(self._targets), np.empty_like(outer), self._constants
        numbers = (constants.unit, constants.middle, constants.root)
        _evaluate(*self._inputs, self._targets, *self._weights, outer, *numbers, self._phi, misfit, pull)
        return misfit, pull / self._kind(self.count)

    def product(self, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Phi p / M (N,) and K p = Phi^T Phi p / (N M), for a direction p (M,)."""
        image, curvature = np.empty_like(self._targets), np.empty_like(direction)
        _multiply(self._phi, direction, self._kind(1 / self.width), image, curvature)
        return image, curvature / self._kind(self.count)

    def shifted_inverse(self, ridge: float) -> np.ndarray:
        """Return (K + ridge)^-1 (M, M).

        Raises:
            NotConverged: the matrix is not positive definite in this precision.
        """
        (syrk,) = get_blas_funcs(("syrk",), (self._phi,))
        factorise, invert = get_lapack_funcs(("potrf", "potri"), (self._phi,))
        matrix = syrk(self._kind(1 / (self.count * self.width)), self._phi.T, lower=1)
        matrix[np.diag_indices(self.width)] += self._kind(ridge)
        factor, failed = factorise(matrix, lower=1, overwrite_a=1)
        if failed:
            kind = np.dtype(self._kind).name
            raise NotConverged(f"K + ridge is not positive definite in {kind} at ridge {ridge:g}: use a larger ridge")
        lower = np.tril(invert(factor, lower=1, overwrite_c=1)[0])
        # row by row, as from a checkpoint, so that all bits agree
        return np.ascontiguousarray(lower + np.tril(lower, -1).T)

    def slopes(self, misfit: np.ndarray) -> np.ndarray:
        """Return the sum over the data of misfit_n times the gradient of phi(w_j, x_n) in w_j (M, 2)."""
        out = np.empty((2, self.width), self._kind)
        _add_slopes(*self._inputs, *self._weights, self._phi, misfit, self._constants.tiny, *out)
        return out.T.astype(float) / -FEATURE_WIDTH

    def _columns(self, points):
        turns = points.T / (2 * HALF_PERIOD) % 1 % 1  # the first remainder of a tiny negative number is 1
        places = np.ldexp(turns, np.iinfo(self._place).bits).astype(self._place, order="C")
        return tuple(places.view(f"i{places.itemsize}"))


def teacher_output(inputs: np.ndarray, teacher: np.ndarray) -> np.ndarray:
    """Return (1/M*) sum_k phi(w*_k, x) at inputs (N, 2), for a teacher's features (M*, 2)."""
    output = np.zeros(len(inputs))
    for block in np.array_split(np.arange(len(inputs)), -(-len(inputs) * len(teacher) // 4_000_000)):
        features = TorusFeatures(inputs[block], output[block], len(teacher))
        output[block] = -features.evaluate(features.place(teacher), np.ones(len(teacher)))[0]
    return output


# Return the shortest difference of two coordinates on the torus, as a number of phi's type, by integer overflow.
@njit(inline="always")
def _difference(w, x, phi):
    """Of two coordinates the short way round, in their unit, as a number of the kind of phi: the integers overflow."""
    return phi.dtype.type(type(w)(w - x))


@njit(cache=True, fastmath=_SUMS, error_model="numpy")
def _evaluate(x, y, targets, wx, wy, outer, unit, middle, root, phi, misfit, pull):
    count, width = phi.shape
    pull[:] = 0
    for n in range(count):
        row, output = phi[n], outer.dtype.type(0)
        for j in range(width):
            dx, dy = _difference(wx[j], x[n], phi), _difference(wy[j], y[n], phi)
            distance = unit * math.sqrt(dx * dx + dy * dy) - middle
            value = root[-1]
            for k in range(len(root) - 2, -1, -1):
                value = value * distance + root[k]
            value *= value
            value *= value
            row[j] = value
            output += value * outer[j]
        misfit[n] = targets[n] - output / width
        for j in range(width):
            pull[j] += misfit[n] * row[j]


@njit(cache=True, fastmath=_SUMS)
def _multiply(phi, direction, scale, image, curvature):
    count, width = phi.shape
    curvature[:] = 0
    for n in range(count):
        row, total = phi[n], direction.dtype.type(0)
        for j in range(width):
            total += row[j] * direction[j]
        total *= scale
        image[n] = total
        for j in range(width):
            curvature[j] += total * row[j]


@njit(cache=True, fastmath=_SUMS, error_model="numpy")
def _add_slopes(x, y, wx, wy, phi, misfit, tiny, out_x, out_y):
    """Add slopes of phi, up to the factor -1 / s; 0 where a feature is at an input."""
    count, width = phi.shape
    out_x[:], out_y[:] = 0, 0
    for n in range(count):
        row, weight = phi[n], misfit[n]
        for j in range(width):
            dx, dy = _difference(wx[j], x[n], phi), _difference(wy[j], y[n], phi)
            slope = weight * row[j] / math.sqrt(max(dx * dx + dy * dy, tiny))
            out_x[j] += slope * dx
            out_y[j] += slope * dy

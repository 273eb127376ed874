"""Activations of hidden units, with one type of object for theory, simulation and compiled code.

Code on arrays calls an `Activation`, or its `value` and `slope`. Compiled code takes its `compiled` form and calls
`compiled_value` and `compiled_slope`. It computes erf, relu and linear units by formula, and all others from a table.
"""

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.networks.activation_functions import (
    NAMED,
    SLOPE_AT_ZERO,
    Function,
    hermite_functions,
)
from twolayer.model.networks.activation_names import hermite_degree
from twolayer.model.networks.hermite_expansion import unit_rule

_ERF, _RELU, _LINEAR, _TABLE = range(4)  # methods by which compiled code computes an activation
# points at which a function is examined: on either side of zero, and not at kinks
_PROBES = np.linspace(-4.03, 4.03, 38)
_NEAR_ZERO = 1.5  # range in which the values of a function are its size
_SMALLEST, _LARGEST = 1e-6, 1e8  # sizes at which averages of units keep their accuracy
_HIGHEST_DEGREE = 6  # largest degree of polynomials that are recognised
# far and near distance from a kink, and the ratio of mean slopes from which the mean square of the slope is infinite:
# the ratio is (far / near)^(1 - p) for |x|^p, whose slope has a finite mean square if p > 1/2
_FAR_FROM_KINK, _NEAR_KINK, _STEEPER = 1e-2, 1e-6, 60.0
_JUMP = 1e-5  # smallest jump of value or slope that is a kink, relative to the function and to its size near zero
_DIFFERENCE = 2.0**-17  # step of central differences: truncation and rounding both cost 1e-11

REACH = 64.0  # largest absolute argument in tables
# numbers of cells of equal width, so that a kink at a multiple of 1/800 costs no accuracy
_CELLS = [3200 * 2**power for power in range(6)]
FINE, _COARSE = 1e-9, 1e-6  # relative errors at which a table is fine enough, and above which it is refused
_CORNERS = (1 - np.cos(np.pi * (np.arange(4) + 0.5) / 4)) / 2  # Chebyshev points of a cell [0, 1]
_TO_POWERS = np.linalg.inv(np.vander(_CORNERS, increasing=True))


class CompiledActivation(NamedTuple):
    """An activation in the form for compiled code.

    Attributes:
        code: code of the formula, or of the table.
        table: (cells, 8) between -REACH and REACH: the cubic in a cell of the value, then of the slope.
        straight: whether the function continues in straight lines beyond the table; if not, it is NaN there.
    """

    code: int
    table: np.ndarray
    straight: bool


@njit(cache=True, inline="always")
def compiled_value(activation, x):
    """Return g(x) of a `CompiledActivation`."""
    if activation.code == _ERF:
        return math.erf(x * math.sqrt(0.5))
    if activation.code == _RELU:
        return max(x, 0.0)
    if activation.code == _LINEAR:
        return x
    return _table_value(activation, x)


@njit(cache=True, inline="always")
def compiled_slope(activation, x):
    """Return g'(x) of a `CompiledActivation`, with g'(0) = 0 for relu."""
    if activation.code == _ERF:
        return SLOPE_AT_ZERO * math.exp(-0.5 * x * x)
    if activation.code == _RELU:
        return 1.0 if x > 0.0 else 0.0
    if activation.code == _LINEAR:
        return 1.0
    return _table_slope(activation, x)


@njit(cache=True)
def _cell(activation, x):
    """Return the number of the cell of x, or of the closest cell, and the position in the cell, from 0 to 1."""
    cells = len(activation.table)
    place = (min(max(x, -REACH), REACH) + REACH) * (cells / (2 * REACH))
    cell = min(int(place), cells - 1)
    return cell, place - cell


@njit(cache=True)
def _table_value(activation, x):
    if not abs(x) <= REACH and not (activation.straight and abs(x) < math.inf):
        return math.nan
    cell, t = _cell(activation, x)
    p = activation.table[cell]
    value = p[0] + t * (p[1] + t * (p[2] + t * p[3]))
    return value if abs(x) <= REACH else value + _table_slope(activation, x) * (x - math.copysign(REACH, x))


@njit(cache=True)
def _table_slope(activation, x):
    if not abs(x) <= REACH and not (activation.straight and abs(x) < math.inf):
        return math.nan
    cell, t = _cell(activation, x)
    p = activation.table[cell]
    return p[4] + t * (p[5] + t * (p[6] + t * p[7]))


@njit(cache=True)
def _known_cell(table, x):
    """Return the cell of the table that `_cell` returns, for x between -REACH and REACH."""
    place = (x + REACH) * (len(table) / (2 * REACH))
    cell = min(np.uint32(place), np.uint32(len(table) - 1))  # a sum near the upper end is rounded
    return cell, place - cell


@njit(cache=True, fastmath={"contract"})
def table_values(table: np.ndarray, x: np.ndarray, values: np.ndarray) -> None:
    """Write g(x) to `values` (n,) for arguments x (n,) between -REACH and REACH, from a table (cells, 8)."""
    for i in range(len(x)):
        cell, t = _known_cell(table, x[i])
        values[i] = table[cell, 0] + t * (table[cell, 1] + t * (table[cell, 2] + t * table[cell, 3]))


@njit(cache=True, fastmath={"contract"})
def table_values_and_slopes(table: np.ndarray, x: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> None:
    """Write g(x) and g'(x) to `values` and `slopes` (n,) for arguments x (n,) between -REACH and REACH."""
    for i in range(len(x)):
        cell, t = _known_cell(table, x[i])
        values[i] = table[cell, 0] + t * (table[cell, 1] + t * (table[cell, 2] + t * table[cell, 3]))
        slopes[i] = table[cell, 4] + t * (table[cell, 5] + t * (table[cell, 6] + t * table[cell, 7]))


@dataclass(frozen=True)
class Activation:
    """The non-linearity g of a hidden unit; `Activation.of` creates it from any function.

    Attributes:
        name: name in errors and results.
        value, slope: g and g', each maps an array to a new array of the same shape. Gradients use this slope.
        odd: whether g(-x) = -g(x).
        code: code of the formula in compiled code; by default there is none, but a table.

    Raises:
        ConfigError: value or slope is not a function.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> tl.Activation.of(np.square).name
        'square'
    """

    name: str
    value: Function
    slope: Function | None = None
    odd: bool = False
    code: int = _TABLE

    def __post_init__(self):
        if not callable(self.value) or not callable(self.slope):
            raise ConfigError(f"activation {self.name!r} does not have functions: give its value and its slope")

    @classmethod
    def of(cls, function: Function, slope: Function | None = None, name: str | None = None) -> "Activation":
        """Return the activation of any function.

        Args:
            function: maps an array to an array of the same shape.
            slope: its derivative, by default from central differences.
            name: by default the name of the function.

        Raises:
            ConfigError: function or slope does not return one number for each argument, or the function is extremely
                large or small.
        """
        name = name or getattr(function, "__name__", type(function).__name__)
        slope = slope or partial(_difference, function)
        values, _ = _probed(function, name), _probed(slope, f"slope of {name}")
        check_size(_size(values), f"activation {name!r}")
        odd = np.allclose(_probed(lambda x: function(-x), name), -values, rtol=1e-12, atol=1e-12 * np.abs(values).max())
        return cls(name, function, slope, bool(odd))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return g(x), elementwise."""
        return self.value(x)

    @property
    def parts(self) -> tuple["Activation", ...]:
        """The activations of the units that it describes: itself."""
        return (self,)

    @cached_property
    def kinks(self) -> np.ndarray:
        """Places where value or slope jumps, among the multiples of 1/800 from -REACH to REACH."""
        at = np.linspace(-REACH, REACH, _CELLS[-1] + 1)
        return at[(_jump(self.value, at, self._unit) != 0) | (_jump(self.slope, at, self._unit) != 0)]

    @cached_property
    def jumps(self) -> tuple[np.ndarray, np.ndarray]:
        """Kinks at which the value jumps, and the heights of the jumps."""
        heights = _jump(self.value, self.kinks, self._unit)
        return self.kinks[heights != 0], heights[heights != 0]

    @cached_property
    def _unit(self):
        """The size of the function, or 1 if it is zero near zero."""
        return _size(self.value(_PROBES)) or 1.0

    @cached_property
    def flat(self) -> bool:
        """Whether the slope is zero almost everywhere, as for a step function."""
        return not np.any(self.slope(_PROBES))

    @cached_property
    def polynomial(self) -> np.ndarray | None:
        """Rising coefficients (degree + 1,) if the activation is a polynomial of at most sixth degree, else None."""
        wide = 2 * _PROBES
        with np.errstate(all="ignore"):
            fit = np.polynomial.Polynomial.fit(_PROBES, self.value(_PROBES), _HIGHEST_DEGREE).convert()
            coefficients = np.where(np.abs(fit.coef) > 1e-11 * np.abs(fit.coef).max(), fit.coef, 0)
            found = np.polynomial.Polynomial(coefficients).trim()
            same = [
                np.allclose(exact, given, rtol=1e-8, atol=1e-8 * np.abs(exact).max())
                for exact, given in ((found(wide), self.value(wide)), (found.deriv()(wide), self.slope(wide)))
            ]
        return found.coef if all(same) else None

    def require_slope(self, what: str) -> None:
        """Raise an error for a flat activation, in a computation that trains the first layer.

        Raises:
            ConfigError: the activation is flat.
        """
        if self.flat:
            raise ConfigError(f"activation is {self.name!r}, whose slope is zero: use one with a slope for {what}")

    @property
    def _steep_kinks(self):
        """Kinks at which the slope is so steep that its mean square is infinite."""
        kinks = self.kinks[np.abs(self.kinks) < 8]
        with np.errstate(all="ignore"):
            far, near = (
                np.max([np.abs(self.value(kinks + side * step) - self.value(kinks)) for side in (-1, 1)], axis=0) / step
                for step in (_FAR_FROM_KINK, _NEAR_KINK)
            )
        return kinks[near > _STEEPER * np.maximum(far, 1)]

    def require_derivative(self, what: str) -> None:
        """Raise an error for an activation whose slope is zero, or is not the whole derivative because the value jumps,
        or has no finite mean square.

        Raises:
            ConfigError: the activation is of this kind.
        """
        self.require_slope(what)
        ends, (at, weights) = np.linspace(-8, 8, 129), unit_rule(16)
        rises, width = np.diff(self.value(ends)), np.diff(ends)
        integrals = width * (self.slope(ends[:-1, None] + width[:, None] * at) @ weights)
        if np.any(np.abs(integrals - rises) > 0.01 * (1 + np.abs(rises))):
            raise ConfigError(
                f"activation is {self.name!r}, whose slope is not the derivative of its value: use one with a "
                f"derivative for {what}"
            )
        if self._steep_kinks.size:
            raise ConfigError(
                f"activation is {self.name!r}, whose slope has no finite mean square because it is infinite at "
                f"{self._steep_kinks[0]:g}: use one with a finite slope for {what}"
            )

    @cached_property
    def compiled(self) -> CompiledActivation:
        """The form for compiled code.

        Raises:
            ConfigError: the error of the table exceeds a millionth.
        """
        table, error = (np.zeros((1, 8)), 0.0) if self.code != _TABLE else self._tabulated
        if error > _COARSE:
            raise ConfigError(
                f"activation {self.name!r} can only be tabulated to {error:.1g} (required {_COARSE:g}): make it "
                "smooth and "
                f"finite from {-REACH:g} to {REACH:g}, or with kinks at multiples of 1/800 only"
            )
        return CompiledActivation(self.code, table, self._straight)

    @property
    def tabulation_error(self) -> float:
        """Largest error of the table of value and slope, relative to them if they exceed one; 0 for a formula."""
        return 0.0 if self.code != _TABLE else self._tabulated[1]

    @cached_property
    def fine_table(self) -> np.ndarray | None:
        """Table (cells, 8) of value and slope between -REACH and REACH, even for a formula; None if it is not fine."""
        table, error = self._tabulated
        return np.ascontiguousarray(table) if error <= FINE else None

    @cached_property
    def _tabulated(self):
        """The coarsest table that is fine enough, or the best one, and its error."""
        table, error = None, math.inf
        for cells in _CELLS:
            finer = _cubics(self.value, self.slope, cells)
            finer_error = _table_error(self.value, self.slope, finer)
            if table is None or finer_error < error:
                table, error = finer, finer_error
            if error <= FINE:
                break
        return table, error

    @cached_property
    def _straight(self):
        """Whether the function is straight beyond the table."""
        ends = np.array([-REACH, REACH])
        with np.errstate(all="ignore"):
            value, slope = self.value(ends), self.slope(ends)
            beyond = np.array([self.value(factor * ends) - value for factor in (2, 3)])
        line = np.outer([1, 2], slope * ends)
        return bool(np.all(np.abs(beyond - line) <= FINE * (1 + np.abs(line))))


def _size(values):
    """Return the largest absolute value at the probes near zero."""
    return np.abs(values[np.abs(_PROBES) < _NEAR_ZERO]).max()


def check_size(size: float, what: str) -> None:
    """Check the size of the values of a function.

    Raises:
        ConfigError: it is extremely large or small, but not 0.
    """
    if size and not _SMALLEST <= size <= _LARGEST:
        raise ConfigError(
            f"{what} has values of size {size:.2g}: multiply it by a factor, so that its size is from {_SMALLEST:g} to "
            f"{_LARGEST:g}"
        )


def _probed(function, name):
    """Return the function after checking it at the probes."""
    try:
        given = function(_PROBES.copy())
        values = np.asarray(given)
    except Exception as failure:
        raise ConfigError(
            f"activation {name!r} fails on an array of numbers ({failure}): it must take a numpy array"
        ) from failure
    if np.ma.is_masked(given):
        raise ConfigError(f"activation {name!r} returns masked values: it must return a real number for each")
    if values.shape != _PROBES.shape or values.dtype.kind not in "biuf":
        raise ConfigError(
            f"activation {name!r} gives for {_PROBES.size} numbers an array of shape {values.shape} and type "
            f"{values.dtype}: it must return a real number for each"
        )
    if not np.isfinite(values).all():
        bad = ~np.isfinite(values)
        raise ConfigError(f"activation {name!r} returns {values[bad][0]} at {_PROBES[bad][0]:.4g}: it must be finite")
    return values


def _difference(function, x):
    """Return the slope by central differences, in double precision for any precision of x."""
    wide = np.asarray(x, float)
    return ((function(wide + _DIFFERENCE) - function(wide - _DIFFERENCE)) / (2 * _DIFFERENCE)).astype(x.dtype)


def _jump(function, at, unit):
    """Return the jump of a function of size `unit` at each place: its rise minus the mean rise of both sides; 0 if it
    is rounding.
    """
    step = 4 * _DIFFERENCE
    with np.errstate(all="ignore"):
        far_left, left, right, far_right = (function(at + shift * step) for shift in (-3, -1, 1, 3))
        rise = right - left - (far_right - right + left - far_left) / 2
        found = np.abs(rise) > _JUMP * (unit + np.abs(right))
    return np.where(found, rise, 0.0)


def _places(cells, within):
    """Return arguments (cells, len(within)) at these places, from 0 to 1, of every cell."""
    return -REACH + (np.arange(cells)[:, None] + within) * (2 * REACH / cells)


def _cubics(value, slope, cells):
    """Return coefficients (cells, 8) of the cubics through value and slope at points inside the cells."""
    x = _places(cells, _CORNERS)
    with np.errstate(all="ignore"):
        return np.hstack([np.asarray(function(x), float) @ _TO_POWERS.T for function in (value, slope)])


def _table_error(value, slope, table):
    within = np.array([0.003, 0.25, 0.5, 0.75, 0.997])  # close to the ends, where the errors of the cubics are largest
    x, powers = _places(len(table), within), np.vander(within, 4, increasing=True)
    errors = []
    with np.errstate(all="ignore"):
        for function, cubics in ((value, table[:, :4]), (slope, table[:, 4:])):
            exact = np.asarray(function(x), float)
            errors.append(np.abs(cubics @ powers.T - exact) / np.maximum(np.abs(exact), 1))
    error = float(np.max(errors))
    return error if math.isfinite(error) else math.inf


@cache
def hermite(degree: int) -> Activation:
    """Return the activation He_degree(x) / sqrt(degree!).

    This is the probabilists' Hermite polynomial with mean square one for standard normal x.

    Raises:
        ConfigError: the degree is negative.
    """
    if degree < 0:
        raise ConfigError(f"degree of a Hermite polynomial is {degree}: it must be at least 0")
    name = f"hermite{degree}"
    return ACTIVATIONS.get(name) or Activation(name, *hermite_functions(degree), odd=degree % 2 == 1)


_FORMULAS = {"erf": _ERF, "relu": _RELU, "linear": _LINEAR}  # formulas in compiled code
ACTIVATIONS = {
    name: replace(Activation.of(*functions, name), code=_FORMULAS.get(name, _TABLE))
    for name, functions in NAMED.items()
}
ERF, RELU, LINEAR, SIGN, TANH, SIGMOID, SOFTPLUS = (
    ACTIVATIONS[name] for name in ("erf", "relu", "linear", "sign", "tanh", "sigmoid", "softplus")
)


def activation_named(name: str) -> Activation:
    """Return a named activation; names include `hermite` with any degree after it.

    Raises:
        ConfigError: the name is unknown.
    """
    if (degree := hermite_degree(name)) is not None:
        return hermite(degree)
    if name not in ACTIVATIONS:
        raise ConfigError(f"unknown activation {name!r}: choose one of {', '.join(NAMED)}")
    return ACTIVATIONS[name]


def as_activation(given: "Activation | str | Function") -> Activation:
    """Return the activation of a name, a function of arrays, or an activation.

    Raises:
        ConfigError: the argument is none of them, or is not suitable.
    """
    if isinstance(given, Activation):
        return given
    if isinstance(given, str):
        return activation_named(given)
    if callable(given):
        return Activation.of(given)
    raise ConfigError(
        f"activation is {given!r}: give a name ({', '.join(NAMED)}), a function of arrays or an Activation"
    )

"""Regression by the Huber loss, by Newton's method and by the path of the minimum as delta falls.

In units of delta the loss of a residual r is r^2 / 2 up to |r| = 1 and |r| - 1/2 beyond, and inputs have mean square 1.
Newton's method needs a few steps if the residuals within delta determine the weights. If it stops, the minimum is
followed from a delta beyond all residuals, where it is least squares. It is a piecewise linear function of delta: the
slope changes where a residual crosses delta.
Source: own derivation; piecewise linear paths as in least angle regression.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from twolayer.errors import NotConverged
from twolayer.simulation.convex.least_norm import least_norm

_STEPS = 60  # largest number of Newton steps
_CROSSINGS = 50  # largest number of crossings of the path, per sample
_ROUNDING = 8 * np.finfo(float).eps  # rounding error of a residual, relative to its terms
_ACCURACY = 1e-10  # of a component of the gradient, relative to its terms
_SINGULAR = 1e-6  # smallest diagonal of a Cholesky factor, in units of 1
_FLAT = 1e-6  # part of a gradient that is without curvature if it is larger


def huber_regression(
    inputs: np.ndarray, labels: np.ndarray, ridge: float, delta: float, *, bias: bool = False
) -> np.ndarray:
    """Return the minimum of the Huber loss and ridge / 2 |w|^2.

    Args:
        inputs: (n, d). labels: (n,). ridge: 0 starts from the minimum of the square loss of the smallest norm.
        bias: whether the last weight is a bias without a penalty.

    Returns: (d,) w, or (d + 1,).

    Raises:
        NotConverged: the gradient is not zero, up to rounding, at the last weights.
    """
    scale, d = math.sqrt(np.mean(inputs**2)) or 1.0, inputs.shape[1]
    problem = _Problem(inputs / scale, labels / delta, np.full(d, ridge / scale**2))
    if bias:
        A = np.column_stack([problem.A, np.ones(len(labels))])
        problem = _Problem(A, problem.y, np.append(problem.ridges, 0.0))
    start = problem.least_squares()
    if ridge == 0:
        start = least_norm(problem.A[:, :d], problem.y, bias=bias)  # interpolates fewer samples than features
    w = problem.descended(start)
    if w is None:
        w = problem.descended(problem.followed(start))
    if w is None:
        raise NotConverged(
            f"the Huber loss at ridge {ridge:g} and huber_delta {delta:g} did not converge: raise huber_delta"
        )
    w *= delta
    w[:d] /= scale
    return w


@dataclass(frozen=True, eq=False)
class _Problem:
    """The minimum of the Huber loss of y - A w with delta = 1, and w.(ridges w) / 2."""

    A: np.ndarray
    y: np.ndarray
    ridges: np.ndarray

    def least_squares(self):
        """Return the minimum of the square loss."""
        roots = np.diag(np.sqrt(self.ridges))
        return np.linalg.lstsq(np.vstack([self.A, roots]), np.append(self.y, np.zeros(len(roots))), rcond=None)[0]

    def descended(self, w):
        """Return the minimum by Newton's method, or None if the method stops before."""
        for _ in range(_STEPS):
            if self._is_minimum(w):
                return w
            r = self.y - self.A @ w
            gradient, curvature = self.ridges * w - self.A.T @ np.clip(r, -1, 1), self._curvature(abs(r) < 1)
            step = -_solved(curvature, gradient)
            if self._is_minimum(w + step):
                return w + step
            if np.linalg.norm(gradient + curvature @ step) > _FLAT * np.linalg.norm(gradient):
                step = self._reweighted(r) - w
            size = self._size(w, r, step)
            if size == 0:
                return None
            w = w + size * step
        return None

    def followed(self, w):
        """Return the end of the path from the minimum w of the square loss."""
        delta, signs, last = 2 * np.max(np.abs(self.y - self.A @ w)), np.zeros(len(self.y)), None
        curvature = self._curvature(signs == 0)
        for _ in range(_CROSSINGS * len(signs)):
            inside = signs == 0
            pulls = [self.A[inside].T @ self.y[inside], self.A[~inside].T @ signs[~inside]]
            at, slope = _solved(curvature, np.column_stack(pulls)).T  # w = at + delta slope
            crossings = _crossings(self.y - self.A @ at, self.A @ slope, delta)
            of_sample = np.where(inside, crossings.max(axis=0), np.where(signs > 0, *crossings))
            if last is not None:
                of_sample[last] = 0.0  # it has just crossed
            last = int(np.argmax(of_sample))
            delta = of_sample[last]
            if delta <= 1:
                break
            curvature += (-1 if inside[last] else 1) * np.outer(self.A[last], self.A[last])
            signs[last] = (1.0 if crossings[0, last] >= crossings[1, last] else -1.0) if inside[last] else 0.0
        return at + slope

    def _curvature(self, inside):
        return self.A[inside].T @ self.A[inside] + np.diag(self.ridges)

    def _reweighted(self, r):
        """Return the minimum of a quadratic bound of the loss, which has the value and slope of the loss at r."""
        roots = 1 / np.sqrt(np.maximum(abs(r), 1.0))
        weighted = np.vstack([roots[:, None] * self.A, np.diag(np.sqrt(self.ridges))])
        return np.linalg.lstsq(weighted, np.append(roots * self.y, np.zeros(len(self.ridges))), rcond=None)[0]

    def _is_minimum(self, w):
        """Return whether the gradient is zero up to rounding; residuals near delta may be on either side."""
        r, terms = self.y - self.A @ w, np.abs(self.y) + np.abs(self.A) @ np.abs(w)
        rounding = np.where(abs(r) < 1 + _ROUNDING * terms, np.minimum(_ROUNDING * terms, 1.0), 0.0)
        pulls = np.clip(r, -1, 1)
        allowed = abs(self.A).T @ (rounding + _ACCURACY * abs(pulls)) + _ACCURACY * abs(self.ridges * w)
        return bool((abs(self.ridges * w - self.A.T @ pulls) <= allowed).all())

    def _size(self, w, r, step):
        """Return the length of the step to the minimum along it, where the piecewise linear slope is zero."""
        v = self.A @ step

        def slope(size):
            return step @ (self.ridges * (w + size * step)) - v @ np.clip(r - size * v, -1, 1)

        moves = v != 0
        kinks = np.concatenate([(r[moves] - 1) / v[moves], (r[moves] + 1) / v[moves]])
        kinks = np.append(0.0, np.unique(kinks[(kinks > 0) & np.isfinite(kinks)]))
        low, high = 0, len(kinks)
        while high - low > 1:  # the slope is negative at low
            middle = (low + high) // 2
            low, high = (middle, high) if slope(kinks[middle]) < 0 else (low, middle)
        left = kinks[low]
        right = kinks[high] if high < len(kinks) else 2 * left + 1
        before, after = slope(left), slope(right)
        return left - before * (right - left) / (after - before) if before < 0 and after > before else left


def _crossings(at, slope, delta):
    """Return the largest values below delta at which each residual at - delta slope is delta and minus delta, or 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = at / (np.array([[1.0], [-1.0]]) + slope)
    return np.where(np.isfinite(found) & (found < delta * (1 - 1e-13)), found, 0.0)


def _solved(curvature, right):
    """Return the solution of the smallest norm, in coordinates of curvature 1."""
    diagonal = np.diag(curvature)
    units = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled, right = curvature / np.outer(units, units), (right.T / units).T
    factor, info = linalg.lapack.dpotrf(scaled)
    if info or np.min(np.diag(factor)) < _SINGULAR:
        return (np.linalg.lstsq(scaled, right, rcond=None)[0].T / units).T
    return (linalg.cho_solve((factor, False), right).T / units).T

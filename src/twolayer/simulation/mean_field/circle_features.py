"""Variable projection for relu features on the circle, exact, at a cost per iteration independent of the data.

    relu(t) = (t + |t|) / 2,

and |<w, x>| depends on w and x up to their signs. Weights and inputs are folded to a half plane and sorted by angle.
Then every |<w_j, x>| changes its linear form at a single place among the data, and between the places of two
neighbouring features the network is linear in x. All sums over the data are then differences of prefix sums, computed
once. All sums over pairs of features are running sums: any product with Phi^T Phi costs O(M) instead of O(N M). In each
step, only a few neighbouring features change their order, so they are sorted by insertion, and a short search finds
their places. (An input exactly orthogonal to a feature, where relu has no slope, counts to one of its sides.)

The outer weights solve (K + lambda) u = Phi^T y / N + lambda c by conjugate gradients that start from the last two
iterations. With another regularisation f they solve K u + lambda f'(u) = Phi^T y / N by Newton's method in f'(u).

Source: barboni2025, section 6.1, for the model; own derivation of the algorithm.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.power_entropies import entropy, entropy_slope, weight_of_slope
from twolayer.simulation.mean_field.reduced_descent import BLOW_UP, PATIENCE

_BLOCK = 1_000_000  # number of features of a teacher that are in memory at a time
_RESIDUAL = 1e-13  # residual of the projection, relative to its right-hand side
_MOST_PRODUCTS = 1000
# largest number of steps of Newton's method, and the largest change of f'(u) in one step
_MOST_STEPS, _LONGEST_STEP = 100, 2.0
_NEWTON_RESIDUAL = 1e-11  # residual of the projection by Newton's method, relative to its right-hand side
_SUMS = {"reassoc", "contract"}  # sums may be reordered, which vectorises them
_ROUNDING = 1e-12  # rounding error of the risk, relative to the risk of an output of zero


@dataclass(frozen=True, eq=False)
class CircleData:
    """A training set in the plane, with the prefix sums that networks of relu features need.

    Let s be the sign that turns x into the upper half plane, and z = s x, sorted by angle:

    Attributes:
        points: (N, 2), z. angles: (N,) of z, in [0, pi].
        sums: (N + 1, 8), sums over the first k points of z z^T (xx, xy, yy), s z z^T (xx, xy, yy) and y z (x, y).
        target_sum: (2,), sum of y x. target_square: sum of y^2.
    """

    points: np.ndarray
    angles: np.ndarray
    sums: np.ndarray
    target_sum: np.ndarray
    target_square: float

    @classmethod
    def of(cls, inputs: np.ndarray, targets: np.ndarray) -> "CircleData":
        """Return the training set with inputs (N, 2) and targets (N,).

        Raises:
            ConfigError: inputs and targets do not fit together.
        """
        if inputs.ndim != 2 or inputs.shape[1] != 2 or targets.shape != inputs.shape[:1]:
            raise ConfigError(f"inputs {inputs.shape} and targets {targets.shape} do not fit: give (N, 2) and (N,)")
        x, y = inputs.T
        signs = np.where((y > 0) | ((y == 0) & (x > 0)), 1.0, -1.0)
        folded = inputs * signs[:, None]
        angles = np.arctan2(folded[:, 1], folded[:, 0])
        order = np.argsort(angles)
        points, signs, targets = folded[order], signs[order], targets[order]
        squares = np.stack([points[:, 0] ** 2, points[:, 0] * points[:, 1], points[:, 1] ** 2], axis=1)
        columns = np.concatenate([squares, signs[:, None] * squares, targets[:, None] * points], axis=1)
        sums = np.concatenate([np.zeros((1, 8)), np.cumsum(columns, axis=0)])
        return cls(points, angles[order], sums, (targets * signs) @ points, float(targets @ targets))


@dataclass(frozen=True, eq=False)
class FeaturePath:
    """A network during its descent, at the requested iterations.

    Attributes:
        iterations: (T,). angles: (T, M) of the feature weights. outer: (T, M). risk: (T,), of both.
    """

    iterations: np.ndarray
    angles: np.ndarray
    outer: np.ndarray
    risk: np.ndarray


def network_output(inputs: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return the output (1/M) sum_j relu(<w_j, x>) at inputs (N, 2), for weights at `angles` (M,)."""
    directions = np.stack([np.cos(angles), np.sin(angles)])
    block = max(1, _BLOCK // len(angles))
    parts = (inputs[start : start + block] @ directions for start in range(0, len(inputs), block))
    return np.concatenate([np.maximum(part, 0, out=part).mean(axis=1) for part in parts])


def descend(
    data: CircleData,
    angles: np.ndarray,
    ridge: float,
    offset: float,
    step: float,
    iterations: np.ndarray,
    two_timescale: bool = False,
    power: float = 2.0,
) -> FeaturePath:
    """Run a descent along the reduced risk, or with both layers, and report at `iterations` (increasing).

    Args:
        angles: (M,) angles of the initial feature weights.
        ridge: lambda. offset: c, 1 for the unbiased and 0 for the biased risk.
        step: tau, flow time of one iteration; a feature moves by M tau times the gradient.
        two_timescale: whether to move the outer weights by one gradient step of size lambda M, instead of projecting
            them.
        power: power of the regularisation, see `power_entropies`. Another power than 2 requires an offset of 1. For
            powers below 2, a step reduces an outer weight at most by half.

    Raises:
        ConfigError: the ridge is not positive, there are no features, or the power is not allowed here.
        NotConverged: a projection does not converge, or the descent is unstable.
    """
    if not ridge > 0:
        raise ConfigError(f"ridge is {ridge:g}: variable projection needs a positive ridge")
    if len(angles) == 0:
        raise ConfigError("width is 0: a network needs at least one feature")
    if power != 2 and offset != 1:
        raise ConfigError(f"power is {power:g}: other powers than 2 need an offset of 1")
    iterations = np.asarray(iterations, dtype=np.int64)
    order = np.argsort(_place(angles))
    index = np.searchsorted(data.angles, _place(angles)[order])  # start of the search in the first iteration
    weights = np.stack([np.cos(angles[order]), np.sin(angles[order])], axis=1)
    shape = (len(iterations), len(angles))
    out = FeaturePath(iterations, np.empty(shape), np.empty(shape), np.empty(len(iterations)))
    arrays = (data.points, data.sums, data.target_sum, data.target_square)
    parameters = (ridge, offset, step, two_timescale, float(power))
    failed, risk = _descend(*arrays, weights, order, index, *parameters, iterations, out.angles, out.outer, out.risk)
    if failed >= 0:
        raise NotConverged(_explain(failed, risk, out.risk[0], ridge, step, two_timescale))
    return out


def _place(angles):
    """Return the place on the upper half circle where <w, x> changes sign."""
    return np.mod(angles + np.pi / 2, np.pi)


def _explain(iteration, risk, initial, ridge, step, two_timescale):
    if math.isnan(risk):
        return f"the projection at iteration {iteration} did not converge at ridge {ridge:g}: use a larger ridge"
    name = "two-timescale descent" if two_timescale else "descent along the reduced risk"
    ratio = f", where the outer weights move only {ridge / step:g} times as fast as the features" * two_timescale
    return (
        f"{name} is unstable at ridge {ridge:g} and step {step:g}{ratio}: risk {risk:.3g} at iteration {iteration} "
        f"and {initial:.3g} at the start; use a larger ridge or a smaller step"
    )


@njit(cache=True, error_model="numpy")
def _sort_features(weights, slopes, outer, label, index):
    """Sort features by slope, that is by the place of their sign change. Few of them change order from one step to the
    next.
    """
    for j in range(label.size):
        slopes[j] = weights[j, 1] / weights[j, 0]
    for j in range(1, label.size):
        i = j
        while i > 0 and slopes[i - 1] > slopes[i]:
            slopes[i - 1], slopes[i] = slopes[i], slopes[i - 1]
            label[i - 1], label[i] = label[i], label[i - 1]
            index[i - 1], index[i] = index[i], index[i - 1]
            for c in range(2):
                weights[i - 1, c], weights[i, c] = weights[i, c], weights[i - 1, c]
                outer[i - 1, c], outer[i, c] = outer[i, c], outer[i - 1, c]
            i -= 1


@njit(cache=True, fastmath=_SUMS)
def _find_places(points, sums, weights, index, half_sign, folded, marks):
    """Find for every feature its folded weight, the number of points before its sign change, and the sums up to
    there."""
    count = len(points)
    for j in range(index.size):
        sign = 1.0 if weights[j, 0] >= 0 else -1.0
        x, y = sign * weights[j, 0], sign * weights[j, 1]
        k = index[j]
        while k < count and x * points[k, 0] + y * points[k, 1] > 0:
            k += 1
        while k > 0 and x * points[k - 1, 0] + y * points[k - 1, 1] <= 0:
            k -= 1
        index[j], half_sign[j], folded[j, 0], folded[j, 1] = k, 0.5 * sign, x, y
        for i in range(marks.shape[1]):
            marks[j, i] = sums[k, i]


@njit(cache=True, fastmath=_SUMS)
def _active_sums(u, totals, marks, half_sign, folded, out):
    """Set out_j = sum of (Phi u)_n x_n over the points where feature j is active."""
    width = u.size
    vx = vy = gx = gy = 0.0
    for j in range(width):
        hx, hy = u[j] * folded[j, 0], u[j] * folded[j, 1]
        gx += hx
        gy += hy
        vx += 2 * half_sign[j] * hx
        vy += 2 * half_sign[j] * hy
    # the network is (<v, x> + <g, z>) / 2; a_j sums it times z up to the place of j, and c times x over all points
    ax = ay = cx = cy = 0.0
    p0 = p1 = p2 = s0 = s1 = s2 = 0.0
    for j in range(width):
        d0, d1, d2 = marks[j, 0] - p0, marks[j, 1] - p1, marks[j, 2] - p2
        e0, e1, e2 = marks[j, 3] - s0, marks[j, 4] - s1, marks[j, 5] - s2
        p0, p1, p2, s0, s1, s2 = marks[j, 0], marks[j, 1], marks[j, 2], marks[j, 3], marks[j, 4], marks[j, 5]
        ax += d0 * gx + d1 * gy
        ay += d1 * gx + d2 * gy
        cx += e0 * gx + e1 * gy
        cy += e1 * gx + e2 * gy
        out[j, 0], out[j, 1] = ax + s0 * vx + s1 * vy, ay + s1 * vx + s2 * vy
        gx -= 2 * u[j] * folded[j, 0]
        gy -= 2 * u[j] * folded[j, 1]
    d0, d1, d2 = totals[0] - p0, totals[1] - p1, totals[2] - p2
    e0, e1, e2 = totals[3] - s0, totals[4] - s1, totals[5] - s2
    ax += d0 * gx + d1 * gy + totals[3] * vx + totals[4] * vy
    ay += d1 * gx + d2 * gy + totals[4] * vx + totals[5] * vy
    cx += e0 * gx + e1 * gy + totals[0] * vx + totals[1] * vy
    cy += e1 * gx + e2 * gy + totals[1] * vx + totals[2] * vy
    for j in range(width):
        out[j, 0] = 0.25 * cx + 0.5 * half_sign[j] * (2 * out[j, 0] - ax)
        out[j, 1] = 0.25 * cy + 0.5 * half_sign[j] * (2 * out[j, 1] - ay)


@njit(cache=True, fastmath=_SUMS)
def _active_target_sums(totals, target_sum, marks, half_sign, out):
    """Set out_j = sum of y_n x_n over the points where feature j is active."""
    for j in range(half_sign.size):
        out[j, 0] = 0.5 * target_sum[0] + half_sign[j] * (2 * marks[j, 6] - totals[6])
        out[j, 1] = 0.5 * target_sum[1] + half_sign[j] * (2 * marks[j, 7] - totals[7])


@njit(cache=True, fastmath=_SUMS)
def _multiply(weights, sums, scale, out):
    """Set out_j = scale <w_j, sums_j>.

    With sums of (Phi u) x over active points, this is a product with Phi^T Phi.
    """
    for j in range(out.size):
        out[j] = scale * (weights[j, 0] * sums[j, 0] + weights[j, 1] * sums[j, 1])


@njit(cache=True, fastmath=_SUMS)
def _multiply_between(direction, roots, totals, marks, half_sign, folded, weights, scale, sums, out):
    """Set out = K (roots * direction)."""
    for j in range(out.size):
        out[j] = roots[j] * direction[j]
    _active_sums(out, totals, marks, half_sign, folded, sums)
    _multiply(weights, sums, scale, out)


@njit(cache=True, fastmath=_SUMS)
def _dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(cache=True, fastmath=_SUMS)
def _project(right, u, ridge, scale, totals, marks, half_sign, folded, weights, work, sums):
    """Solve (K + ridge) u = right by conjugate gradients from the given u; return whether they converge."""
    residual, direction, image = work[0], work[1], work[2]
    _active_sums(u, totals, marks, half_sign, folded, sums)
    _multiply(weights, sums, scale, image)
    for i in range(u.size):
        residual[i] = right[i] - image[i] - ridge * u[i]
        direction[i] = residual[i]
    square, goal = _dot(residual, residual), _RESIDUAL**2 * _dot(right, right)
    for _ in range(_MOST_PRODUCTS):
        if square <= goal:
            return True
        _active_sums(direction, totals, marks, half_sign, folded, sums)
        _multiply(weights, sums, scale, image)
        curvature = _dot(direction, image) + ridge * _dot(direction, direction)
        length = square / curvature
        for i in range(u.size):
            u[i] += length * direction[i]
            residual[i] -= length * (image[i] + ridge * direction[i])
        previous, square = square, _dot(residual, residual)
        ratio = square / previous
        for i in range(u.size):
            direction[i] = residual[i] + ratio * direction[i]
    return False


@njit(cache=True, fastmath=_SUMS)
def _project_under_entropy(right, h, u, ridge, power, scale, totals, marks, half_sign, folded, weights, work, sums):
    """Solve K u + ridge h = right for u(h) from the given h, where h = f'(u); return whether it converges.

    With r^2 = du/dh a step d has (K r^2 + ridge) d = g, the residual: conjugate gradients solve the symmetric
    (r K r + ridge) y = r g, and d = (g - K r y) / ridge.
    """
    residual, direction, image = work[0], work[1], work[2]
    roots, y, left = work[3], work[4], work[5]
    goal = _NEWTON_RESIDUAL**2 * _dot(right, right)
    for _ in range(_MOST_STEPS):
        for j in range(u.size):
            u[j] = weight_of_slope(h[j], power)
            roots[j] = u[j] ** (1 - power / 2)
        _active_sums(u, totals, marks, half_sign, folded, sums)
        _multiply(weights, sums, scale, image)
        for j in range(u.size):
            residual[j] = right[j] - image[j] - ridge * h[j]
            y[j] = 0.0
            left[j] = roots[j] * residual[j]
        if _dot(residual, residual) <= goal:
            return True
        square = _dot(left, left)
        enough = _RESIDUAL**2 * square
        for j in range(u.size):
            direction[j] = left[j]
        for _ in range(_MOST_PRODUCTS):
            if square <= enough:
                break
            _multiply_between(direction, roots, totals, marks, half_sign, folded, weights, scale, sums, image)
            for j in range(u.size):
                image[j] = roots[j] * image[j] + ridge * direction[j]
            length = square / _dot(direction, image)
            for j in range(u.size):
                y[j] += length * direction[j]
                left[j] -= length * image[j]
            previous, square = square, _dot(left, left)
            for j in range(u.size):
                direction[j] = left[j] + square / previous * direction[j]
        else:
            return False
        _multiply_between(y, roots, totals, marks, half_sign, folded, weights, scale, sums, image)
        largest = 0.0
        for j in range(u.size):
            direction[j] = (residual[j] - image[j]) / ridge
            largest = max(largest, abs(direction[j]))
        length = min(1.0, _LONGEST_STEP / largest)
        for j in range(u.size):
            h[j] += length * direction[j]
    return False


@njit(cache=True, fastmath=_SUMS)
def _risk(u, image, right_targets, target_square, count, ridge, offset, power):
    """Return L from K u (`image`) and Phi^T y / N (`right_targets`)."""
    width = u.size
    square = (_dot(u, image) - 2 * _dot(u, right_targets)) / width + target_square / count
    pull = 0.0
    if power == 2:
        for j in range(width):
            pull += (u[j] - offset) ** 2
        return square / (2 * ridge) + pull / (2 * width)
    for j in range(width):
        pull += entropy(u[j], power)
    return square / (2 * ridge) + pull / width


@njit(cache=True)
def _after_a_step(u, slope, ridge, offset, power):
    """Return an outer weight after a step of size lambda M, along lambda M times the slope of the data term."""
    if power == 2:
        return u - slope - ridge * (u - offset)
    return max(u - slope - ridge * entropy_slope(u, power), 0.5 * u)


@njit(cache=True, fastmath=_SUMS)
def _move(weights, u, sums, target_sums, rate):
    """Do one gradient step of the features, projected to the circle; `sums` and `target_sums` over their active
    points."""
    width = u.size
    for j in range(width):
        x = weights[j, 0] - rate * u[j] * (sums[j, 0] / width - target_sums[j, 0])
        y = weights[j, 1] - rate * u[j] * (sums[j, 1] / width - target_sums[j, 1])
        length = math.sqrt(x * x + y * y)
        weights[j, 0], weights[j, 1] = x / length, y / length


@njit(cache=True, fastmath=_SUMS)
def _descend(
    points, sums, target_sum, target_square, weights, label, index, ridge, offset, step, two_timescale, power,
    iterations, out_angles, out_outer, out_risk,
):  # fmt: skip
    """Fill the records; return the iteration that failed (-1: none) and its risk (nan: no projection)."""
    count, width, totals = len(points), label.size, sums[-1]
    scale = 1 / (count * width)
    half_sign, slopes = np.empty(width), np.empty(width)
    folded, field_sums, target_sums = np.empty((width, 2)), np.empty((width, 2)), np.empty((width, 2))
    marks, work = np.empty((width, 8)), np.empty((6, width))
    u, image, right, right_targets = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    # the last two iterates, from which the projection starts; with another power its unknown is h = f'(u)
    outer, h = np.full((width, 2), offset if power == 2 else 0.0), np.empty(width)
    record, most, above, patience = 0, np.inf, 0, 0 if two_timescale else PATIENCE
    for iteration in range(iterations[-1] + 1):
        _sort_features(weights, slopes, outer, label, index)
        _find_places(points, sums, weights, index, half_sign, folded, marks)
        _active_target_sums(totals, target_sum, marks, half_sign, target_sums)
        _multiply(weights, target_sums, 1 / count, right_targets)
        carried = two_timescale and iteration > 0
        start = u if power == 2 or carried else h
        for j in range(width):  # numba would take long to compile slices, whose shapes might differ
            start[j] = outer[j, 0] if carried else 2 * outer[j, 0] - outer[j, 1]
            right[j] = right_targets[j] + ridge * offset
        known = scale, totals, marks, half_sign, folded, weights, work, field_sums
        if carried:
            solved = True
        elif power != 2:
            solved = _project_under_entropy(right_targets, h, u, ridge, power, *known)
        else:
            solved = _project(right, u, ridge, *known)
        if not solved:
            return iteration, np.nan
        _active_sums(u, totals, marks, half_sign, folded, field_sums)
        _multiply(weights, field_sums, scale, image)
        risk = _risk(u, image, right_targets, target_square, count, ridge, offset, power)
        if iteration == 0:
            most = BLOW_UP * risk + _ROUNDING * target_square / (count * ridge)
        high = not risk <= most
        above += high
        if above > patience or (high and iteration == iterations[-1]):
            return iteration, risk
        if iteration == iterations[record]:
            for j in range(width):
                out_angles[record, label[j]] = math.atan2(weights[j, 1], weights[j, 0])
                out_outer[record, label[j]] = u[j]
            out_risk[record] = risk
            record += 1
        _move(weights, u, field_sums, target_sums, step / (ridge * count))
        for j in range(width):
            outer[j, 1] = outer[j, 0] if iteration > 0 else start[j]
            outer[j, 0] = start[j]
            if two_timescale:
                outer[j, 0] = _after_a_step(u[j], image[j] - right_targets[j], ridge, offset, power)
    return -1, 0.0

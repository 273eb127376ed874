"""The noise of SGD for relu units that learn from relu or erf units, in closed form and one integral over a line.

Notation: th is the step function, x+ the relu, P2 to P4 the probabilities that two to four fields are positive, and
m|j the distribution of the fields where field j is zero. An erf unit is erf(n / sqrt 2) = E 2 th(n + xi) - 1 with xi ~
N(0, 1).

Source: own derivation; cho2009 for two fields.
"""

import math

import numpy as np
from numba import njit

_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_BEFORE_END = 0.5 * (1 - _ABSCISSAE)
_LINE, _LINE_WEIGHTS = 1 - _BEFORE_END**2, _BEFORE_END * _WEIGHTS  # denser where fields may become equal
_TINY = 1e-14  # part of the product of two variances; a smaller conditional variance counts as zero


@njit(cache=True)
def _arcsine(C, a, b):
    """Return asin of the correlation of two fields; 0 if one of them does not vary."""
    product = C[a, a] * C[b, b]
    return math.asin(min(max(C[a, b] / math.sqrt(product), -1.0), 1.0)) if product > 0 else 0.0


@njit(cache=True)
def _both(C, a, b):
    """Return P2, the probability that two fields are positive."""
    return 0.25 + _arcsine(C, a, b) / (2 * math.pi)


@njit(cache=True)
def _all_three(C, a, b, c):
    """Return P3, the probability that three fields are positive."""
    return 0.125 + (_arcsine(C, a, b) + _arcsine(C, a, c) + _arcsine(C, b, c)) / (4 * math.pi)


@njit(cache=True)
def _given_zero(C, j):
    """Return the covariance of all fields, given that field j is zero."""
    rest = np.empty_like(C)
    for a in range(len(C)):
        for b in range(a + 1):
            rest[a, b] = C[a, b] - C[a, j] * C[b, j] / C[j, j]
            if a == b and rest[a, a] < _TINY * C[a, a]:
                rest[a, a] = 0.0
            rest[b, a] = rest[a, b]
    return rest


@njit(cache=True)
def _edge(C, a, j):
    """Return E x_a delta(x_j) / <x_a | x_j = 0 moved by one>, the weight of field j in an average E x_a ...."""
    return C[a, j] / math.sqrt(2 * math.pi * C[j, j])


@njit(cache=True)
def relu_product(C, a, b):
    """Return E a+ b+."""
    root = math.sqrt(max(C[a, a] * C[b, b] - C[a, b] ** 2, 0.0))
    return (root + C[a, b] * (0.5 * math.pi + _arcsine(C, a, b))) / (2 * math.pi)


@njit(cache=True)
def _gated_by_one(C, a, c):
    """Return E th_a c+."""
    projected = C[a, c] / math.sqrt(C[a, a]) if C[a, a] > 0 else 0.0
    return (projected + math.sqrt(C[c, c])) / (2 * math.sqrt(2 * math.pi))


@njit(cache=True)
def _gated_by_two(C, a, b, c):
    """Return E th_a th_b c+."""
    total = 0.0
    for j, first, second in ((a, b, c), (b, a, c), (c, a, b)):
        if C[j, j] > 0:
            total += _edge(C, c, j) * _both(_given_zero(C, j), first, second)
    return total


@njit(cache=True)
def _gated_by_three(C, a, b, d, c):
    """Return E th_a th_b th_d c+."""
    total = 0.0
    for j, one, two, three in ((a, b, d, c), (b, a, d, c), (d, a, b, c), (c, a, b, d)):
        total += _edge(C, c, j) * _all_three(_given_zero(C, j), one, two, three)
    return total


@njit(cache=True)
def _gated_product(C, gate, a, b):
    """Return E th_gate a+ b+."""
    total = C[a, b] * _all_three(C, gate, a, b)
    total += _edge(C, a, gate) * _gated_by_one(_given_zero(C, gate), a, b)
    return total + _edge(C, a, a) * _gated_by_one(_given_zero(C, a), gate, b)


@njit(cache=True)
def _gated_square(C, k, j, a):
    """Return E th_k th_j (a+)^2."""
    total = C[a, a] * _all_three(C, k, j, a)
    total += _edge(C, a, k) * _gated_by_one(_given_zero(C, k), j, a)
    return total + _edge(C, a, j) * _gated_by_one(_given_zero(C, j), k, a)


@njit(cache=True)
def _scaled(C, k, j, a, b, y):
    """Return the covariance of the fields k, j, a and b, where covariances between {k, j} and {a, b} are multiplied by
    y."""
    fields, S = (k, j, a, b), np.empty((4, 4))
    for one in range(4):
        for two in range(4):
            S[one, two] = C[fields[one], fields[two]] * (1.0 if one // 2 == two // 2 else y)
    return S


@njit(cache=True)
def _four_relu(C, k, j, a, b):
    """Return E th_k th_j a+ b+ of four fields, along a line from independent pairs {k, j} and {a, b}."""
    S = _scaled(C, k, j, a, b, 1.0)
    cross = S.copy()
    total = _both(S, 0, 1) * relu_product(S, 2, 3)
    for i in range(_LINE.size):
        x, weight = _LINE[i], _LINE_WEIGHTS[i]
        S = _scaled(C, k, j, a, b, math.sin(0.5 * math.pi * x))
        slope = 0.0
        for gate in range(2):
            rest = _given_zero(S, gate)
            for unit in range(2, 4):
                conditional = _gated_by_two(rest, 1 - gate, unit, 5 - unit)
                slope += cross[gate, unit] / math.sqrt(2 * math.pi * S[gate, gate]) * conditional
        total += weight * 0.5 * math.pi * math.cos(0.5 * math.pi * x) * slope
    return total


@njit(cache=True)
def _all_four(C, k, j, a, b):
    """Return P4, the probability that four fields are positive, along the same line."""
    S = _scaled(C, k, j, a, b, 1.0)
    cross = S.copy()
    total = _both(S, 0, 1) * _both(S, 2, 3)
    for i in range(_LINE.size):
        x, weight = _LINE[i], _LINE_WEIGHTS[i]
        S = _scaled(C, k, j, a, b, math.sin(0.5 * math.pi * x))
        slope = 0.0
        for one in range(2):
            rest = _given_zero(S, one)
            for two in range(2, 4):
                density = 2 * math.pi * math.sqrt(S[one, one] * rest[two, two])
                slope += cross[one, two] / density * _both(_given_zero(rest, two), 1 - one, 5 - two)
        total += weight * 0.5 * math.pi * math.cos(0.5 * math.pi * x) * slope
    return total


@njit(cache=True)
def relu_relu_average(C, k, j, a, b):
    """Return E th_k th_j a+ b+ of relu units, some of which may be equal."""
    if (k == j and k in (a, b)) or (k == a and j == b) or (k == b and j == a):
        return relu_product(C, a, b)
    if k == j:
        return _gated_product(C, k, a, b)
    if a == b:
        return _gated_square(C, k, j, a)
    if k in (a, b):
        return _gated_product(C, j, a, b)
    if j in (a, b):
        return _gated_product(C, k, a, b)
    return _four_relu(C, k, j, a, b)


@njit(cache=True)
def _gated(C, k, j, c):
    """Return E th_k th_j c+ of units, some of which may be equal."""
    if k == j:
        return _gated_by_one(C, k, c)
    if c == k:
        return _gated_by_one(C, j, c)
    return _gated_by_one(C, k, c) if c == j else _gated_by_two(C, k, j, c)


@njit(cache=True)
def relu_and_erf_average(E, k, j, c, n):
    """Return E th_k th_j c+ h(n) for an erf unit h, whose field n has its variance raised by 1."""
    if k == j:
        positive = _gated_by_one(E, n, c) if c == k else _gated_by_two(E, k, n, c)
    elif c in (k, j):
        positive = _gated_by_two(E, j if c == k else k, n, c)
    else:
        positive = _gated_by_three(E, k, j, n, c)
    return 2 * positive - _gated(E, k, j, c)


@njit(cache=True)
def erf_erf_average(E, k, j, n, m):
    """Return E th_k th_j h(n) h(m) for erf units h, whose fields n and m have their variances raised by 1."""
    if k == j:
        return 4 * _all_three(E, k, n, m) - 2 * _both(E, k, n) - 2 * _both(E, k, m) + 0.5
    singles = _all_three(E, k, j, n) + _all_three(E, k, j, m)
    return 4 * _all_four(E, k, j, n, m) - 2 * singles + _both(E, k, j)

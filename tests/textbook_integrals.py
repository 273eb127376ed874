"""Gaussian averages of erf units as the papers write them: fields by their numbers in a covariance C."""

import math


def I2(C, a, b):
    """<g(a) g(b)>."""
    return 2 / math.pi * math.asin(C[a, b] / math.sqrt((1 + C[a, a]) * (1 + C[b, b])))


def I3(C, a, b, c):
    """<g'(a) b g(c)>."""
    root = math.sqrt((1 + C[a, a]) * (1 + C[c, c]) - C[a, c] ** 2)
    return 2 / math.pi / root * (C[b, c] * (1 + C[a, a]) - C[a, b] * C[a, c]) / (1 + C[a, a])


def J2(C, a, b):
    """<g'(a) g'(b)>."""
    return 2 / math.pi / math.sqrt((1 + C[a, a]) * (1 + C[b, b]) - C[a, b] ** 2)


def I4(C, a, b, c, d):
    """<g'(a) g'(b) g(c) g(d)>."""
    left, right = 1 + C[a, a], 1 + C[b, b]
    L4 = left * right - C[a, b] ** 2

    def part(c, d, own):
        mixed = C[a, b] * (C[a, c] * C[b, d] + C[a, d] * C[b, c])
        return L4 * (C[c, d] + own) - C[b, c] * C[b, d] * left - C[a, c] * C[a, d] * right + mixed

    return 4 / math.pi**2 / math.sqrt(L4) * math.asin(part(c, d, 0) / math.sqrt(part(c, c, 1) * part(d, d, 1)))

"""Modes of a kernel on the paper's mixtures, where the input dimension is large.

Inputs are on a sphere in this limit, and the kernel is a function of their cosine. Its modes are polynomials of the
input. One of them carries the labels: a quadratic one if the means are weak.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twolayer.model.networks.kernels import Kernel

_DEGREES = 4  # degrees of the polynomials that are separate modes; higher ones act as a ridge
_ANGLES = 40_000
_CIRCLE = 64  # points of the contour from which derivatives are computed


@dataclass(frozen=True, eq=False)
class Modes:
    """Eigenvalues of a kernel operator, and the correlation of the labels with its first mode.

    Attributes:
        eigenvalues: (m,) of modes of unit variance. multiplicities: (m,). The first mode carries the labels.
        correlation: correlation of the labels with the first mode.
        rest: diagonal of the kernel outside the modes, which acts as a ridge.
    """

    eigenvalues: np.ndarray
    multiplicities: np.ndarray
    correlation: float
    rest: float


Sphere = Callable[[np.ndarray], np.ndarray]


def on_sphere(kernel: Kernel, power: float) -> Sphere:
    """Return a kernel as a function of the cosine of two inputs with |x|^2 = power D."""
    return lambda cosine: kernel(power * cosine, power, power)


def harmonic_spectrum(sphere: Sphere, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues of a kernel of the cosine on the sphere, and numbers of harmonics, of degrees 0 to 4.

    Args:
        dimension: D, at least 3.
    """
    D = dimension
    cosine = np.sin((np.arange(_ANGLES // 2) + 0.5) * np.pi / _ANGLES)
    weight = np.exp((D - 2) / 2 * np.log1p(-(cosine**2)))  # sin^(D - 2), which large D would round
    weight /= weight.sum()
    values, opposite = sphere(cosine), sphere(-cosine)
    parts = (values + opposite) / 2, (values - opposite) / 2  # exactly zero for odd and for even functions
    polynomials = [np.ones_like(cosine), cosine]
    for degree in range(1, _DEGREES):
        above = ((2 * degree + D - 2) * cosine * polynomials[-1] - degree * polynomials[-2]) / (degree + D - 2)
        polynomials.append(above)
    eigenvalues = np.array([weight @ (parts[degree % 2] * one) for degree, one in enumerate(polynomials)])
    numbers = [
        math.comb(D + one - 1, one) - (math.comb(D + one - 3, one - 2) if one > 1 else 0) for one in range(_DEGREES + 1)
    ]
    return eigenvalues, np.array(numbers, float)


def derivatives(sphere: Sphere, cosine: float, order: int) -> np.ndarray:
    """Return derivatives 0 to `order` of a function of the cosine, by Cauchy's integral on a circle inside (-1, 1)."""
    radius = 0.5 * (1 - abs(cosine))
    phases = np.exp(2j * np.pi * np.arange(_CIRCLE) / _CIRCLE)
    values = sphere(cosine + radius * phases)
    powers = np.arange(order + 1)
    taylor = (values * phases ** -powers[:, None]).mean(axis=1).real / radius**powers
    return taylor * np.array([math.factorial(power) for power in powers])


def opposite_derivatives(sphere: Sphere, cosine: float, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return half the sum, and half the difference, of the derivatives at a cosine and at its negative.

    They follow from the even and the odd part of the function. A part that vanishes gives exact zeros.
    """

    def part(sign):
        return derivatives(lambda point: (sphere(point) + sign * sphere(-point)) / 2, cosine, order)

    even, odd, odd_order = part(1), part(-1), np.arange(order + 1) % 2 == 1
    return np.where(odd_order, odd, even), np.where(odd_order, even, odd)


def weak_means(
    kernel: Kernel,
    noise: float,
    dimension: int,
    *,
    length: float,
    directions: int,
    mean_power: float,
    signal: float,
    correlation: float,
) -> Modes:
    """Return the modes for weak means: harmonics on the sphere, of which a quadratic one carries the labels.

    Args:
        noise: standard deviation of the noise, in units of the length of the means. length: length of the means.
        directions: number of directions that the means span, with a variance of 1/2 each.
        mean_power: mean square length of the means, in units of their length.
        signal: variance of the quadratic that carries the labels, over its variance for inputs of unit variance.
        correlation: correlation of the labels with that quadratic.
    """
    D, power = dimension, noise**2 + mean_power / dimension
    sphere = on_sphere(kernel, length**2 * power)
    (constant, linear, quadratic, *higher), numbers = harmonic_spectrum(sphere, D)
    rest = sphere(1.0) - numbers @ [constant, linear, quadratic, *higher]
    wide, narrow, crossed = (noise**2 + 0.5) / power, noise**2 / power, directions * (D - directions)
    modes = [
        (quadratic * signal / power**2, 1),
        (constant, 1),
        (linear * wide, directions),
        (linear * narrow, D - directions),
        (quadratic * wide * narrow, crossed),
        (quadratic * narrow**2, numbers[2] - 1 - crossed),
        *zip(higher, numbers[3:], strict=True),
    ]
    return _modes(modes, correlation, rest)


def weak_xor(kernel: Kernel, sigma: float, dimension: int, length: float = 1.0) -> Modes:
    """Return the modes of the XOR mixture with means of this length.

    The signal is x_1^2 - x_2^2 along the means.
    """
    noise = sigma / length
    width = 1 + 2 * noise**2
    distribution = {"directions": 2, "mean_power": 1.0, "signal": width**2 / 4, "correlation": 1 / width}
    return weak_means(kernel, noise, dimension, length=length, **distribution)


def weak_three_clusters(kernel: Kernel, sigma: float, dimension: int) -> Modes:
    """Return the modes of three clusters with means of length 1 or 0.

    The signal is the square of the input along the means.
    """
    width = 0.25 + 2 * sigma**2 + 2 * sigma**4
    distribution = {"directions": 1, "mean_power": 0.5, "signal": width / 2, "correlation": 0.5 / math.sqrt(width)}
    return weak_means(kernel, sigma, dimension, length=1.0, **distribution)


def strong_xor(kernel: Kernel, sigma: float, dimension: int) -> Modes:
    """Return the modes of the XOR mixture with means of length sqrt D: the label, and linear functions within the
    clusters.
    """
    D, power = dimension, 1 + sigma**2
    sphere, slope = on_sphere(kernel, power), sigma**2 / power
    even, odd = opposite_derivatives(sphere, 1 / power, 1)
    orthogonal, _ = opposite_derivatives(sphere, 0.0, 1)
    # the 4 x 4 matrix of values between the clusters has the eigenvectors label, constant, and two odd ones
    label, constant, odd = (even - orthogonal) / 2, (even + orthogonal) / 2, odd / 2
    modes = [(label[0], 1), (constant[0], 1), (odd[0], 2)]
    modes += [(label[1] * slope / D, D), (constant[1] * slope / D, D), (odd[1] * slope / D, 2 * D)]
    return _modes(modes, 1.0, sphere(1.0) - (even + odd * 2) @ [1, slope])


def mixed_xor(kernel: Kernel, sigma: float, dimension: int) -> Modes:
    """Return the modes of the XOR mixture with one strong and one weak direction, to second order in the other
    coordinates.

    The signal is the product of the sign along the strong direction with the coordinate along the weak one. The modes
    of second order have a correction of the order of 1 / D. Where it exceeds the rest, in few dimensions or at little
    noise, the rest has its value for large D.
    """
    D, power = dimension, 1 + sigma**2
    sphere, noise = on_sphere(kernel, power), sigma**2 / power
    even, odd = opposite_derivatives(sphere, 1 / power, 2)  # even and odd in the sign of the strong direction
    pairs = D * (D + 1) / 2
    modes = [(odd[1] / D, 1), (even[0], 1), (odd[0], 1), (even[1] / D, 1)]
    modes += [(one[1] * noise / D, D - 1) for one in (even, odd)]
    modes += [(one[2] * (noise / D) ** 2, pairs) for one in (even, odd)]
    rest, limit = (sphere(1.0) - (even + odd) @ [1, noise, noise**2 * part] for part in (pairs / D**2, 0.5))
    return _modes(modes, 1 / math.sqrt(power), rest if rest > 0 else limit)


def _modes(pairs, correlation, rest):
    eigenvalues, multiplicities = np.array(pairs, float).T
    # eigenvalues and the rest are positive or zero, up to rounding errors
    return Modes(np.maximum(eigenvalues, 0.0), multiplicities, correlation, max(float(rest), 0.0))

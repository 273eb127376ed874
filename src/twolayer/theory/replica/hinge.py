"""The replica equations of the hinge loss, max(0, 1 - y z), on labels sign nu: support vector machines.

As for logistic regression, with the pull f = (1 - omega) / V between 0 and 1 in the place of sigma(-x): a training
output is omega + V f, one exactly in between.

Source: goldt2021, replica equations of convex losses.
"""

import math

import numpy as np

from twolayer.theory.replica.logistic import label_share, logistic_overlaps
from twolayer.theory.replica.replica_equations import (
    Errors,
    Overlaps,
    Spectrum,
    class_error,
    cosine_of,
    training_class_error,
)

_REACH = 9.0  # standard deviations that an average goes to
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def hinge_conjugates(
    spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
) -> tuple[float, float, float]:
    """V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""
    scale = math.sqrt(q)
    xi, density = _panels(V, scale, angle)
    f, Z = _pull(scale * xi, V), label_share(xi, angle)
    # Given that nu = 0, where the mean label has its slope, xi is narrower by cosh a.
    at_zero, its_density = _panels(V, scale / math.cosh(angle), angle)
    return (
        sample_ratio * float(density @ (Z * ((f > 0) & (f < 1)))) / V,
        sample_ratio * float(density @ (Z * f**2)),
        sample_ratio
        * math.sqrt(2 / (math.pi * spectrum.power))
        * float(its_density @ _pull(scale / math.cosh(angle) * at_zero, V)),
    )


def _pull(omega, V):
    return np.clip((1 - omega) / V, 0, 1)


def _panels(V, scale, angle):
    """Nodes and weights of a Gaussian average, between the kinks of the pull and close to the label's step."""
    step = 1 / math.cosh(angle)
    ends = [*np.linspace(-_REACH, _REACH, 13), *(step * np.array([-6, -2, 2, 6])), 1 / scale, (1 - V) / scale]
    ends = np.unique(np.clip(ends, -_REACH, _REACH))
    half, centre = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    xi, weights = (centre + half * _NODES).ravel(), (half * _WEIGHTS).ravel()
    return xi, weights * np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi)


def hinge_overlaps(spectrum: Spectrum, sample_ratio: float, ridge: float) -> Overlaps:
    """The solution for the loss max(0, 1 - y z), see `logistic_overlaps`."""
    return logistic_overlaps(spectrum, sample_ratio, ridge, hinge_conjugates)


def hinge_errors(spectrum: Spectrum, overlaps: Overlaps) -> Errors:
    """Errors for the loss max(0, 1 - y z) and labels sign nu."""
    V, scale = overlaps.V, math.sqrt(overlaps.q)
    cosine = cosine_of(spectrum, overlaps)
    angle = math.atanh(cosine)
    xi, density = _panels(V, scale, angle)
    training = float(density @ (label_share(xi, angle) * np.maximum(0, 1 - scale * xi - V)))
    test = hinge_test_loss(overlaps.q, angle)
    return Errors(training, test, training_class_error(V / scale, cosine), class_error(cosine))


def hinge_test_loss(q: float, angle: float) -> float:
    """Mean of max(0, 1 - y z) over fresh samples, for an output z of variance q and labels sign nu.

    Args:
        angle: a, tanh a is the cosine of the two fields.
    """
    xi, density = _panels(0.0, math.sqrt(q), angle)
    return float(density @ (label_share(xi, angle) * np.maximum(0, 1 - math.sqrt(q) * xi)))

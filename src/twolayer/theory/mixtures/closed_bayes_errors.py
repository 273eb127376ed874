"""The least classification error of any classifier, in closed form, on the mixtures of the papers."""

import numpy as np
from scipy.special import ndtr


def xor_error(deviation: np.ndarray) -> np.ndarray:
    """Return the error on the XOR mixture at low or high signal-to-noise.

    After a rotation by 45 degrees, the label is the sign of a product of two independent N(1/sqrt 2, deviation^2).

    Source: refinetti2021, Bayes-optimal classifier.
    """
    right = 1 / (np.sqrt(2) * np.asarray(deviation))
    return 2 * ndtr(right) * ndtr(-right)


def xor_mixed_error(deviation: np.ndarray) -> np.ndarray:
    """Return the error on the XOR mixture with class -1 at +-(sqrt N, 1) and +1 at +-(sqrt N, -1).

    The first coordinate determines its own sign.

    Source: refinetti2021, Bayes-optimal classifier; mixed signal-to-noise.
    """
    return ndtr(-1 / np.asarray(deviation))


def three_cluster_error(deviation: np.ndarray) -> np.ndarray:
    """Return the error with class -1 at +-e1 and class +1 at the centre, both equally frequent; low or high
    signal-to-noise.

    The classifier assigns class -1 where cosh(x1 / s^2) > exp(1 / (2 s^2)), that is |x1| > threshold.

    Source: own derivation.
    """
    s = np.asarray(deviation)
    exponent = 0.5 / s**2
    threshold = s**2 * (exponent + np.log1p(np.sqrt(-np.expm1(-2 * exponent))))  # arccosh(exp(exponent)), no overflow
    missed = ndtr((threshold - 1) / s) - ndtr(-(threshold + 1) / s)
    return 0.5 * missed + ndtr(-threshold / s)


def three_cluster_mixed_error(deviation: np.ndarray) -> np.ndarray:
    """Return the error with class -1 at sqrt N e1 and at -e1 and class +1 at the centre, both equally frequent.

    The far cluster is never misclassified. The near cluster (prior 1/4, the centre has 1/2) is chosen where x1 <
    -threshold.

    Source: own derivation; mixed signal-to-noise.
    """
    s = np.asarray(deviation)
    threshold = 0.5 + s**2 * np.log(2)
    return 0.25 * ndtr((threshold - 1) / s) + 0.5 * ndtr(-threshold / s)

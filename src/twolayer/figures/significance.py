"""Significance limits. The functions give the bits of `scipy.stats`, which loads slowly."""

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit


def normal_limit(probability: float) -> float:
    """Return the value that a standard normal number exceeds with a probability."""
    return -ndtri(probability)


def student_limit(probability: float, freedom: float | np.ndarray) -> float | np.ndarray:
    """Return the value that Student's t exceeds with a probability.

    Args:
        freedom: degrees of freedom.
    """
    return -stdtrit(freedom, probability)


def student_tail(value: float, freedom: float) -> float:
    """Return the probability that Student's t exceeds a value.

    Args:
        freedom: degrees of freedom.
    """
    return stdtr(freedom, -value)

"""The noise of SGD for tanh and sigmoid units, each approximated by a sum of five erf units.

The sum sum_i height_i erf(scale_i x / sqrt 2) approximates tanh(x) with an error of 1.4e-6, and its slope with an error
of 7e-6. A unit then represents five erf units whose fields are proportional. The cost grows as the fourth power of the
number of units.

Source: own least-squares fit of values and slopes.
"""

import numpy as np

from twolayer.theory.averages.erf_units import erf_averages

MOST_UNITS = 2  # number of units up to which the sums are faster than points with the same error
_SCALES = np.array([0.60039242185286, 0.848503368200551, 1.187761959373395, 1.648468711697565, 2.28714868759222])
_HEIGHTS = np.array([0.031114380775417, 0.234210701317879, 0.430842973781290, 0.267345236198813, 0.036485275571056])


def tanh_noise(M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return <u_k u_l> (C, K, K) of tanh units; labels (C,)."""
    return _noise(_SCALES, M, covariance, v, labels)


def sigmoid_noise(M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return <u_k u_l> (C, K, K) of sigmoid units, which are (1 + tanh(x / 2)) / 2; labels (C,)."""
    return _noise(0.5 * _SCALES, M, covariance, 0.5 * v, labels - 0.5 * v.sum())


def _noise(scales, M, covariance, v, labels):
    size = len(scales)
    fields = (M[:, :, None] * scales).reshape(len(M), -1)
    among = np.kron(covariance, np.outer(scales, scales))
    noise = erf_averages(fields, among, np.kron(v, _HEIGHTS), labels)[2]
    blocks = noise.reshape(len(M), len(v), size, len(v), size)
    return np.einsum("akilj,i,j->akl", blocks, scales, scales)

"""The noise of SGD for tanh and sigmoid units, each taken as a sum of four erf units.

tanh(x) is sum_i height_i erf(scale_i x / sqrt 2) to 1e-5. A unit then stands for four erf units whose fields are
proportional. The noise needs the averages over every two pairs of them, which points replace where units are many.

Source: own, a least-squares fit of the largest deviation.
"""

import numpy as np

from twolayer.theory.erf_units import erf_averages

MOST_UNITS = 3  # up to which the sums are faster than points of the same error
_HEIGHTS = np.array([0.062, 0.372606, 0.107956, 0.457436])
_SCALES = np.array([0.643933, 0.950907, 2.042251, 1.395828])


def tanh_noise(M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """<u_k u_l> (C, K, K) of tanh units; labels (C,)."""
    return _noise(_SCALES, M, covariance, v, labels)


def sigmoid_noise(M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The same of sigmoid units, which are (1 + tanh(x / 2)) / 2."""
    return _noise(0.5 * _SCALES, M, covariance, 0.5 * v, labels - 0.5 * v.sum())


def _noise(scales, M, covariance, v, labels):
    size = len(scales)
    fields = (M[:, :, None] * scales).reshape(len(M), -1)
    among = np.kron(covariance, np.outer(scales, scales))
    noise = erf_averages(fields, among, np.kron(v, _HEIGHTS), labels)[2]
    blocks = noise.reshape(len(M), len(v), size, len(v), size)
    return np.einsum("akilj,i,j->akl", blocks, scales, scales)

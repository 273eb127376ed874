"""Least squares without a ridge."""

import numpy as np


def least_norm(inputs: np.ndarray, labels: np.ndarray, *, bias: bool = False) -> np.ndarray:
    """Return the minimum of the square loss with the smallest norm.

    Args:
        inputs: (n, d). labels: (n,), or (n, K) for K outputs.
        bias: whether the last weight is a bias, which does not count in the norm.
    """
    if not bias:
        return np.linalg.lstsq(inputs, labels, rcond=None)[0]
    mean, target = inputs.mean(axis=0), labels.mean(axis=0)
    w = np.linalg.lstsq(inputs - mean, labels - target, rcond=None)[0]
    return np.concatenate([w, [target - mean @ w]])

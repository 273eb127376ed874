"""The named activations: each is a function of arrays with its slope.

This module is separate from the objects that use it, so that parameters are read without numba.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import erf, eval_hermitenorm, ndtr

from twolayer.model.networks.activation_names import NAMES, hermite_degree

Function = Callable[[np.ndarray], np.ndarray]

SLOPE_AT_ZERO = math.sqrt(2 / math.pi)  # derivative of erf(x / sqrt 2) at the origin


def _erf(x):
    return erf(x * math.sqrt(0.5))


def _erf_slope(x):
    return SLOPE_AT_ZERO * np.exp(-0.5 * x**2)


def _relu(x):
    return np.maximum(x, 0)


def _step(x):
    return (x > 0).astype(x.dtype)


def _tanh_slope(x):
    return 1 - np.tanh(x) ** 2


def _sigmoid(x):
    return 0.5 * np.tanh(0.5 * x) + 0.5  # faster than by the exponential, and cannot overflow


def _sigmoid_slope(x):
    s = _sigmoid(x)
    return s * (1 - s)


def _softplus(x):
    return np.logaddexp(x, 0)


def _gelu(x):
    return x * ndtr(x)


def _gelu_slope(x):
    return ndtr(x) + x * np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)


def _swish(x):
    return x * _sigmoid(x)


def _swish_slope(x):
    s = _sigmoid(x)
    return s * (1 + x * (1 - s))


def _hermite_value(degree, x):
    return (eval_hermitenorm(degree, x) / math.sqrt(math.factorial(degree))).astype(x.dtype)


def _hermite_slope(degree, x):
    return math.sqrt(degree) * _hermite_value(degree - 1, x) if degree else np.zeros_like(x)


def hermite_functions(degree: int) -> tuple[Function, Function]:
    """Return He_degree(x) / sqrt(degree!) and its slope.

    This is the probabilists' Hermite polynomial with mean square one for standard normal x.
    """
    return partial(_hermite_value, degree), partial(_hermite_slope, degree)


_FUNCTIONS: dict[str, tuple[Function, Function]] = {
    "erf": (_erf, _erf_slope),  # g(x) = erf(x / sqrt 2)
    "relu": (_relu, _step),
    "linear": (np.positive, np.ones_like),
    "sign": (np.sign, np.zeros_like),
    "tanh": (np.tanh, _tanh_slope),
    "sigmoid": (_sigmoid, _sigmoid_slope),
    "softplus": (_softplus, _sigmoid),
    "gelu": (_gelu, _gelu_slope),  # x Phi(x)
    "swish": (_swish, _swish_slope),  # x / (1 + exp(-x))
    "sin": (np.sin, np.cos),
}


def _functions(name):
    return _FUNCTIONS[name] if (degree := hermite_degree(name)) is None else hermite_functions(degree)


# value and slope of each activation; gradients use this slope
NAMED: dict[str, tuple[Function, Function]] = {name: _functions(name) for name in NAMES}

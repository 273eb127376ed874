"""Gaussian averages of hidden units: closed forms for some activations, Hermite series for all others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from twolayer.model.networks.activations import ERF, LINEAR, RELU, SIGN, Activation
from twolayer.theory.averages import linear_and_sign_units as closed
from twolayer.theory.averages import series_units as series
from twolayer.theory.averages.erf_units import erf_local_fields, erf_products
from twolayer.theory.averages.feature_distributions import (
    erf_distribution,
    linear_distribution,
    relu_distribution,
    sign_distribution,
)
from twolayer.theory.averages.gaussian_integrals import erf_value, relu_value
from twolayer.theory.averages.relu_units import relu_local_fields, relu_products, relu_sign_errors

Average = Callable[..., np.ndarray]
Averages = Callable[..., tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class UnitAverages:
    """The functions that compute averages over units of one activation.

    Attributes:
        local_fields: from M (C, K), covariance (K, K) of the pre-activations, v (K,), labels (C, 1) and nodes, to
            drive, response, noise and readout of `LocalFieldAverages` and the mean squared error (C,).
        sign_errors: from the same, with labels (C,) and a covariance (K, K) or (C, K, K), to P(label f < 0) and
            P(f = 0) in each cluster.
        values: <g(a)> (...) from mean and variance (...) of a field.
        products: <g(a) g(b)> (..., K, K) over every two of K fields, from their mean (..., K) and covariance
            (..., K, K).
        feature_distribution: from mean (C, F) and standard deviation (F,) or (C, F) of a field and an order, to mean
            (C, F) and variance (C, F) of the unit and its Hermite coefficients (order, C, F).
        closed: whether the other functions have closed forms, and not series. exact: whether `local_fields` needs no
            nodes.
        exact_units: number of hidden units up to which `local_fields` needs no nodes, if it needs them for more.
        smooth: whether `local_fields` is a smooth function. Averages at points are not smooth if a point meets a kink.
        lines: whether `local_fields` uses lines, whose direction matters.
        smallest: size of the weights down to which `local_fields` keeps its relative accuracy.
    """

    local_fields: Averages
    sign_errors: Averages
    values: Average
    products: Average
    feature_distribution: Averages
    closed: bool = True
    exact: bool = False
    exact_units: int = 0
    smooth: bool = True
    lines: bool = False
    smallest: float = 1e-30

    def needs_nodes(self, hidden: int) -> bool:
        """Return whether `local_fields` of this number of hidden units needs nodes."""
        return not self.exact and hidden > self.exact_units


def by_series(activation):
    """Return the averages of an activation by Hermite series."""
    return UnitAverages(
        partial(series.series_local_fields, activation),
        partial(series.sampled_sign_errors, activation),
        partial(series.series_value, activation),
        partial(series.series_products, activation),
        partial(series.series_distribution, activation),
        closed=False,
        exact_units=series.exact_units(activation),
        smooth=activation.kinks.size == 0,
        smallest=1e-8,
    )


_CLOSED = {
    ERF: UnitAverages(
        erf_local_fields,
        partial(series.sampled_sign_errors, ERF),
        erf_value,
        erf_products,
        erf_distribution,
        exact=True,
    ),
    RELU: UnitAverages(relu_local_fields, relu_sign_errors, relu_value, relu_products, relu_distribution, lines=True),
    LINEAR: UnitAverages(
        closed.linear_local_fields,
        closed.linear_sign_errors,
        closed.linear_value,
        closed.linear_products,
        linear_distribution,
        exact=True,
    ),
    SIGN: UnitAverages(
        closed.sign_local_fields,
        partial(series.sampled_sign_errors, SIGN),
        closed.sign_value,
        closed.sign_products,
        sign_distribution,
        exact=True,
    ),
}


def unit_averages(activation: Activation) -> UnitAverages:
    """Return the closed forms of an activation if it has any, else its Hermite series."""
    return _CLOSED.get(activation) or by_series(activation)

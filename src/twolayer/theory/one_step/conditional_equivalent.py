"""The conditional equivalent: a theory of networks after one gradient step that holds for steps and spikes of any size.

Given the first layer F after its step, and the spikes, the pre-activations F x of each component and the teacher's
field are jointly Gaussian. For large n, m and k, ridge regression on the features phi(F x) has the errors of ridge
regression on Gaussian features with the same second moments: E v v^T, E y v and E y^2. Hermite series give these
moments exactly. Only the first layer and the data of its step are drawn.

Source: own derivation from demir2025, equivalent model, and goldt2021, replica solution of ridge regression.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from twolayer.errors import NotConverged
from twolayer.model.mixtures.spiked_mixtures import LabelledMixture, component_signs
from twolayer.model.networks.learning import Losses
from twolayer.theory.averages.mehler import (
    Function,
    add_second_moments,
    cross_moments,
    hermite_series,
    largest_correlation,
)
from twolayer.theory.numerics.spectral_measure import spectral_measure
from twolayer.theory.one_step.class_error import SecondLayer, second_layer
from twolayer.theory.replica.replica_equations import Spectrum, linear_labels
from twolayer.theory.replica.ridge import ridge_errors

# relative rounding error; if the penalty is larger, errors are off by 1e-5 or less
ROUNDING = 1e3 * np.finfo(np.float32).eps


@dataclass(frozen=True, eq=False)
class Component:
    """The distribution of pre-activations and labels in one component of a mixture.

    Attributes:
        ratio: fraction of the samples.
        covariance: (k, k) of the pre-activations, which have mean zero.
        label: function that maps the teacher's field nu to the labels. label_deviation: standard deviation of nu, which
            is normal.
        label_covariance: (k,) covariance of nu with the pre-activations.
    """

    ratio: float
    covariance: np.ndarray
    label: Callable[[np.ndarray], np.ndarray]
    label_deviation: float
    label_covariance: np.ndarray


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments of features v and labels y.

    Attributes:
        power: E y^2. correlation: (k,) E y v. Omega: (k, k) E v v^T.
    """

    power: float
    correlation: np.ndarray
    Omega: np.ndarray


def components(distribution: LabelledMixture, first_layer: np.ndarray) -> Iterator[Component]:
    """Yield the components that have samples, in the coordinates and the precision of a first layer (k, n)."""
    mixture, gram = distribution.mixture, first_layer @ first_layer.T

    def label(field):
        return distribution.function(field[..., None])

    signs = component_signs(len(mixture.ratios))
    for ratio, gamma, theta, sign in zip(mixture.ratios, mixture.frames, mixture.spikes, signs, strict=True):
        if ratio == 0:
            continue
        along = first_layer @ gamma
        stretched = (along * np.sqrt(theta)).astype(gram.dtype)
        covariance = gram + np.dot(stretched, stretched.T)  # `@` with one column would take seven times as long
        if distribution.teacher is None:
            yield Component(ratio, covariance, _constant(sign), 1.0, np.zeros(len(first_layer)))
        else:
            (teacher,) = distribution.directions
            seen = theta * (gamma.T @ teacher)
            variance = teacher @ teacher + seen @ (gamma.T @ teacher)
            yield Component(ratio, covariance, label, np.sqrt(variance), first_layer @ teacher + along @ seen)


def _constant(value):
    return lambda field: np.full_like(field, value)


def feature_moments(function: Function, parts: Iterable[Component], degree: int | None = None) -> Moments:
    """Return the moments of the features phi(z) of the pre-activations z, by Hermite series.

    Args:
        function: phi, maps an array to an array of the same shape.
        degree: last degree of the series, except for the features' powers; by default, as high as necessary.

    Raises:
        NotConverged: two fields are too strongly correlated, phi is too steep, or moments overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        moments = _feature_moments(function, parts, degree)
    if not np.isfinite(moments.Omega).all():
        raise NotConverged(
            f"second moments of the features overflow in {moments.Omega.dtype}: make the step, the spikes, the degree "
            "or the activation smaller"
        )
    return moments


def _feature_moments(function, parts, degree):
    power, correlation, Omega = 0.0, 0.0, None
    for part in parts:
        deviation = np.sqrt(np.diag(part.covariance))
        shared = part.label_covariance / (deviation * part.label_deviation)
        strongest = max(largest_correlation(part.covariance, deviation), np.abs(shared).max())
        series = hermite_series(function, deviation, strongest, degree)
        label = hermite_series(part.label, np.array([part.label_deviation]), strongest, series.degree)
        Omega = np.zeros_like(part.covariance) if Omega is None else Omega
        add_second_moments(Omega, series, part.covariance, deviation, part.ratio)
        correlation = correlation + part.ratio * cross_moments(series, label, shared)
        power += part.ratio * float(label.power[0])
    return Moments(power, correlation, Omega)


@dataclass(frozen=True)
class ConditionalFit:
    """A second layer that ridge regression fits to fresh samples.

    Attributes:
        errors: mean squared errors. moments: moments of the features, with their noise, and of the labels.
        spectrum: spectrum of these moments. sample_ratio: m / k. penalty: lambda m.
    """

    errors: Losses
    moments: Moments
    spectrum: Spectrum
    sample_ratio: float
    penalty: float

    def second_layer(self) -> SecondLayer:
        """Return the distribution of the second layer over training sets."""
        moments = self.moments.Omega, self.moments.correlation
        return second_layer(*moments, self.spectrum, self.sample_ratio, self.penalty)


def conditional_fit(
    parts: Iterable[Component],
    function: Function,
    samples: int,
    ridge: float,
    *,
    degree: int | None = None,
    feature_noise: float = 0.0,
    label_noise: float = 0.0,
) -> ConditionalFit:
    """Return the fit of ridge regression to the features of a first layer on fresh samples.

    Args:
        parts: components of the mixture, in the coordinates of the first layer after its step. function: phi.
        samples: m. ridge: lambda, in units of m.
        degree: see `feature_moments`.
        feature_noise, label_noise: standard deviations of independent noise on every feature, and on the labels.

    Raises:
        ConfigError: ridge is not positive.
    """
    moments = feature_moments(function, parts, degree)
    if not np.trace(moments.Omega) + feature_noise > 0:
        raise NotConverged(
            "all features are 0 at the nodes of the quadrature: give more nodes, or an activation that is not 0"
        )
    width = len(moments.Omega)
    moments.Omega.flat[:: width + 1] += feature_noise**2
    problem = samples / width, ridge * samples
    single = np.trace(moments.Omega) * ROUNDING <= ridge * samples
    modes = spectral_measure(moments.Omega.astype(np.float32 if single else float, copy=False), moments.correlation)
    spectrum = Spectrum.of_modes(moments.power + label_noise**2, *modes)
    errors = ridge_errors(spectrum, linear_labels(spectrum), *problem)
    return ConditionalFit(errors, moments, spectrum, *problem)

"""Learning by a convex loss from n = alpha d samples, d to infinity: the replica equations, and ridge regression.

The estimator is argmin_w sum_mu loss(y_mu, w.v_mu / sqrt d) + ridge / 2 |w|^2. It enters through the overlaps
q = w.Omega w / d and m = E[nu w.v] / sqrt d with the teacher's field nu, and through V, the response of an output to
the pull of its own label. The equations express the overlaps as averages over the modes of Omega, given their
conjugates V_hat, q_hat and m_hat; these follow from the loss, given the overlaps.

Source: goldt2021, replica equations.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.learning import Losses
from twolayer.model.teachers.feature_covariances import CovariateModel

_ROUNDING = 1e-10  # relative to the largest eigenvalue
_VANISHING_RIDGE = 1e-8  # in units of the features' mean variance


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The properties of the covariances that the equations need.

    Attributes:
        power: rho, variance of the teacher's field nu.
        eigenvalues: (d,) eigenvalues of Omega.
        alignments: (d,) tau, d times the squared components of E nu v along the eigenvectors.
        weights: (d,) weights of the modes in an average; they add up to one.
    """

    power: float
    eigenvalues: np.ndarray
    alignments: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, power: float, correlation: np.ndarray, Omega: np.ndarray) -> "Spectrum":
        """Return the spectrum for a field, or for labels of any distribution that the square loss fits.

        Args:
            power: E nu^2. correlation: (d,) E nu v. Omega: (d, d).

        Raises:
            ConfigError: these are not covariances of a distribution.
        """
        eigenvalues, vectors = _eigenmodes(Omega, "Omega")
        return cls.of_modes(power, eigenvalues, (correlation @ vectors) ** 2)

    @classmethod
    def of_modes(cls, power: float, eigenvalues: np.ndarray, components: np.ndarray) -> "Spectrum":
        """Return the spectrum from the modes of Omega: ascending eigenvalues, and the squared components of E nu v,
        (d,) each.

        Raises:
            ConfigError: these are not covariances of a distribution.
        """
        d = len(eigenvalues)
        # A direction without variance may have rounding errors in both.
        r_squared = float(np.sum(components / np.maximum(eigenvalues, _ROUNDING * eigenvalues[-1])))
        if power == 0:
            raise ConfigError("the teacher's field has variance 0: give a teacher whose weights and features are not 0")
        if not 0 < power * (1 + 1e-6) >= r_squared:
            raise ConfigError(
                f"Phi and Omega do not match: the features explain {r_squared:.4g} of the teacher's variance "
                f"{power:.4g}: take both, and Psi, from the same distribution"
            )
        return cls(power, eigenvalues, d * components, np.full(d, 1 / d))

    def average(self, values: np.ndarray) -> float:
        """Return the average over the modes."""
        return float(self.weights @ values)


def explained_power(spectrum: Spectrum) -> float:
    """Return the variance of nu that a linear function of the features explains."""
    omega = spectrum.eigenvalues
    return spectrum.average(spectrum.alignments / np.where(omega > 0, omega, np.inf))


def covariate_spectrum(feature_covariances: CovariateModel) -> Spectrum:
    """Return the spectrum of a Gaussian covariate model.

    Raises:
        ConfigError: a covariance is not positive semi-definite, or Phi and Omega do not match.
    """
    _eigenmodes(feature_covariances.Psi, "Psi")
    return Spectrum.of(feature_covariances.power, feature_covariances.correlation, feature_covariances.Omega)


def _eigenmodes(covariance, name):
    """Return eigenvalues and eigenvectors; a zero eigenvalue may be slightly negative because of rounding."""
    if not np.allclose(covariance, covariance.T, rtol=0, atol=_ROUNDING * np.abs(covariance).max()):
        raise ConfigError(f"{name} is not symmetric: give a symmetric covariance")
    eigenvalues, vectors = np.linalg.eigh(covariance)
    if not eigenvalues[0] >= -_ROUNDING * eigenvalues[-1]:
        raise ConfigError(
            f"{name} is not positive semi-definite: its eigenvalues go from {eigenvalues[0]:.3g} to "
            f"{eigenvalues[-1]:.3g}: use exact or sampled covariances"
        )
    return np.maximum(eigenvalues, 0), vectors


@dataclass(frozen=True)
class Labels:
    """The moments of labels y = f(nu) that the square loss needs.

    Attributes:
        power: E y^2. slope: E[y nu] / E nu^2.
    """

    power: float
    slope: float


def linear_labels(distribution: Spectrum | CovariateModel) -> Labels:
    """Return the moments of labels y = nu."""
    return Labels(distribution.power, 1.0)


@dataclass(frozen=True)
class Overlaps:
    """The solution of the replica equations, with its conjugates."""

    V: float
    q: float
    m: float
    V_hat: float
    q_hat: float
    m_hat: float


@dataclass(frozen=True)
class Errors(Losses):
    """Losses of the estimator, without the ridge, and probabilities that its output has another sign than nu.

    Attributes:
        training_class_error: on the training samples. class_error: on fresh samples.
    """

    training_class_error: float
    class_error: float


def check_problem(sample_ratio: float, ridge: float) -> None:
    """Raise an error for parameters without a solution.

    Raises:
        ConfigError: sample ratio or ridge is not positive.
    """
    for name, value in (("sample ratio", sample_ratio), ("ridge", ridge)):
        if not (value > 0 and math.isfinite(value)):
            raise ConfigError(f"{name} is {value:g}: it must be above 0")


def vanishing_ridge(variance: float) -> float:
    """Return a ridge that approximates the limit of a vanishing ridge, if the limit is finite.

    Args:
        variance: mean variance of the features.
    """
    return _VANISHING_RIDGE * variance


def mode_overlaps(
    spectrum: Spectrum, ridge: float, V_hat: float, q_hat: float, m_hat: float
) -> tuple[float, float, float]:
    """Return V, q and m from their conjugates: averages over the modes of Omega."""
    omega, tau = spectrum.eigenvalues, spectrum.alignments
    gain = 1 / (ridge + V_hat * omega)
    V = spectrum.average(omega * gain)
    q = spectrum.average(omega * (q_hat * omega + m_hat**2 * tau) * gain**2)
    return V, q, m_hat * spectrum.average(tau * gain)


def squared_weights(spectrum: Spectrum, ridge: float, overlaps: Overlaps) -> float:
    """Return |w|^2 / d of the estimator."""
    omega, tau = spectrum.eigenvalues, spectrum.alignments
    power = overlaps.q_hat * omega + overlaps.m_hat**2 * tau
    return spectrum.average(power / (ridge + overlaps.V_hat * omega) ** 2)


def ridge_overlaps(spectrum: Spectrum, labels: Labels, sample_ratio: float, ridge: float) -> Overlaps:
    """Return the solution for the loss (y - z)^2 / 2, in closed form up to V, the root of a monotone function.

    Args:
        sample_ratio: alpha = n / d.

    Raises:
        ConfigError: sample ratio or ridge is not positive.
        NotConverged: the ridge is too far from the features' variances, or the fit interpolates up to rounding.
    """
    check_problem(sample_ratio, ridge)
    omega, tau = spectrum.eigenvalues, spectrum.alignments

    def excess(V):
        return V - spectrum.average(omega / (ridge + sample_ratio * omega / (1 + V)))

    largest = spectrum.average(omega) / ridge
    if not 0 < largest < math.inf:
        raise NotConverged(
            f"the response V of ridge regression would be {largest:.3g} at ridge {ridge:g}: give features with "
            "a variance, or a ridge closer to their variance"
        )
    # At the upper end, rounding may leave no excess. A response below one needs a separate accuracy.
    V = (
        largest
        if excess(largest) <= 0
        else brentq(excess, 0, largest, xtol=1e-14 * min(1.0, largest), rtol=1e-14, maxiter=1000)
    )
    V_hat = sample_ratio / (1 + V)
    m_hat = labels.slope * V_hat
    gain = 1 / (ridge + V_hat * omega)
    m = m_hat * spectrum.average(tau * gain)
    noise = V_hat**2 / sample_ratio * spectrum.average((omega * gain) ** 2)  # contribution of the error to q
    signal = m_hat**2 * spectrum.average(omega * tau * gain**2)
    if not 1 - noise > _ROUNDING:
        raise NotConverged(
            f"ridge regression at sample ratio {sample_ratio:g} and ridge {ridge:g} interpolates, and a divisor is "
            f"{1 - noise:.2g} up to rounding: raise the ridge or change the sample ratio"
        )
    q = (noise * (labels.power - 2 * labels.slope * m) + signal) / (1 - noise)
    q_hat = V_hat**2 / sample_ratio * (labels.power + q - 2 * labels.slope * m)
    return Overlaps(V, q, m, V_hat, q_hat, m_hat)


def square_losses(labels: Labels, overlaps: Overlaps) -> tuple[float, float]:
    """Return the mean of (y - z)^2 / 2 over the training samples, and over fresh samples."""
    test = square_test_loss(labels, overlaps.q, overlaps.m)
    return test / (1 + overlaps.V) ** 2, test


def square_test_loss(labels: Labels, q: float, m: float) -> float:
    """Return the mean of (y - z)^2 / 2 over fresh samples.

    For a perfect output, the difference is a rounding error.
    """
    test = (labels.power + q - 2 * labels.slope * m) / 2
    return 0.0 if -_ROUNDING * labels.power < test < 0 else test


def cosine_of(power: float, q: float, m: float) -> float:
    """Return the correlation of the student's field, of variance q, and the teacher's field, of variance `power`.

    It is zero if all weights are zero. Then half of the signs are wrong.

    Raises:
        NotConverged: because of rounding, no fields have these overlaps.
    """
    if q == m == 0:
        return 0.0
    product = power * q
    if not (product > 0 and math.isfinite(m) and m**2 <= product * (1 + _ROUNDING)):
        raise NotConverged(
            f"no fields have the overlaps q = {q:.3g}, m = {m:.3g} and rho = {power:.3g}, which have rounding "
            "errors: raise "
            "ridges, or change sample_ratios"
        )
    return math.copysign(min(abs(m) / math.sqrt(product), 1.0), m)


def class_error(cosine: float) -> float:
    """Return the probability that two Gaussian fields with this correlation differ in sign."""
    return math.acos(cosine) / math.pi

"""The limit of a vanishing ridge: least squares with and without interpolation, and separable and inseparable labels.

Source: goldt2021, replica equations; candes2020, for the sample ratio at which labels are separable.
"""

import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from twolayer.errors import ConfigError
from twolayer.theory.replica.label_channels import LabelChannel
from twolayer.theory.replica.replica_equations import Labels, Overlaps, Spectrum, explained_power

_XI, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_REACH = 9.0  # range of an average, in standard deviations


def ridgeless_overlaps(spectrum: Spectrum, labels: Labels, sample_ratio: float) -> Overlaps:
    """Return the solution for the square loss as the ridge vanishes; with fewer samples than features V is infinite.

    Raises:
        ConfigError: the number of samples equals the number of features that vary.
    """
    omega, tau, alpha = spectrum.eigenvalues, spectrum.alignments, sample_ratio
    rank = float(spectrum.weights @ (omega > 0))
    check_rank(alpha, rank)
    if alpha > rank:
        V, V_hat, noise = rank / (alpha - rank), alpha - rank, rank / alpha
        m = labels.slope * explained_power(spectrum)
        signal, m_hat = labels.slope * m, labels.slope * V_hat
    else:
        v = interpolating_response(spectrum, alpha, rank)
        gain = 1 / (1 + v * omega)
        V, V_hat, m_hat = math.inf, 0.0, 0.0
        noise = v**2 / alpha * spectrum.average((omega * gain) ** 2)
        m = labels.slope * v * spectrum.average(tau * gain)
        signal = (labels.slope * v) ** 2 * spectrum.average(omega * tau * gain**2)
    q = (noise * (labels.power - 2 * labels.slope * m) + signal) / (1 - noise)
    q_hat = V_hat**2 / alpha * (labels.power + q - 2 * labels.slope * m)
    return Overlaps(V, q, m, V_hat, q_hat, m_hat)


def check_rank(sample_ratio: float, rank: float) -> None:
    """Refuse equal numbers of samples and varying features, both in units of the number of features, at ridge 0.

    Raises:
        ConfigError: the numbers are equal.
    """
    if math.isclose(sample_ratio, rank, rel_tol=1e-9):
        raise ConfigError(
            f"ridges has 0 at sample ratio {sample_ratio:g}, where samples and features are equally many and the error "
            "is infinite: raise ridges, or change sample_ratios"
        )


def interpolating_response(spectrum: Spectrum, alpha: float, rank: float) -> float:
    """Return V_hat / ridge at ridge 0, where the effective number of directions is the number of samples."""
    omega = spectrum.eigenvalues

    def excess(log_v):
        return spectrum.average(omega / (math.exp(-log_v) + omega)) - alpha

    typical = -math.log(spectrum.average(omega) / rank)
    low, high = typical - 1, typical + 1
    while excess(low) > 0:
        low -= 5
    while excess(high) < 0:
        high += 5
    return math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


def separable_sample_ratio(spectrum: Spectrum, channel: LabelChannel) -> float:
    """Return the largest sample ratio at which a plane through the origin separates the labels.

    It is infinite if a linear function of the features determines the labels.
    """
    r_squared = min(explained_power(spectrum), spectrum.power)
    left = spectrum.power + channel.noises**2 - r_squared
    if np.any(left <= 1e-9 * spectrum.power):
        return math.inf
    steepness = np.sqrt(r_squared / left)
    step = 1 / math.sqrt(1 + np.max(steepness) ** 2)
    ends = np.unique(np.concatenate([np.linspace(-_REACH, _REACH, 25), step * np.array([-6, -2, -1, 0, 1, 2, 6])]))
    half, centre = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    u, weights = (centre + half * _XI).ravel(), (half * _WEIGHTS).ravel()
    share = 2 * (channel.probabilities @ ndtr(steepness[:, None] * u))
    density = weights * share * np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)

    def cost(b):
        t = b * u
        return float(density @ ((1 + t**2) * ndtr(-t) - t * np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)))

    top = 1.0
    while cost(2 * top) < cost(top):
        top *= 2
    return (
        float(spectrum.weights @ (spectrum.eigenvalues > 0))
        / minimize_scalar(cost, bounds=(0, 2 * top), method="bounded", options={"xatol": 1e-9 * top}).fun
    )

"""The replica equations of two classes that are one Gaussian each, of a common covariance, learnt by a convex loss.

Features of class y = +-1 are v = c_y Delta + g with g ~ N(0, Sigma), where c_+ = 1 - p and c_- = -p for a probability
p of +1, so that v is centred. With m = w.Delta / sqrt d and q = w.Sigma w / d the field z = w.v / sqrt d of a fresh
sample is N(c_y m, q), and y z = |c_y| m + sqrt q xi. A training output is the proximal point x = y z + V f(x), where f
is the pull of the loss. Only the averages over xi differ from those for labels sign nu.

Source: mignacco2020, regularisation in the classification of a high-dimensional Gaussian mixture, from which these are
by a mean of both classes that is zero.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from twolayer.errors import ConfigError
from twolayer.theory.replica.logistic import logistic_overlaps, proximal_point
from twolayer.theory.replica.replica_equations import Errors, Overlaps, Spectrum

_REACH = 9.0  # standard deviations that an average goes to
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class ClassDistribution:
    """Two classes in the modes of their covariance.

    Attributes:
        spectrum: of Sigma, with the components of Delta in its alignments.
        positive: p, the probability of label +1.
    """

    spectrum: Spectrum
    positive: float

    @property
    def classes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Probability and |c_y| of each class."""
        return (self.positive, 1 - self.positive), (1 - self.positive, self.positive)


def class_distribution(correlation: np.ndarray, Omega: np.ndarray, positive: float) -> ClassDistribution:
    """The distribution with these moments.

    Args:
        correlation: (d,) E y v of labels +-1 and centred features. Omega: (d, d) covariance of the features, of both
            classes together. positive: p.

    Raises:
        ConfigError: one of the classes is empty, both have the same mean, or no such covariances exist.
    """
    if not 0 < positive < 1:
        raise ConfigError("all labels are the same: give samples of both classes")
    balance = positive * (1 - positive)
    difference = correlation / (2 * balance)
    within = Omega - balance * np.outer(difference, difference)
    eigenvalues, vectors = np.linalg.eigh(within)
    components = (difference @ vectors) ** 2
    rounding = 1e-10 * eigenvalues[-1]
    if eigenvalues[0] < -rounding:
        raise ConfigError(
            f"the covariance within a class has the eigenvalue {eigenvalues[0]:.3g}: take both moments from one set"
        )
    kept = eigenvalues > rounding  # what has no variance takes no part
    separation = float(np.sum(components[kept] / eigenvalues[kept]))
    if np.any(components[~kept] > rounding * max(1.0, separation)):
        raise ConfigError(
            "the classes differ along a direction in which neither varies: give more samples than features"
        )
    if separation == 0:
        raise ConfigError(
            "both labels have the same mean of the features: theory needs labels that correlate with them"
        )
    # The equations keep m^2 / q below the power, which separation bounds; twice that keeps its angle finite.
    components[~kept] = 0.0
    return ClassDistribution(Spectrum.of_modes(2 * separation, np.maximum(eigenvalues, 0), components), positive)


@dataclass(frozen=True)
class _Loss:
    """A convex loss of y z.

    Attributes:
        value: of it. pull: f = -value', at the proximal point of (t, V). stiffness: -f' / (1 - V f') there, of f and V.
        kinks: t where these turn, for V. pull_at_zero: f where the training output is zero.
    """

    value: Callable[[np.ndarray], np.ndarray]
    pull: Callable[[np.ndarray, float], np.ndarray]
    stiffness: Callable[[np.ndarray, float], np.ndarray]
    kinks: Callable[[float], tuple[float, ...]]
    pull_at_zero: float


_LOSSES = {
    "square": _Loss(
        lambda z: (1 - z) ** 2 / 2,
        lambda t, V: (1 - t) / (1 + V),
        lambda f, V: np.full_like(f, 1 / (1 + V)),
        lambda V: (),
        1.0,
    ),
    "logistic": _Loss(
        lambda z: np.logaddexp(0, -z),
        lambda t, V: expit(-proximal_point(t, V)),
        lambda f, V: f * (1 - f) / (1 + V * f * (1 - f)),
        lambda V: (-V, -V / 2, -5.0, 0.0, 5.0),
        0.5,
    ),
    "hinge": _Loss(
        lambda z: np.maximum(0, 1 - z),
        lambda t, V: np.clip((1 - t) / V, 0, 1),
        lambda f, V: ((f > 0) & (f < 1)) / V,
        lambda V: (1.0, 1.0 - V),
        1.0,
    ),
}


def _nodes(offset, scale, kinks):
    """Points t = offset + scale xi and weights of an average over xi, with panels that end at the kinks."""
    ends = [*np.linspace(-_REACH, _REACH, 13), *((kink - offset) / scale for kink in kinks)]
    ends = np.unique(np.clip(ends, -_REACH, _REACH))
    half, centre = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    xi, weights = (centre + half * _NODES).ravel(), (half * _WEIGHTS).ravel()
    return offset + scale * xi, weights * np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi)


def class_overlaps(distribution: ClassDistribution, loss: str, sample_ratio: float, ridge: float) -> Overlaps:
    """The solution for a loss of y z.

    Args:
        loss: `square`, `logistic` or `hinge`. sample_ratio: alpha = n / d.

    Raises:
        ConfigError: sample ratio or ridge is not positive.
        NotConverged: the continuation in the ridge comes to a halt.
    """
    kind = _LOSSES[loss]

    def conjugates(spectrum, alpha, V, q, angle):
        m, scale = math.tanh(angle) * math.sqrt(spectrum.power * q), math.sqrt(q)
        found = np.zeros(3)
        for probability, share in distribution.classes:
            t, density = _nodes(share * m, scale, kind.kinks(V))
            f = kind.pull(t, V)
            found += probability * np.array([density @ kind.stiffness(f, V), density @ f**2, share * (density @ f)])
        return tuple(alpha * found)

    return logistic_overlaps(distribution.spectrum, sample_ratio, ridge, conjugates)


def class_errors(distribution: ClassDistribution, loss: str, overlaps: Overlaps) -> Errors:
    """Errors of that solution."""
    kind, V, scale = _LOSSES[loss], overlaps.V, math.sqrt(overlaps.q)
    push = V * kind.pull_at_zero  # that a training output at zero has had
    errors = np.zeros(4)
    for probability, share in distribution.classes:
        mean = share * overlaps.m
        t, density = _nodes(mean, scale, (*kind.kinks(V), *kind.kinks(0.0)))
        training, test = (density @ kind.value(x) for x in (t + V * kind.pull(t, V), t))
        errors += probability * np.array([training, test, ndtr(-(mean + push) / scale), ndtr(-mean / scale)])
    return Errors(*(float(error) for error in errors))

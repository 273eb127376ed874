"""The replica equations of a convex loss for two Gaussian classes with a common covariance.

Features of class y = +-1 are v = c_y Delta + g with g ~ N(0, Sigma), where c_+ = 1 - p and c_- = -p for a probability
p of +1, so that v is centred. With m = w.Delta / sqrt d and q = w.Sigma w / d the field z = w.v / sqrt d of a fresh
sample is N(c_y m, q), and y z = |c_y| m + sqrt q xi. A training output is the proximal point x = y z + V f(x), where f
is the pull of the loss. For labels sign nu, only the averages over xi differ.

Source: mignacco2020, regularisation in the classification of a high-dimensional Gaussian mixture; own derivation for
features whose mean over both classes is zero.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from twolayer.errors import ConfigError
from twolayer.theory.replica.margin_losses import MarginLoss, margin_loss
from twolayer.theory.replica.margin_nodes import margin_nodes, node_count
from twolayer.theory.replica.overlap_solver import solve_overlaps
from twolayer.theory.replica.replica_equations import Errors, Overlaps, Spectrum


@dataclass(frozen=True)
class ClassDistribution:
    """Two classes in the modes of their covariance.

    Attributes:
        spectrum: spectrum of Sigma, with the components of Delta as alignments.
        positive: p, the probability of label +1.
    """

    spectrum: Spectrum
    positive: float

    @property
    def classes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Probability and |c_y| of each class."""
        return (self.positive, 1 - self.positive), (1 - self.positive, self.positive)


def class_distribution(correlation: np.ndarray, Omega: np.ndarray, positive: float) -> ClassDistribution:
    """Return the distribution with these moments.

    Args:
        correlation: (d,) E y v of labels +-1 and centred features. Omega: (d, d) covariance of the features, of both
            classes together. positive: p.

    Raises:
        ConfigError: one of the classes is empty, both have the same mean, or no such covariances exist.
    """
    if not 0 < positive < 1:
        raise ConfigError("all labels are equal: give samples of both classes")
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
    kept = eigenvalues > rounding  # directions without variance do not contribute
    separation = float(np.sum(components[kept] / eigenvalues[kept]))
    if np.any(components[~kept] > rounding * max(1.0, separation)):
        raise ConfigError(
            "the classes differ along a direction in which neither has variance: give more samples than features"
        )
    if separation == 0:
        raise ConfigError(
            "both labels have the same mean of the features: theory needs labels that correlate with them"
        )
    # The equations keep m^2 / q below the power, which separation bounds. Twice the bound keeps the angle finite.
    components[~kept] = 0.0
    return ClassDistribution(Spectrum.of_modes(2 * separation, np.maximum(eigenvalues, 0), components), positive)


@dataclass(frozen=True, eq=False)
class ClassEquations:
    """The equations for one loss.

    Attributes:
        classes: probability and |c_y| of each class. loss: function of y z.
    """

    classes: tuple[tuple[float, float], ...]
    loss: MarginLoss

    def conjugates(
        self, spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
    ) -> tuple[float, float, float]:
        """Return V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""
        m, scale = math.tanh(angle) * math.sqrt(spectrum.power * q), math.sqrt(q)
        found = np.zeros(3)
        for probability, share in self.classes:
            xi, density = margin_nodes(self.loss, V, scale, mean=share * m)
            f = self.loss.pull(share * m + scale * xi, V)
            parts = [density @ self.loss.stiffness(f, V), density @ f**2, share * (density @ f)]
            found += probability * np.array(parts)
        return tuple(sample_ratio * found)

    def cost(self, _: Spectrum, q: float, __: float) -> float:
        """Return the number of nodes of the averages."""
        return len(self.classes) * node_count(self.loss, math.sqrt(q), 1.0)


def class_overlaps(
    distribution: ClassDistribution, loss: str, sample_ratio: float, ridge: float, huber_delta: float = 1.0
) -> Overlaps:
    """Return the solution for a loss that depends on y z.

    Args:
        loss: `square`, `logistic`, `hinge` or `huber`. sample_ratio: alpha = n / d.

    Raises:
        ConfigError: sample ratio or ridge is not positive.
        NotConverged: the continuation in the ridge stops before the requested ridge.
    """
    return solve_overlaps(
        ClassEquations(distribution.classes, margin_loss(loss, huber_delta)), distribution.spectrum, sample_ratio, ridge
    )


def class_errors(distribution: ClassDistribution, loss: str, overlaps: Overlaps, huber_delta: float = 1.0) -> Errors:
    """Return the errors of a solution."""
    kind, V, scale = margin_loss(loss, huber_delta), overlaps.V, math.sqrt(overlaps.q)
    errors = np.zeros(4)
    for probability, share in distribution.classes:
        errors += probability * np.array(output_errors(kind, share * overlaps.m, scale, V))
    return Errors(*(float(error) for error in errors))


def output_errors(loss: MarginLoss, mean: float, scale: float, V: float) -> tuple[float, float, float, float]:
    """Return losses and class errors, on training and on fresh samples, of margins y z ~ N(mean, scale^2)."""
    xi, density = margin_nodes(loss, V, scale, mean=mean)
    t = mean + scale * xi
    training = density @ loss.value(t + V * loss.pull(t, V))
    xi, density = margin_nodes(loss, 0.0, scale, mean=mean)
    push = V * loss.pull_at_zero  # change of a training output at zero by training
    return training, density @ loss.value(mean + scale * xi), ndtr(-(mean + push) / scale), ndtr(-mean / scale)

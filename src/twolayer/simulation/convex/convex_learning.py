"""Learning by a convex loss on finite samples, tested on fresh ones.

A source draws samples: from a generator and their number n to the teacher's field (n,) and the features (n, d).
"""

import math
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.input_features import InputFeatures
from twolayer.model.networks.learning import Performance
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.simulation.convex.support_vectors import support_vector_machine
from twolayer.simulation.features.random_features import draw_features
from twolayer.simulation.teacher_student.winograd_convolution import fastest

Source = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def gaussian_source(feature_covariances: CovariateModel) -> Source:
    """Field and features drawn from their joint Gaussian distribution."""
    d, nu = len(feature_covariances.Omega), feature_covariances.correlation[None]
    joint = np.block([[np.array([[feature_covariances.power]]), nu], [nu.T, feature_covariances.Omega]])
    eigenvalues, vectors = np.linalg.eigh(joint)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0))  # zero where the features determine the field

    def draw(rng, n):
        samples = rng.standard_normal((n, d + 1)) @ root.T
        return samples[:, 0], samples[:, 1:]

    return draw


def random_feature_source(
    projection: np.ndarray, teacher: np.ndarray, activation: Activation, feature_mean: np.ndarray
) -> Source:
    """Random features of a Gaussian latent, which the teacher sees.

    Args:
        projection: (D, d). teacher: (D,). feature_mean: (d,).
    """
    scale = math.sqrt(len(projection))

    def draw(rng, n):
        c = rng.standard_normal((n, len(projection)))
        return c @ teacher / scale, activation.value(c @ projection / scale) - feature_mean

    return draw


def mixture_feature_source(
    mixture: IsotropicMixture, projection: np.ndarray, activation: Activation, feature_mean: np.ndarray
) -> Source:
    """Random features of a mixture; its labels, centred, are the field.

    Args:
        projection: (D, d). feature_mean: (d,).
    """
    centred = mixture.labels - mixture.weights @ mixture.labels

    def draw(rng, n):
        clusters = rng.choice(len(mixture.weights), size=n, p=mixture.weights)
        return centred[clusters], draw_features(
            mixture, projection, clusters, rng=rng, activation=activation
        ) - feature_mean

    return draw


def empirical_source(field: np.ndarray, features: np.ndarray) -> Source:
    """Draws with replacement from a set of samples, so that they are independent.

    Args:
        field: (m,). features: (m, d).
    """

    def draw(rng, n):
        chosen = rng.integers(len(field), size=n)
        return field[chosen], features[chosen].astype(float)

    return draw


def learn(features: np.ndarray, labels: np.ndarray, loss: str, ridge: float) -> np.ndarray:
    """The minimum of sum loss(y, w.v / sqrt d) + ridge / 2 |w|^2.

    Args:
        features: (n, d). labels: (n,). loss: `square`, `logistic` or `hinge`.

    Returns: (d,) w.

    Raises:
        ConfigError: labels of one class, for another loss than the square.
        NotConverged: the optimiser gives up.
    """
    inputs = features / math.sqrt(features.shape[1])
    if loss == "square":  # scikit-learn's loss and ridge are both twice ours
        return Ridge(alpha=ridge, fit_intercept=False).fit(inputs, labels).coef_
    if np.all(labels == labels[0]):
        raise ConfigError(f"all {len(labels)} labels are {labels[0]:g}: the {loss} loss takes both, draw more samples")
    return support_vector_machine(inputs, labels, ridge) if loss == "hinge" else _logistic(inputs, labels, ridge)


def _logistic(inputs, labels, ridge):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        options = {"fit_intercept": False, "solver": "newton-cholesky", "tol": 1e-8, "max_iter": 200}
        try:
            return LogisticRegression(C=1 / ridge, **options).fit(inputs, labels).coef_[0]
        except ConvergenceWarning as warning:
            raise NotConverged(f"the logistic loss at ridge {ridge:g} did not converge: {warning}") from None


def perform(weights: np.ndarray, field: np.ndarray, features: np.ndarray, labels: np.ndarray, loss: str) -> Performance:
    """How an estimator does on samples.

    Args:
        weights: (d,). field, labels: (n,). features: (n, d).
    """
    z = features @ weights / math.sqrt(weights.size)
    return Performance(*(float(np.mean(v)) for v in (_losses(labels, z, loss), z * field < 0, z**2, z * field)))


def _losses(labels, z, loss):
    if loss == "square":
        return (labels - z) ** 2 / 2
    return np.logaddexp(0, -labels * z) if loss == "logistic" else np.maximum(0, 1 - labels * z)


def generated_feature_source(generator: LatentGenerator, features: InputFeatures, teacher: np.ndarray) -> Source:
    """Random features of generated inputs; the teacher (D,) sees their latents."""
    generator = fastest(generator)

    def draw(rng, n):
        batches = ((c @ teacher, features(x)) for c, x in sampled_batches(generator, n, rng))
        field, values = (np.concatenate(part) for part in zip(*batches, strict=True))
        return field / math.sqrt(teacher.size), values

    return draw

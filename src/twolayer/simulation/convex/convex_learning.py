"""Learning by a convex loss on finite samples, tested on fresh ones.

A source draws samples: it maps a random generator and their number n to the teacher's field (n,) and the features (n,
d).
"""

import math
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, Ridge

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.learning import Performance, wrong_signs
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.simulation.convex.huber_regression import huber_regression
from twolayer.simulation.convex.least_norm import least_norm
from twolayer.simulation.convex.logistic_regression import logistic_regression, sparse_logistic_regression
from twolayer.simulation.convex.support_vectors import sparse_support_vector_machine, support_vector_machine
from twolayer.simulation.features.random_features import draw_features

# what losses have without a ridge, instead of one minimum
_WITHOUT_RIDGE = {
    "logistic": "no minimum if a plane separates the labels",
    "hinge": "many minima if a plane separates the labels",
}

Source = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def gaussian_source(feature_covariances: CovariateModel) -> Source:
    """Return a source of field and features from their joint Gaussian distribution."""
    d, nu = len(feature_covariances.Omega), feature_covariances.correlation[None]
    joint = np.block([[np.array([[feature_covariances.power]]), nu], [nu.T, feature_covariances.Omega]])
    eigenvalues, vectors = np.linalg.eigh(joint)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0))  # zero if the features determine the field

    def draw(rng, n):
        samples = rng.standard_normal((n, d + 1)) @ root.T
        return samples[:, 0], samples[:, 1:]

    return draw


def random_feature_source(
    projection: np.ndarray, teacher: np.ndarray, activation: Activation, feature_mean: np.ndarray
) -> Source:
    """Return a source of random features of Gaussian latents, which are also the teacher's inputs.

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
    """Return a source of random features of a mixture; its labels, centred, are the field.

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
    """Return a source that draws independently, with replacement, from a set of samples.

    Args:
        field: (m,). features: (m, d).
    """

    def draw(rng, n):
        chosen = rng.integers(len(field), size=n)
        return field[chosen], features[chosen].astype(float)

    return draw


def learn(
    features: np.ndarray,
    labels: np.ndarray,
    loss: str,
    ridge: float,
    *,
    penalty: str = "l2",
    huber_delta: float = 1.0,
) -> np.ndarray:
    """Return the minimum of sum loss(y, w.v / sqrt d) + ridge / 2 |w|^2, or with ridge |w|_1.

    Args:
        features: (n, d). labels: (n,). loss: `square`, `logistic`, `hinge` or `huber`.
        ridge: 0, for the square and the Huber loss, gives the minimum of the smallest norm.
        penalty: `l2` or `l1`.

    Returns: (d,) w.

    Raises:
        ConfigError: all labels are equal, for another loss than the square; or the ridge is zero, for the penalty l1 or
            another loss than square and huber.
        NotConverged: the optimiser stops before it converges.
    """
    inputs = features / math.sqrt(features.shape[1])
    if ridge == 0 and penalty == "l1":
        raise ConfigError("ridges has 0, which is no penalty: with penalty 'l1' give positive ridges")
    check_ridge(loss, ridge)
    if loss == "square":
        return _least_squares(inputs, labels, ridge, penalty)
    if loss == "huber":
        if penalty == "l1":
            return _sparse_huber_regression(inputs, labels, ridge, huber_delta)
        return huber_regression(inputs, labels, ridge, huber_delta)
    if np.all(labels == labels[0]):
        raise ConfigError(
            f"all {len(labels)} labels are {labels[0]:g}: the {loss} loss needs both, so draw more samples"
        )
    if loss == "hinge":
        minimum = sparse_support_vector_machine if penalty == "l1" else support_vector_machine
        return minimum(inputs, labels, ridge)
    if penalty == "l1":
        return sparse_logistic_regression(inputs, labels, ridge).coef_[0]
    return logistic_regression(inputs, labels, ridge, bias=False).coef_[0]


def _least_squares(inputs, labels, ridge, penalty):
    if ridge == 0:
        return least_norm(inputs, labels)
    if penalty == "l1":
        return _sparse_regression(inputs, labels, ridge, "square")
    return Ridge(alpha=ridge, fit_intercept=False).fit(inputs, labels).coef_  # both terms are multiplied by two


def check_ridge(loss: str, ridge: float) -> None:
    """Check that a loss has one minimum of the smallest norm.

    Raises:
        ConfigError: the ridge is zero, for another loss than square and huber.
    """
    if ridge == 0 and loss in _WITHOUT_RIDGE:
        raise ConfigError(
            f"ridges has 0, where the {loss} loss has {_WITHOUT_RIDGE[loss]}: give positive ridges, as 1e-6"
        )


def _sparse_regression(inputs, labels, ridge, loss):
    model = Lasso(alpha=ridge / len(labels), fit_intercept=False, tol=1e-10, max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return model.fit(inputs, labels).coef_
        except ConvergenceWarning:
            raise NotConverged(
                f"the {loss} loss at ridge {ridge:g} did not converge in {model.max_iter} iterations: raise ridges"
            ) from None


def _sparse_huber_regression(inputs, labels, ridge, delta):
    """The Huber loss of a residual r is the least (r - o)^2 / 2 + delta |o|: each sample has one feature more."""
    outliers = ridge / delta * np.eye(len(labels))
    return _sparse_regression(np.hstack([inputs, outliers]), labels, ridge, "huber")[: inputs.shape[1]]


def perform(
    weights: np.ndarray,
    field: np.ndarray,
    features: np.ndarray,
    labels: np.ndarray,
    loss: str,
    huber_delta: float = 1.0,
) -> Performance:
    """Return the loss and the errors of an estimator on samples.

    Args:
        weights: (d,). field, labels: (n,). features: (n, d).
    """
    z = features @ weights / math.sqrt(weights.size)
    losses, wrong, clean = losses_of(labels, z, loss, huber_delta), wrong_signs(z, labels), wrong_signs(z, field)
    each = (losses, wrong, z**2, z * field, clean, (z - field) ** 2)
    return Performance(*(float(np.mean(values)) for values in each))


def losses_of(labels: np.ndarray, z: np.ndarray, loss: str, huber_delta: float) -> np.ndarray:
    """Return the loss (n,) of each output z."""
    if loss == "square":
        return (labels - z) ** 2 / 2
    if loss == "huber":
        r = np.abs(labels - z)
        return np.where(r <= huber_delta, r**2 / 2, huber_delta * r - huber_delta**2 / 2)
    return np.logaddexp(0, -labels * z) if loss == "logistic" else np.maximum(0, 1 - labels * z)

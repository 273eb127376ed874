"""Averages over pre-activations from plain points, the reference for the theory of every activation."""

from functools import cache

import numpy as np

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import ACTIVATIONS, Activation
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.mixture_averages import LocalFieldAverages
from twolayer.theory.averages.nodes import sobol_normals

OWN = {
    "sine": Activation.of(np.sin, np.cos, "sine"),
    "leaky": Activation.of(lambda x: np.where(x > 0, x, 0.1 * x), name="leaky"),
    "threshold": Activation.of(lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.3, 0), name="threshold"),
    "softsign": Activation.of(lambda x: x / (1 + np.abs(x)), name="softsign"),
    "square": Activation.of(np.square),
}
ALL = ACTIVATIONS | OWN  # those that the package names, and a user's own
WITH_SLOPE = {name: activation for name, activation in ALL.items() if name != "sign"}
STEEP = ("square", "hermite2", "hermite3", "hermite4")  # they diverge unless the learning rate is low

_normals = cache(sobol_normals)  # the same for every activation


def random_distribution(
    seed: int, activation: Activation, hidden: int = 3, clusters: int = 4, own: bool = False
) -> tuple[LocalFields, IsotropicMixture]:
    """Pre-activations in some clusters, with a common or separate covariances, and their mixture."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal(((clusters,) if own else ()) + (hidden, hidden + 2)) / np.sqrt(hidden + 2)
    weights = rng.uniform(0.5, 1.5, clusters)
    labels = np.where(np.arange(clusters) % 2, 1.0, -1.0)
    M, v = rng.standard_normal((clusters, hidden)), rng.standard_normal(hidden)
    mixture = IsotropicMixture(np.zeros((clusters, 1)), labels, weights / weights.sum(), 1.0)
    return LocalFields(M, root @ root.swapaxes(-1, -2), v, activation), mixture


def sampled_averages(
    fields: LocalFields, mixture: IsotropicMixture, seed: int, log2_size: int = 15
) -> LocalFieldAverages:
    """All averages from 2^log2_size points, for a covariance that is not singular."""
    drive, response, noise, readout, squared_error = ([] for _ in range(5))
    for mean, label, covariance, deviation in _clusters(fields, mixture, seed, log2_size):
        g = fields.activation(mean + deviation)
        error = label - g @ fields.v
        u = fields.v * fields.activation.slope(mean + deviation) * error[:, None]
        drive.append(u.mean(axis=0))
        response.append(np.linalg.solve(covariance, deviation.T @ u / len(u)).T)
        noise.append(u.T @ u / len(u))
        readout.append((error[:, None] * g).mean(axis=0))
        squared_error.append(np.mean(error**2))
    parts = (np.array(part) for part in (drive, response, noise, readout))
    return LocalFieldAverages(*parts, 0.5 * float(mixture.weights @ squared_error))


def sampled_class_error(fields: LocalFields, mixture: IsotropicMixture, seed: int, log2_size: int = 15) -> float:
    """The classification error at as many points."""
    wrong = []
    for mean, label, _, deviation in _clusters(fields, mixture, seed, log2_size):
        outputs = label * (fields.activation(mean + deviation) @ fields.v)
        wrong.append(np.mean(outputs < 0) + 0.5 * np.mean(outputs == 0))
    return float(mixture.weights @ wrong)


def _clusters(fields, mixture, seed, log2_size):
    """Mean, label and covariance of each cluster, and deviations of its pre-activations from the mean."""
    normals = _normals(len(fields.v), log2_size, seed)
    covariances = np.broadcast_to(fields.covariance, (len(fields.M), *fields.covariance.shape[-2:]))
    for mean, label, covariance in zip(fields.M, mixture.labels, covariances, strict=True):
        yield mean, label, covariance, normals @ np.linalg.cholesky(covariance).T


def mean_products(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means (k, j) of the products of two columns, of samples a (n, k) and b (n, j), and their standard errors."""
    mean = a.T @ b / len(a)
    return mean, np.sqrt(np.maximum((a**2).T @ b**2 / len(a) - mean**2, 0) / len(a))


def assert_same_mean(
    found: list, expected: list, message: str = "", deviations: float = 5.0, floor: float = 0.0
) -> None:
    """Means of independent estimates of the same array agree within their standard errors."""
    found, expected = np.array(found), np.array(expected)
    variance = expected.var(axis=0, ddof=1) / len(expected) + found.var(axis=0, ddof=1) / len(found)
    gap = np.abs(found.mean(axis=0) - expected.mean(axis=0))
    assert gap.max() < deviations * np.sqrt(variance.max()) + floor, message

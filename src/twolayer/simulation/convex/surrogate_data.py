"""Surrogates of a data set: distributions with some of its moments, from which any number of samples can be drawn.

Each surrogate draws labels (n,) and features (n, d) by a random generator.
"""

from collections.abc import Callable

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.mixtures.labelled_data import LabelledData

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def surrogate(data: LabelledData, distribution: str) -> Draw:
    """Return the distribution with a name, see `DataLearning`."""
    if distribution in ("data", "shuffled"):
        return _set_draw(data, shuffled=distribution == "shuffled")
    if distribution == "one":
        return _field_draw(data)
    return _mixture_draw(data, distribution)


def resampled(data: LabelledData, rng: np.random.Generator) -> LabelledData:
    """Return a sample from the distribution `labels`, as large as the set, with its moments."""
    labels, features = _mixture_draw(data, "labels")(rng, len(data.labels))
    features -= features.mean(axis=0)
    covariance = features.T @ features / len(features)
    return LabelledData(features, labels, labels, covariance)


def _set_draw(data, shuffled):
    """Return a function that draws different samples of the set."""

    def draw(rng, n):
        if n > len(data.labels):
            raise ConfigError(
                f"{n} samples are needed for training and test, but the set has {len(data.labels)}: lower "
                "sample_ratios or test_samples"
            )
        chosen = rng.permutation(len(data.labels))[:n]
        labels = data.labels[rng.permutation(len(data.labels))[:n]] if shuffled else data.labels[chosen]
        return labels, data.features[chosen].astype(float)

    return draw


def _mixture_draw(data, gaussians):
    mixture, modes = data.mixture(gaussians)
    root = modes * np.sqrt(mixture.eigenvalues)
    means = mixture.means @ modes.T

    def draw(rng, n):
        cluster = rng.choice(len(mixture.weights), size=n, p=mixture.weights)
        return mixture.labels[cluster], means[cluster] + rng.standard_normal((n, len(root))) @ root.T

    return draw


def _field_draw(data):
    distribution = data.field_distribution()
    eigenvalues, modes = np.linalg.eigh(data.Omega - np.outer(distribution.direction, distribution.direction))
    root = modes * np.sqrt(np.maximum(eigenvalues, 0.0))  # zero along the field

    def draw(rng, n):
        nu = rng.standard_normal(n)
        labels = np.where(rng.random(n) < distribution.positive(nu), 1.0, -1.0)
        return labels, nu[:, None] * distribution.direction + rng.standard_normal((n, len(root))) @ root.T

    return draw

"""The optimal random-feature readout, compiled against textbook numpy: 1200 features of 300 inputs."""

import numpy as np
import pytest
from scipy.special import ndtr

from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.theory.mixtures.random_features import optimal_readout, projection_overlaps, random_projection

DIMENSION, FEATURES, VARIANCE = 300, 1200, 0.09


def textbook(projection, overlaps):
    mixture, deviation = xor(VARIANCE), np.sqrt(VARIANCE)
    h = mixture.means @ projection[:2] / (np.sqrt(DIMENSION) * deviation)
    density = np.exp(-0.5 * h**2) / np.sqrt(2 * np.pi)
    mean = deviation * (h * ndtr(h) + density)
    variance = VARIANCE * ((h**2 + 1) * ndtr(h) + h * density) - mean**2
    total, covariances = 1e-6 * np.eye(FEATURES), []
    for row, spread, centred in zip(h, variance, mean - mean.mean(axis=0), strict=True):
        covariance = VARIANCE * np.outer(ndtr(row), ndtr(row)) * overlaps
        np.fill_diagonal(covariance, spread)
        covariances.append(covariance)
        total += (covariance + np.outer(centred, centred)) / 4
    eigenvalues, eigenvectors = np.linalg.eigh(total)
    label_covariance = mixture.labels @ mean / 4
    weights = eigenvectors @ (eigenvectors.T @ label_covariance / eigenvalues)
    fields = mixture.labels * ((mean - mean.mean(axis=0)) @ weights)
    return np.mean([ndtr(-f / np.sqrt(weights @ c @ weights)) for f, c in zip(fields, covariances, strict=True)])


def compiled(projection, overlaps):
    return optimal_readout(xor(VARIANCE), projection, overlaps).class_error


@pytest.fixture(scope="module")
def problem():
    projection = random_projection(np.random.default_rng(0), DIMENSION, FEATURES)
    problem = projection, projection_overlaps(projection)
    assert compiled(*problem) == pytest.approx(textbook(*problem), rel=1e-7)
    return problem


@pytest.mark.benchmark(group="optimal readout, D=300, F=1200")
@pytest.mark.parametrize("readout", [compiled, textbook])
def test_readout(benchmark, problem, readout):
    benchmark(readout, *problem)

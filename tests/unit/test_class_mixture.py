"""Two classes of one Gaussian each: the replica equations against samples and against what is known otherwise."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from twolayer.errors import ConfigError
from twolayer.model.mixtures.clusters import Clusters
from twolayer.simulation.convex.convex_learning import learn, perform
from twolayer.theory.classes.class_outputs import answers
from twolayer.theory.replica.replica_equations import Labels, Spectrum, ridge_overlaps, square_losses
from twolayer.theory.replica.two_classes import class_distribution, class_errors, class_overlaps

POSITIVE, D = 0.3, 120


@pytest.fixture(scope="module")
def problem():
    """Law, root of the covariance within a class, and the difference of the means."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((D, D)) / math.sqrt(D)
    within, difference = A @ A.T + 0.2 * np.eye(D), 1.5 * rng.standard_normal(D) / math.sqrt(D)
    balance = POSITIVE * (1 - POSITIVE)
    Omega = within + balance * np.outer(difference, difference)
    return class_distribution(2 * balance * difference, Omega, POSITIVE), np.linalg.cholesky(within), difference


def draw(rng, n, root, difference):
    labels = np.where(rng.random(n) < POSITIVE, 1.0, -1.0)
    means = np.where(labels > 0, 1 - POSITIVE, -POSITIVE)[:, None] * difference
    return labels, means + rng.standard_normal((n, D)) @ root.T


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
def test_estimators_on_samples(problem, loss):
    """Six measurements with 19 degrees of freedom: one z score exceeds 5 in some thousand."""
    distribution, root, difference = problem
    alpha, ridge, seeds = 2.0, 0.1, 20
    overlaps = class_overlaps(distribution, loss, alpha, ridge)
    errors = class_errors(distribution, loss, overlaps)
    expected = [errors.training_loss, errors.test_loss, errors.training_class_error, errors.class_error]
    expected += [overlaps.q, overlaps.m]
    rows = []
    for rng in np.random.default_rng(1).spawn(seeds):
        labels, features = draw(rng, round(alpha * D), root, difference)
        weights = learn(features, labels, loss, ridge)
        fresh_labels, fresh = draw(rng, 4000, root, difference)
        known = perform(weights, labels, features, labels, loss)
        test = perform(weights, fresh_labels, fresh, fresh_labels, loss)
        q, m = np.sum((root.T @ weights) ** 2) / D, weights @ difference / math.sqrt(D)
        rows.append([known.loss, test.loss, known.class_error, test.class_error, q, m])
    scores = (np.mean(rows, axis=0) - expected) / (np.std(rows, axis=0, ddof=1) / math.sqrt(seeds))
    assert np.abs(scores).max() < 5


def test_least_squares_sees_no_more_than_the_moments():
    """A difference of the means is one direction of many: the theory for any labels agrees up to 1 / d."""
    gaps = []
    for d in (200, 400):
        difference = np.full(d, 1.2 / math.sqrt(d))
        Omega = np.eye(d) + np.outer(difference, difference) / 4
        distribution = class_distribution(difference / 2, Omega, 0.5)
        ours = class_errors(distribution, "square", class_overlaps(distribution, "square", 2.0, 0.1)).test_loss
        spectrum = Spectrum.of(1.0, difference / 2, Omega)
        labels = Labels(1.0, 1.0)
        _, theirs = square_losses(labels, ridge_overlaps(spectrum, labels, 2.0, 0.1))
        gaps.append(ours / theirs - 1)
    assert abs(gaps[1]) < 2e-3
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)


def test_many_samples_find_the_best_direction():
    difference = np.full(50, 1.2 / math.sqrt(50))
    distribution = class_distribution(difference / 2, np.eye(50) + np.outer(difference, difference) / 4, 0.5)
    error = class_errors(distribution, "logistic", class_overlaps(distribution, "logistic", 1e5, 1e-3)).class_error
    assert error == pytest.approx(ndtr(-0.6), rel=1e-4)


def test_one_class_is_refused():
    with pytest.raises(ConfigError, match="all labels are equal"):
        class_distribution(np.zeros(3), np.eye(3), 1.0)


def test_moments_of_no_law_are_refused():
    with pytest.raises(ConfigError, match="the covariance within a class has the eigenvalue"):
        class_distribution(np.array([1.0, 0.0]), np.eye(2) * 0.5, 0.5)


def test_classes_of_one_mean_are_refused():
    with pytest.raises(ConfigError, match="both labels have the same mean of the features"):
        class_distribution(np.zeros(3), np.eye(3), 0.5)


@pytest.mark.parametrize("distance", [5.0, 20.0])
def test_small_class_errors_are_not_lost_in_rounding(distance):
    """Two means at a large distance: the error is Phi(-distance), for any weights."""
    clusters = Clusters(np.zeros((2, 1)), np.zeros((2, 1)), np.array([0, 1]), np.array([0.99, 0.01]))
    means, covariances = distance / 2 * np.array([[1.0, -1.0], [-1.0, 1.0]]), np.tile(np.eye(2) / 2, (2, 1, 1))
    assert answers(clusters, means, covariances)[1] == pytest.approx(ndtr(-distance), rel=1e-9, abs=0)

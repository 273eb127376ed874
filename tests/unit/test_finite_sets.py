"""Ridge regression on draws from a finite set, in theory, against the distribution without end and against a set."""

import math

import numpy as np
import pytest

from twolayer.simulation.convex.convex_learning import learn
from twolayer.theory.replica.finite_data_sets import resampled_ridge, subset_outputs, subset_ridge
from twolayer.theory.replica.replica_equations import Spectrum, linear_labels, ridge_overlaps, square_losses
from twolayer.theory.replica.ridge import ridge_errors

RIDGE = 0.05


def a_set(size, features, seed=0):
    """Gaussian features and labels, centred, and their spectrum over the set."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((size, features)) * np.linspace(0.3, 1.5, features)
    y = X @ rng.standard_normal(features) / math.sqrt(features) + 0.5 * rng.standard_normal(size)
    X, y = X - X.mean(axis=0), y - y.mean()
    return X, y, Spectrum.of(np.mean(y**2), y @ X / size, X.T @ X / size)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_a_large_set_is_a_law_without_end(ratio):
    _, _, spectrum = a_set(400, 40)
    losses = resampled_ridge(spectrum, round(ratio * len(spectrum.eigenvalues)), RIDGE, 10**8)
    overlaps = ridge_overlaps(spectrum, linear_labels(spectrum), ratio, RIDGE)
    expected = square_losses(linear_labels(spectrum), overlaps)
    assert (losses.training_loss, losses.test_loss) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("null", [0, 5])
@pytest.mark.parametrize("samples", [10, 30, 100, 400])
def test_the_limit_of_a_vanishing_ridge(samples, null):
    """Below and above as many samples as features, some of which may not vary."""
    X, y, _ = a_set(200, 40)
    X[:, :null] = 0
    spectrum = Spectrum.of(np.mean(y**2), y @ X / 200, X.T @ X / 200)
    limit, near = (resampled_ridge(spectrum, samples, ridge, 200) for ridge in (0.0, 1e-9))
    assert limit.test_loss == pytest.approx(near.test_loss, rel=1e-5)
    assert limit.training_loss == pytest.approx(near.training_loss, rel=1e-5, abs=1e-9)
    if samples <= 10:
        assert limit.training_loss == 0


@pytest.mark.parametrize("unit", [1e-25, 1e-9, 1e12])
def test_a_ridge_far_from_the_variances(unit):
    """Without features nothing is fitted. Without a ridge, the loss is the limit of a vanishing ridge."""
    X, y, _ = a_set(200, 40)
    spectrum = Spectrum.of(np.mean(y**2), unit * y @ X / 200, unit**2 * X.T @ X / 200)
    losses = resampled_ridge(spectrum, 100, RIDGE, 200)
    if unit < 1:
        assert losses.test_loss == pytest.approx(np.mean(y**2) / 2)
    else:
        assert losses.test_loss == pytest.approx(resampled_ridge(spectrum, 100, 0.0, 200).test_loss)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.0, 2.0, 4.0])
def test_draws_from_a_set(ratio):
    """300 trainings on draws from 500 samples, within 4 standard errors and one percent for d = 100; a distribution
    without end would be tested better."""
    X, y, spectrum = a_set(500, 100)
    rng, rows = np.random.default_rng(1), []
    for _ in range(300):
        drawn = rng.integers(500, size=round(ratio * 100))
        errors = (y - X @ learn(X[drawn], y[drawn], "square", RIDGE) / 10) ** 2 / 2
        rows.append((errors[drawn].mean(), errors.mean()))
    losses, labels = (
        resampled_ridge(spectrum, round(ratio * len(spectrum.eigenvalues)), RIDGE, 500),
        linear_labels(spectrum),
    )
    for values, expected in zip(zip(*rows, strict=True), (losses.training_loss, losses.test_loss), strict=True):
        error = np.std(values, ddof=1) / math.sqrt(300)
        assert abs(np.mean(values) - expected) < 4 * error + 0.01 * expected
    _, endless = square_losses(labels, ridge_overlaps(spectrum, labels, ratio, RIDGE))
    assert endless < 0.98 * losses.test_loss


@pytest.mark.parametrize(("size", "samples"), [(200, 60), (300, 150), (2000, 60)])
def test_a_law_from_a_set_of_it(size, samples):
    """The mean over 40 sets of Gaussian samples agrees with the distribution, within 4 standard errors and one percent.
    If the covariances of 200 samples replace the covariances of the distribution, the errors for d = 80 are more
    than a tenth too small."""
    d, deviations = 80, np.linspace(0.3, 1.5, 80)
    slopes = np.random.default_rng(0).standard_normal(d) / math.sqrt(d)
    Omega, power = np.diag(deviations**2), np.sum((deviations * slopes) ** 2) + 0.25
    distribution = Spectrum.of(power, deviations**2 * slopes, Omega)
    expected = ridge_errors(distribution, linear_labels(distribution), samples / d, RIDGE)
    rows, naive = [], []
    for rng in np.random.default_rng(1).spawn(40):
        X = rng.standard_normal((size, d)) * deviations
        y = X @ slopes + 0.5 * rng.standard_normal(size)
        spectrum = Spectrum.of(np.mean(y**2), y @ X / size, X.T @ X / size)
        errors = subset_ridge(spectrum, samples, RIDGE, size)
        rows.append((errors.test_loss, errors.training_loss))
        naive.append(ridge_errors(spectrum, linear_labels(spectrum), samples / d, RIDGE).test_loss)
    for values, value in zip(zip(*rows, strict=True), (expected.test_loss, expected.training_loss), strict=True):
        assert abs(np.mean(values) - value) < 4 * np.std(values, ddof=1) / math.sqrt(40) + 0.01 * value
    if size == 200:
        assert np.mean(naive) < 0.9 * expected.test_loss


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [RIDGE, 2.0])
def test_outputs_for_samples_left_out(ridge):
    """Mean and variance over 800 fits to 150 of 600 samples: the scatter of the means, and two percent for d = 80."""
    X, y, spectrum = a_set(600, 80)
    means, variance = subset_outputs(X, y, spectrum, 150, ridge)
    rng, outputs = np.random.default_rng(1), np.full((800, 600), np.nan)
    for row in outputs:
        chosen = rng.permutation(600)
        row[chosen[150:]] = X[chosen[150:]] @ learn(X[chosen[:150]], y[chosen[:150]], "square", ridge) / math.sqrt(80)
    measured, scatter = np.nanmean(outputs, axis=0), np.nanvar(outputs, axis=0)
    assert np.mean(scatter) == pytest.approx(np.mean(variance), rel=0.02)
    assert np.polyfit(variance, scatter, 1)[0] == pytest.approx(1, abs=0.05)
    assert np.polyfit(means, measured, 1)[0] == pytest.approx(1, abs=0.02)
    assert np.std(measured - means) < 1.4 * math.sqrt(np.mean(variance) / 600)


def test_outputs_scatter_where_samples_are_not_gaussian():
    """For samples of very different lengths, the errors are larger than in Gaussian theory. All variances are
    positive. A simulation of these fits gives a mean variance of 0.117."""
    rng = np.random.default_rng(0)
    X = np.sqrt(2.5 / rng.chisquare(2.5, 600))[:, None] * rng.standard_normal((600, 80))
    y = X @ rng.standard_normal(80) / math.sqrt(80)
    spectrum = Spectrum.of(np.mean(y**2), y @ X / 600, X.T @ X / 600)
    means, variance = subset_outputs(X, y, spectrum, 150, 0.5)
    loss = subset_ridge(spectrum, 150, 0.5, 600).test_loss
    assert np.mean((y - means) ** 2) > 2 * loss
    assert np.all(variance > 0)
    assert 0.05 < np.mean(variance) < 0.117

"""Signs of relu networks: rare errors as accurate as frequent ones."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi

from twolayer.model.mixtures.standard_mixtures import from_means, three_clusters, xor
from twolayer.model.networks.activations import RELU
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.mixture_averages import classification_error
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.relu_rays import mass_beyond
from twolayer.theory.mixtures.closed_bayes_errors import xor_error

TRAINED = np.array([[1.0, -0.9, 0.05, 0.0], [0.03, 0.0, 1.05, -1.0]])  # f is about |y| - |x|, which solves XOR
SECOND = np.array([-1.0, -1.02, 0.95, 1.0])


@pytest.mark.parametrize("freedom", range(1, 9))
def test_radius_is_chi_distributed(freedom):
    for radius in (0.0, 1e-3, 0.5, 2.0, 7.0, 20.0):
        assert mass_beyond(radius, freedom) == pytest.approx(chi.sf(radius, freedom), rel=1e-10)


def interval(low, high):
    return np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))


def plane_error(mixture, R, v, excess=()):
    """Integrate the error along rows of the plane of the means, exactly except near kinks (0.05 deviations).

    Args:
        R: (2, K). excess: (m, K) weights outside the plane, over which the average is a product of Gauss-Hermite sums.
    """
    sigma, along, rows = np.sqrt(mixture.variance), np.arange(-11, 11, 0.05), np.arange(-9, 9, 0.1)
    grid = np.stack(np.meshgrid(along, rows), axis=-1)
    density = np.exp(-0.5 * rows**2) / np.sqrt(2 * np.pi) * 0.1
    nodes, shares = np.polynomial.hermite_e.hermegauss(7)
    outside = [np.array(point) for point in product(nodes, repeat=len(excess))]
    masses = [np.prod(point) for point in product(shares / shares.sum(), repeat=len(excess))]
    total = 0.0
    for mean, label, weight in zip(mixture.means, mixture.labels, mixture.weights, strict=True):
        for other, mass in zip(outside, masses, strict=True):
            fields = (mean + sigma * grid) @ R + sigma * sum(a * w for a, w in zip(other, excess, strict=True))
            total += weight * mass * (density @ below_zero(along, label * (np.maximum(fields, 0) @ v)))
    return total


def below_zero(along, f):
    """Normal mass where f (..., n), linear between its points, is negative; half of that where it is zero."""
    low, high, at_low, at_high = along[:-1], along[1:], f[..., :-1], f[..., 1:]
    crosses = at_low * at_high < 0
    root = np.where(crosses, low - at_low * (high - low) / np.where(crosses, at_high - at_low, 1), high)
    share = np.where(at_low < 0, interval(low, root), np.where(crosses, interval(root, high), 0))
    share = np.where((at_low == 0) & (at_high == 0), 0.5 * interval(low, high), share)
    return share.sum(axis=-1)


def found(mixture, R, v, excess=(), log2_nodes=10):
    covariance = mixture.variance * (R.T @ R + sum(np.outer(weights, weights) for weights in excess))
    fields = LocalFields(mixture.means @ R, covariance, v, RELU)
    errors = [classification_error(fields, mixture, sobol_nodes(len(v), log2_nodes, seed))[0] for seed in range(4)]
    assert np.std(errors) < 0.01 * np.mean(errors)
    return np.mean(errors)


@pytest.mark.parametrize("sigma", [0.08, 0.095, 0.13, 0.2, 0.5, 1.5])
def test_errors_of_any_size_are_those_of_rows_of_the_plane(sigma):
    expected = plane_error(xor(sigma**2), TRAINED, SECOND)
    assert expected < 1e-12 or sigma > 0.09
    assert found(xor(sigma**2), TRAINED, SECOND) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("sigma", [0.1, 0.4])
def test_weights_outside_the_plane_count(sigma):
    excess, mixture = np.array([[0.1, -0.05, 0.05, -0.1]]), xor(sigma**2)
    inside, expected = (plane_error(mixture, TRAINED, SECOND, weights) for weights in (excess[:0], excess))
    assert abs(expected / inside - 1) > 0.01
    assert found(mixture, TRAINED, SECOND, excess) == pytest.approx(expected, rel=0.01)


def test_boundaries_that_bend_away_from_the_means():
    rng = np.random.default_rng(0)
    mixture = from_means([[1.5, 0], [-0.5, 1], [-0.5, -1]], [1, -1, -1], [0.5, 0.3, 0.2], 0.3**2)
    R, v = rng.standard_normal((2, 4)), rng.standard_normal(4)
    assert found(mixture, R, v) == pytest.approx(plane_error(mixture, R, v), rel=0.01)


@pytest.mark.parametrize("sigma", [0.05, 0.1, 1.0])
def test_two_units_on_a_line_are_exact(sigma):
    """f = (x - 1/2)_+ would need a bias; f = x_+ - 2 (-x)_+ has its only boundary at the middle cluster."""
    mixture = three_clusters(sigma**2)
    error = found(mixture, np.array([[1.0, -1.0]]), np.array([-1.0, 2.0]), log2_nodes=2)
    # means +1 and -1 have label -1, the mean 0 label +1; f > 0 left of zero
    assert error == pytest.approx(0.25 * ndtr(-1 / sigma) + 0.25 * ndtr(1 / sigma) + 0.5 * 0.5, rel=1e-12)


@pytest.mark.parametrize("sigma", [0.05, 0.0985, 0.3])
def test_the_best_decision_has_the_bayes_error(sigma):
    """|x + y| - |x - y| decides as the Bayes-optimal classifier of XOR, turned by 45 degrees."""
    turned = from_means(
        np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]) / np.sqrt(2), [1, 1, -1, -1], [0.25] * 4, sigma**2
    )
    R, v = np.array([[1.0, -1, 1, -1], [1, -1, -1, 1]]), np.array([1.0, 1, -1, -1])
    assert found(turned, R, v) == pytest.approx(xor_error(sigma), rel=2e-3)


@pytest.mark.parametrize("mixture", [xor(0.3**2), three_clusters(0.3**2)], ids=["xor", "three clusters"])
@pytest.mark.parametrize("excess", [0.0, 0.1])
def test_rounding_errors_do_not_turn_the_rays(mixture, excess):
    """The two differences between the clusters of XOR have equal lengths, and excess weights have equal variances."""
    R, nodes = TRAINED[: mixture.means.shape[1]], sobol_nodes(4, 10, 0)
    Q = R.T @ R + excess**2 * np.eye(4)
    errors = []
    for seed in range(8):
        noise = 1e-13 * np.random.default_rng(seed).standard_normal((4, 4))
        covariance = mixture.variance * Q * (1 + noise + noise.T)
        fields = LocalFields(mixture.means @ R * (1 + noise[0]), covariance, SECOND, RELU)
        errors.append(classification_error(fields, mixture, nodes)[0])
    np.testing.assert_allclose(errors, errors[0], rtol=1e-10)

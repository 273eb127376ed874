from dataclasses import replace

import numpy as np
import pytest
from scipy.special import chdtr, chdtrc, logsumexp

from twolayer.errors import ConfigError
from twolayer.model.mixtures import SpectralMixture, circle, from_covariance, from_means, three_clusters, xor
from twolayer.theory.closed_oracles import three_cluster_error, xor_error
from twolayer.theory.oracle import bayes_error

OWN = ([[1.5, 0.0], [-0.5, 1.0], [-0.5, -1.0]], [1, -1, -1], [0.5, 0.3, 0.2])


def smaller_class(mixture, x):
    """Density of the less probable label, at points (n, P)."""
    offsets = x[:, None, :] - mixture.means
    joint = np.log(mixture.weights) - 0.5 * (offsets**2).sum(-1) / mixture.variance
    joint -= 0.5 * mixture.means.shape[1] * np.log(2 * np.pi * mixture.variance)
    return np.exp(min_of(joint, mixture.labels))


def min_of(joint, labels):
    return np.minimum(logsumexp(joint[:, labels > 0], axis=1), logsumexp(joint[:, labels < 0], axis=1))


def plane_quadrature(mixture):
    """The same error by a fine grid over the plane of the means."""
    reach = np.abs(mixture.means).max() + 9 * np.sqrt(mixture.variance)
    at = np.linspace(-reach, reach, 1201)  # to 1e-3 of the error, a seventh of what is asked
    grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    total = sum(smaller_class(mixture, part).sum() for part in np.array_split(grid, 6))
    return total * (at[1] - at[0]) ** 2


def assert_agrees(mixture, expected, accuracy=0.01):
    error, uncertainty = bayes_error(mixture)
    assert error == pytest.approx(expected, rel=accuracy, abs=0)
    assert abs(error - expected) <= 6 * uncertainty + 1e-9 * expected


@pytest.mark.parametrize("sigma", [0.05, 0.0985, 0.15, 0.3, 0.8, 2.0, 10.0])
def test_xor_has_its_closed_form_at_errors_of_any_size(sigma):
    assert_agrees(xor(sigma**2), xor_error(sigma))


@pytest.mark.parametrize("sigma", [0.05, 0.07, 0.3, 1.0, 3.0])
def test_three_clusters_on_a_line_have_their_closed_form(sigma):
    assert_agrees(three_clusters(sigma**2), three_cluster_error(sigma), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mixture",
    [
        from_means(*OWN, 0.6**2),
        from_means(*OWN, 0.2**2),
        from_means(*OWN, 0.13**2),
        circle(3, 0.4**2, positive_fraction=0.2),
        circle(3, 0.1**2, positive_fraction=0.2),
        from_means([[0, 0], [0.3, 0.1], [2, 0]], [1, -1, -1], [0.2, 0.7, 0.1], 1.0),
        from_means([[0, 0], [1, 0], [0, 1], [1, 0]], [1, -1, -1, -1], [0.4, 0.3, 0.2, 0.1], 0.16),
    ],
)
def test_other_mixtures_have_the_error_of_a_grid_over_their_plane(mixture):
    assert_agrees(mixture, plane_quadrature(mixture))


@pytest.mark.slow
@pytest.mark.parametrize("own", [False, True], ids=["common", "own"])
def test_many_clusters_with_any_covariance_err_as_the_best_decision_on_samples(own):
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 6))
    mixture, _ = from_covariance(
        rng.standard_normal((7, 6)) * 1.2,
        root.T @ root,
        np.array([-1.0, 1, -1, 1, 1, -1, 1]),
        rng.dirichlet(np.ones(7)),
    )
    if own:
        mixture = replace(mixture, eigenvalues=mixture.spectra * rng.uniform(0.6, 1.5, (7, 6)))
    cluster = rng.choice(7, size=400_000, p=mixture.weights)
    noise = mixture.noise_of(cluster, rng.standard_normal((len(cluster), 6)))
    offsets = (mixture.means[cluster] + noise)[:, None, :] - mixture.means
    joint = np.log(mixture.weights) - 0.5 * (offsets**2 / mixture.spectra + np.log(mixture.spectra)).sum(-1)
    rarer = np.exp(min_of(joint, mixture.labels) - logsumexp(joint, axis=1))
    expected, error = rarer.mean(), rarer.std() / np.sqrt(len(cluster))
    found, uncertainty = bayes_error(mixture)
    assert abs(found - expected) < 4 * np.hypot(error, uncertainty)
    assert uncertainty < 0.01 * found


@pytest.mark.parametrize("N", [1, 2, 7, 60])
def test_clusters_that_differ_in_noise_alone_are_told_apart_by_their_length(N):
    """The likelier one changes at a length, and |x|^2 is chi-squared."""
    mixture = from_means([[0.0], [0.0]], [1, -1], [0.4, 0.6], np.array([1.0, 1.7]))
    edge = 2 * (np.log(0.4 / 0.6) + 0.5 * N * np.log(1.7)) / (1 - 1 / 1.7)
    expected = 0.4 * chdtrc(N, max(edge, 0)) + 0.6 * chdtr(N, max(edge, 0) / 1.7)
    assert_agrees(mixture.embed(N), expected, 0.02)


@pytest.mark.slow
def test_covariances_of_their_own_have_the_error_of_a_grid():
    """Ellipses that lie across each other, at errors that are frequent and rare."""
    angles, labels, weights = np.array([0.3, 1.4, 2.5]), np.array([1.0, -1, -1]), np.array([0.5, 0.3, 0.2])
    axes = np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles])
    at = np.linspace(-8, 8, 801)
    grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    for shrunk, accuracy in ((1.0, 0.01), (0.1, 0.02)):
        spectra = shrunk * np.array([[0.2, 1.0], [0.1, 0.6], [0.9, 0.3]])
        covariances = (axes * spectra[:, None]) @ axes.swapaxes(1, 2)
        means = np.array([[1.5, 0.0], [-0.5, 1.0], [-0.5, -1.0]])
        offsets = grid[:, None] - means
        joint = np.log(weights) - np.log(2 * np.pi) - 0.5 * np.log(spectra.prod(axis=1))
        joint = joint - 0.5 * np.einsum("nci,cij,ncj->nc", offsets, np.linalg.inv(covariances), offsets)
        expected = np.exp(min_of(joint, labels)).sum() * (at[1] - at[0]) ** 2
        mixture, _ = from_covariance(means, covariances, labels, weights)
        assert mixture.bases is not None
        assert_agrees(mixture, expected, accuracy)


def test_an_isotropic_mixture_of_different_noise_needs_its_dimension():
    with pytest.raises(ConfigError, match="give the mixture its dimension"):
        bayes_error(xor(np.array([0.1, 0.1, 0.2, 0.2])))


@pytest.mark.slow
def test_the_stated_error_is_that_of_independent_points():
    found = [bayes_error(xor(0.3**2), 7, seed) for seed in range(20)]
    errors, uncertainties = np.transpose(found)
    assert np.std(errors) == pytest.approx(np.sqrt(np.mean(uncertainties**2)), rel=0.5)


def test_alike_clusters_leave_the_priors_and_a_single_label_no_error():
    assert bayes_error(from_means([[1, 0], [1, 0]], [1, -1], [0.3, 0.7], 1.0)) == (0.3, 0.0)
    assert bayes_error(from_means([[1, 0], [2, 0]], [1, 1], [0.3, 0.7], 1.0)) == (0.0, 0.0)
    assert bayes_error(from_means([[1, 0], [2, 0]], [1, -1], [1.0, 0.0], 1.0)) == (0.0, 0.0)


def test_clusters_that_differ_without_noise_are_refused():
    mixture = SpectralMixture(
        np.array([[0.0, 1], [0, -1]]), np.array([1.0, -1]), np.array([0.5, 0.5]), np.array([1.0, 0])
    )
    with pytest.raises(ConfigError, match="without noise"):
        bayes_error(mixture)


def test_too_few_lines_are_refused():
    with pytest.raises(ConfigError, match="at least 4"):
        bayes_error(xor(1.0), 3)

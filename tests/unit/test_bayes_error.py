from dataclasses import replace

import numpy as np
import pytest
from scipy.special import chdtr, chdtrc, logsumexp

import twolayer as tl
from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_covariance, from_means, three_clusters, xor
from twolayer.theory.mixtures.bayes_error import bayes_error
from twolayer.theory.mixtures.closed_bayes_errors import three_cluster_error, xor_error

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


@pytest.mark.parametrize("sigma", [1e2, 1e4, 1e6, 1e8, 1e10])
@pytest.mark.parametrize(
    ("mixture", "smaller"),
    [
        (three_clusters(1.0), 0.5),
        (xor(1.0), 0.5),
        (from_means([[1, 0], [0, 1], [-1, 0]], [1, -1, 1], [0.3, 0.6, 0.1], 1.0), 0.4),
    ],
)
def test_noise_of_any_size_leaves_the_smaller_label(mixture, smaller, sigma):
    error, uncertainty = bayes_error(replace(mixture, variance=sigma**2))
    assert uncertainty < 1e-4
    assert smaller - 2 / sigma - 5 * uncertainty <= error <= smaller + 5 * uncertainty + 1e-15


def test_clusters_without_any_noise_are_refused():
    with pytest.raises(tl.ConfigError, match=r"the covariance of cluster 0 .* is zero: give each cluster noise"):
        tl.bayes_error(tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], covariance=np.zeros((2, 2))))


def test_clusters_that_differ_without_noise_are_refused():
    mixture = SpectralMixture(
        np.array([[0.0, 1], [0, -1]]), np.array([1.0, -1]), np.array([0.5, 0.5]), np.array([1.0, 0])
    )
    with pytest.raises(ConfigError, match="without noise"):
        bayes_error(mixture)


def test_too_few_lines_are_refused():
    with pytest.raises(ConfigError, match="at least 4"):
        bayes_error(xor(1.0), 3)


def split(mixture, cluster, gap, label=None, share=0.5):
    """The mixture with a part of one cluster moved along the first axis, and with another label if one is given."""
    shift = np.zeros(mixture.means.shape[1])
    shift[0] = gap
    weights = np.append(mixture.weights, share * mixture.weights[cluster])
    weights[cluster] *= 1 - share
    labels = np.append(mixture.labels, mixture.labels[cluster] if label is None else label)
    return replace(
        mixture, means=np.vstack([mixture.means, mixture.means[cluster] + shift]), labels=labels, weights=weights
    )


GAPS = [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 3e-8, 1e-6]


class TestClustersThatCoincide:
    """Nothing may depend on whether numbers that rounding made are equal."""

    @pytest.mark.parametrize("gap", GAPS)
    @pytest.mark.parametrize("turned", [False, True])
    def test_two_halves_have_the_error_of_the_whole(self, gap, turned):
        mixture = split(xor(0.25), 0, gap)
        if turned:
            turn = np.linalg.qr(np.random.default_rng(0).standard_normal((7, 7)))[0]
            mixture, _ = from_covariance(
                np.pad(mixture.means, ((0, 0), (0, 5))) @ turn,
                0.25 * np.eye(7) + 0.1 * np.outer(turn[6], turn[6]),
                mixture.labels,
                mixture.weights,
            )
        assert_agrees(mixture, xor_error(0.5))

    @pytest.mark.parametrize("gap", GAPS)
    @pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
    def test_where_labels_share_a_law_the_smaller_weight_is_missed(self, gap, share):
        """One cluster of two, at the ends of a line, has both labels."""
        whole = from_means([[0.0], [3.0]], [1, -1], [0.6, 0.4], 1.0)
        mixture = split(whole, 0, gap, -1.0, share)
        light, left = 0.6 * min(share, 1 - share), 0.6 * abs(1 - 2 * share)
        if share > 0.5 or left < 1e-12:  # what is left has the label of the other cluster, or nothing is
            expected = light
        else:
            edge = 1.5 + np.log(left / 0.4) / 3
            expected = light + left * chdtrc(1, edge**2) / 2 + 0.4 * chdtrc(1, (3 - edge) ** 2) / 2
        assert bayes_error(mixture)[0] == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("gap", GAPS)
    def test_covariances_of_their_own_that_are_alike(self, gap):
        rng = np.random.default_rng(0)
        factors = rng.standard_normal((2, 3, 3))
        covariances = factors @ factors.swapaxes(1, 2) + 0.3 * np.eye(3)
        means, labels = rng.standard_normal((2, 3)), np.array([1.0, -1.0])
        whole, _ = from_covariance(means, covariances, labels, np.array([0.4, 0.6]))
        halves, _ = from_covariance(
            np.vstack([means, means[1] + gap]),
            np.concatenate([covariances, covariances[1:] * (1 + gap)]),
            np.append(labels, -1.0),
            np.array([0.4, 0.35, 0.25]),
        )
        assert bayes_error(halves)[0] == pytest.approx(bayes_error(whole)[0], rel=0.01)

    def test_a_ratio_of_variances_that_is_nearly_one(self):
        """Ratios that differ by rounding are one group of directions."""
        rng = np.random.default_rng(0)
        spectra = np.ones((2, 30)) * (1 + 1e-13 * rng.standard_normal((2, 30)))
        mixture = SpectralMixture(np.eye(30)[:2], np.array([1.0, -1.0]), np.array([0.5, 0.5]), spectra)
        assert_agrees(mixture, chdtrc(1, 0.5) / 2, 1e-6)

    def test_a_ratio_of_variances_that_is_tiny(self):
        mixture = SpectralMixture(
            np.zeros((2, 2)), np.array([1.0, -1.0]), np.array([0.5, 0.5]), np.array([[1.0, 1.0], [1e-14, 1.0]])
        )
        edge = np.sqrt(np.log(1e14) / (1e14 - 1)) * np.array([1.0, 1e7])  # in units of either noise
        expected = 0.5 * (chdtr(1, edge[0] ** 2) + chdtrc(1, edge[1] ** 2))
        assert bayes_error(mixture)[0] == pytest.approx(expected, rel=1e-4)

    def test_a_direction_without_noise_in_any_coordinates(self):
        """Rounding leaves its eigenvalue anywhere around zero."""
        for seed in range(5):
            turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((6, 6)))[0]
            covariance = (turn * [1, 1, 1, 1, 1, 0]) @ turn.T
            covariance = (covariance + covariance.T) / 2
            labels, weights = np.array([1.0, -1.0]), np.array([0.5, 0.5])
            alike, _ = from_covariance(np.stack([turn[:, 0], -turn[:, 0]]), covariance, labels, weights)
            assert_agrees(alike, chdtrc(1, 1) / 2, 1e-6)
            different, _ = from_covariance(np.stack([turn[:, 5], -turn[:, 5]]), covariance, labels, weights)
            with pytest.raises(ConfigError, match="without noise"):
                bayes_error(different)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.6, 1.5])
@pytest.mark.parametrize("dimension", [3, 12])
def test_many_clusters_have_the_error_of_samples(sigma, dimension):
    rng = np.random.default_rng(dimension)
    mixture = from_means(
        rng.standard_normal((40, dimension)), np.resize([1, -1], 40), rng.dirichlet(np.ones(40)), sigma**2
    )
    cluster = rng.choice(40, size=50_000, p=mixture.weights)
    x = mixture.means[cluster] + sigma * rng.standard_normal((len(cluster), dimension))
    distances = np.sum(x**2, axis=1)[:, None] + np.sum(mixture.means**2, axis=1) - 2 * x @ mixture.means.T
    joint = np.log(mixture.weights) - 0.5 * distances / sigma**2
    rarer = np.exp(min_of(joint, mixture.labels) - logsumexp(joint, axis=1))
    expected, error = rarer.mean(), rarer.std() / np.sqrt(len(cluster))
    found, uncertainty = bayes_error(mixture)
    assert abs(found - expected) < 4 * np.hypot(error, uncertainty)
    assert uncertainty < max(2 * error, 0.01 * found)


@pytest.mark.slow
def test_rare_errors_of_many_clusters_are_those_of_neighbours():
    """On a circle of 32 each cluster is mistaken for two neighbours."""
    step = 2 * np.sin(np.pi / 32)
    assert_agrees(circle(16, 0.01**2), chdtrc(1, (step / 0.02) ** 2), 0.01)

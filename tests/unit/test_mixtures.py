from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twolayer as tl
from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture, is_even
from twolayer.model.mixtures.standard_mixtures import (
    circle,
    class_weights,
    from_covariance,
    from_means,
    image_mixture,
    pooled_clusters,
    random_mixture,
    three_clusters,
    xor,
)

seeds = st.integers(0, 2**32 - 1)
BINARY = np.array([-1.0, 1.0])


@given(clusters=st.integers(1, 12))
def test_circle_has_unit_means_with_labels_alternating_along_it(clusters):
    mixture = circle(clusters, 0.2)
    np.testing.assert_allclose(np.linalg.norm(mixture.means, axis=1), 1, rtol=1e-14)
    np.testing.assert_array_equal(mixture.labels, np.repeat(BINARY, clusters))
    along = np.argsort(np.arctan2(mixture.means[:, 1], mixture.means[:, 0]))
    assert np.all(np.diff(mixture.labels[along]) != 0)
    np.testing.assert_allclose(mixture.weights @ mixture.means, 0, atol=1e-15)


ROOT = np.sqrt(50)
MEANS = {
    (xor, "low"): [[1, 0], [-1, 0], [0, 1], [0, -1]],
    (xor, "high"): [[ROOT, 0], [-ROOT, 0], [0, ROOT], [0, -ROOT]],
    (xor, "mixed"): [[ROOT, 1], [-ROOT, -1], [ROOT, -1], [-ROOT, 1]],
    (three_clusters, "low"): [[1], [-1], [0]],
    (three_clusters, "high"): [[ROOT], [-ROOT], [0]],
    (three_clusters, "mixed"): [[ROOT], [-1], [0]],
}


@pytest.mark.parametrize(("geometry", "regime"), MEANS)
@pytest.mark.parametrize("positive_fraction", [0.5, 0.2])
def test_regimes(geometry, regime, positive_fraction):
    mixture = geometry(0.3, positive_fraction, regime, 50)
    np.testing.assert_array_equal(mixture.means, MEANS[geometry, regime])
    assert mixture.variance == 0.3
    assert mixture.weights[mixture.labels > 0].sum() == pytest.approx(positive_fraction)
    negative = mixture.weights[mixture.labels < 0]
    np.testing.assert_allclose(negative, (1 - positive_fraction) / 2)


def test_low_regime_needs_no_dimension_and_is_the_default():
    for geometry in (xor, three_clusters):
        low, default = geometry(0.3, regime="low", dimension=7), geometry(0.3)
        np.testing.assert_array_equal(low.means, default.means)
        np.testing.assert_array_equal(low.weights, default.weights)
    np.testing.assert_array_equal(circle(2, 0.3).means, xor(0.3).means)


def test_high_regime_of_a_hexagon():
    np.testing.assert_allclose(circle(3, 0.3, regime="high", dimension=9).means, 3 * circle(3, 0.3).means, rtol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: circle(3, 0.1, regime="mixed", dimension=10), "mixed signal-to-noise regime needs 2"),
        (lambda: circle(0, 0.1), "clusters per class is 0"),
        (lambda: xor(0.1, regime="middle"), "'middle': use one of low, high, mixed"),
        (lambda: three_clusters(0.1, regime="middle", dimension=3), "'middle': use one of low, high, mixed"),
        (lambda: xor(0.1, regime="high"), "depends on the input dimension: give the dimension"),
        (lambda: three_clusters(0.1, regime="mixed"), "depends on the input dimension: give the dimension"),
        (lambda: xor(0.1, regime="high", dimension=0), "input dimension is 0"),
        (lambda: three_clusters(0.1, dimension=-4), "input dimension is -4"),
        (lambda: xor(0.1, positive_fraction=1.5), r"labelled \+1 is 1.5"),
        (lambda: xor(0.1, positive_fraction=np.nan), r"labelled \+1 is nan"),
        (lambda: xor(0.0), "noise variance is 0.0"),
        (lambda: three_clusters(np.inf), "noise variance is inf"),
    ],
)
def test_what_a_geometry_does_not_have_is_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


@given(positive_fraction=st.floats(0, 1), negative=st.integers(1, 6), positive=st.integers(1, 6))
def test_class_weights_share_each_class_equally(positive_fraction, negative, positive):
    labels = np.repeat(BINARY, [negative, positive])
    weights = class_weights(labels, positive_fraction)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(weights[labels > 0], positive_fraction / positive)
    np.testing.assert_allclose(weights[labels < 0], (1 - positive_fraction) / negative)


def test_embedding_pads_the_means_and_keeps_the_rest():
    mixture = three_clusters(0.3, 0.2, "mixed", 6)
    embedded = mixture.embed(6)
    np.testing.assert_array_equal(embedded.means[:, :1], mixture.means)
    np.testing.assert_array_equal(embedded.means[:, 1:], 0)
    np.testing.assert_array_equal(embedded.eigenvalues, np.full(6, 0.3))
    assert embedded.labels is mixture.labels
    assert embedded.weights is mixture.weights
    assert embedded.dimension == 6
    assert xor(0.1).embed(2).dimension == 2
    with pytest.raises(ConfigError, match="dimension is 1, but the means span 2"):
        xor(0.1).embed(1)


def test_a_constant_input_is_one_without_noise():
    mixture = xor(0.3).with_constant_input()
    embedded = mixture.embed(5)
    np.testing.assert_array_equal(embedded.means, np.hstack([xor(0.3).means, np.ones((4, 1)), np.zeros((4, 2))]))
    np.testing.assert_array_equal(embedded.eigenvalues, [0.3, 0.3, 0.0, 0.3, 0.3])
    assert not is_even(mixture)


def test_own_means_may_come_as_lists_and_leave_axes_unused():
    mixture = from_means([[1, 0, 0], [1, 0, 0]], [-1, 1], [0.25, 0.75], 2)
    assert isinstance(mixture, IsotropicMixture)
    assert mixture.means.dtype == mixture.labels.dtype == mixture.weights.dtype == float
    np.testing.assert_array_equal(mixture.embed(4).means, [[1, 0, 0, 0]] * 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"means": [1.0, 2.0]}, r"means have shape \(2,\): give one row for each cluster"),
        ({"means": np.zeros((2, 2, 2))}, r"means have shape \(2, 2, 2\)"),
        ({"means": np.zeros((0, 2)), "labels": [], "weights": []}, r"means have shape \(0, 2\)"),
        ({"means": np.zeros((2, 0))}, r"means have shape \(2, 0\)"),
        ({"means": [[1.0], [np.nan]]}, "mean of cluster 1 is not finite"),
        ({"means": [[-np.inf, 0.0], [1.0, 1.0]]}, "mean of cluster 0 is not finite"),
        ({"means": [[1.0, 2.0], [3.0]]}, "must be numbers"),
        ({"labels": ["even", "odd"]}, "must be numbers"),
        ({"weights": [None, {}]}, "must be numbers"),
        ({"labels": [-1, 1, 1]}, r"2 means, labels of shape \(3,\)"),
        ({"labels": [[-1], [1]]}, r"2 means, labels of shape \(2, 1\)"),
        ({"weights": [1.0]}, r"weights of shape \(1,\)"),
        ({"labels": [0, 1]}, "use -1 and [+]1"),
        ({"weights": [0.5, 0.6]}, "with the sum 1"),
        ({"weights": [-0.5, 1.5]}, "not probabilities"),
        ({"weights": [np.nan, 1.0]}, "not probabilities"),
        ({"variance": -1.0}, "noise variance is -1.0"),
        ({"variance": np.nan}, "noise variance is nan"),
        ({"variance": np.ones(3)}, "give one number for all clusters, or one for each"),
        ({"variance": np.array([1.0, 0.0])}, "must be positive and finite"),
    ],
)
def test_own_means_that_make_no_mixture_are_refused(change, message):
    sound = {"means": [[1.0], [-1.0]], "labels": [-1, 1], "weights": [0.5, 0.5], "variance": 1.0}
    with pytest.raises(ConfigError, match=message) as refusal:
        from_means(**(sound | change))
    assert "\n" not in str(refusal.value)


@given(seed=seeds, dimension=st.integers(1, 8), rank=st.integers(1, 8))
def test_eigenbasis_gives_back_means_and_covariance(seed, dimension, rank):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((min(rank, dimension), dimension))
    means, covariance = rng.standard_normal((3, dimension)), root.T @ root
    mixture, eigenvectors = from_covariance(means, covariance, np.array([-1.0, 1.0, 1.0]), np.full(3, 1 / 3))
    assert mixture.dimension == dimension
    assert np.all(mixture.eigenvalues >= 0)  # a covariance of less than full rank too
    np.testing.assert_allclose(eigenvectors.T @ eigenvectors, np.eye(dimension), atol=1e-13)
    np.testing.assert_allclose(mixture.means @ eigenvectors.T, means, atol=1e-13)
    rebuilt = (eigenvectors * mixture.eigenvalues) @ eigenvectors.T
    np.testing.assert_allclose(rebuilt, covariance, atol=1e-13 * max(1, np.trace(covariance)))


@pytest.mark.slow
@given(seed=seeds, dimension=st.integers(2, 8), commuting=st.booleans(), rank=st.integers(1, 8))
def test_every_covariance_is_given_back(seed, dimension, commuting, rank):
    """Those that commute share an eigenbasis, however their eigenvalues coincide."""
    rng = np.random.default_rng(seed)
    spectra = rng.integers(0, 3, (3, dimension)) * (np.arange(dimension) < rank)
    spectra[:, 0] += 1  # a covariance of zero is refused
    basis = np.linalg.qr(rng.standard_normal((1 if commuting else 3, dimension, dimension)))[0]
    means, covariances = rng.standard_normal((3, dimension)), (basis * spectra[:, None]) @ basis.swapaxes(1, 2)
    mixture, eigenvectors = from_covariance(means, covariances, np.array([-1.0, 1.0, 1.0]), np.full(3, 1 / 3))
    assert mixture.bases is None or not commuting
    np.testing.assert_allclose(mixture.means @ eigenvectors.T, means, atol=1e-12)
    for cluster, covariance in enumerate(covariances):
        root = mixture.seen_through(cluster, np.eye(dimension)) @ eigenvectors.T
        np.testing.assert_allclose(root.T @ root, covariance, atol=1e-8)
        noise = mixture.noise_of(np.full(dimension, cluster), np.eye(dimension)) @ eigenvectors.T
        np.testing.assert_allclose(noise.T @ noise, covariance, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_rounding_of_the_means_does_not_matter_at_any_scale(scale):
    mixture = xor(0.1)
    rounded, moved = (mixture.means * scale * (1 + np.arange(4)[:, None] * part) for part in (1e-14, 1e-6))
    assert is_even(replace(mixture, means=rounded))
    assert not is_even(replace(mixture, means=moved))


def test_classes_of_different_noise_are_not_even():
    assert is_even(xor(np.array([1.0, 1, 2, 2])))
    assert not is_even(xor(np.array([1.0, 2, 1, 1])))
    assert is_even(xor(np.array([1.0, 1, 2, 2])).embed(5))
    assert not is_even(xor(np.array([1.0, 2, 1, 1])).embed(5))


@pytest.mark.parametrize(
    ("covariance", "cluster"), [(np.zeros((3, 3)), 0), (np.stack([np.eye(3), np.zeros((3, 3))]), 1)]
)
def test_a_covariance_of_zero_is_refused(covariance, cluster):
    with pytest.raises(ConfigError, match=rf"the covariance of cluster {cluster} \(counted from 0\) is zero"):
        from_covariance(np.eye(2, 3), covariance, BINARY, np.full(2, 0.5))


def test_covariance_with_a_negative_eigenvalue_is_refused():
    means, covariance = np.zeros((2, 3)), np.diag([1.0, -0.25, 2.0])
    with pytest.raises(ConfigError, match=r"eigenvalue -0\.25: give a positive semi-definite covariance"):
        from_covariance(means, covariance, BINARY, np.full(2, 0.5))
    with pytest.raises(ConfigError, match=r"eigenvalue -0\.25"):
        SpectralMixture(means, BINARY, np.full(2, 0.5), np.diag(covariance))


def test_every_mean_has_a_coordinate_for_each_eigenvalue():
    with pytest.raises(ConfigError, match=r"shape \(2, 3\), but the covariance has 4 eigenvalues"):
        SpectralMixture(np.zeros((2, 3)), BINARY, np.full(2, 0.5), np.ones(4))


def test_random_mixture_is_made_of_its_draws():
    N = 40
    mixture, eigenvectors = random_mixture(np.random.default_rng(7), N, 3, positive_fraction=0.3)
    replay = np.random.default_rng(7)
    factor = replay.standard_normal((N, N)) / np.sqrt(N)
    means = replay.standard_normal((6, N)) / np.sqrt(N)
    np.testing.assert_allclose((eigenvectors * mixture.eigenvalues) @ eigenvectors.T, factor.T @ factor, atol=1e-13)
    np.testing.assert_allclose(mixture.means @ eigenvectors.T, means, atol=1e-13)
    np.testing.assert_array_equal(mixture.labels, np.repeat(BINARY, 3))
    np.testing.assert_allclose(mixture.weights, np.repeat([0.7 / 3, 0.1], 3))


def test_random_spectrum_has_the_marchenko_pastur_moments():
    mixture, _ = random_mixture(np.random.default_rng(0), 400, 1)
    assert mixture.eigenvalues.mean() == pytest.approx(1, abs=0.02)
    assert np.mean(mixture.eigenvalues**2) == pytest.approx(2, abs=0.1)
    assert mixture.eigenvalues.max() == pytest.approx(4, abs=0.2)


def random_images(seed, count=300, pixels=9, classes=4):
    """Images of unequal classes, with correlated pixels."""
    rng = np.random.default_rng(seed)
    numbers = np.concatenate([np.arange(classes), rng.binomial(classes - 1, 0.4, size=count - classes)])
    prototypes = 60 * rng.random((classes, pixels))
    return prototypes[numbers] + rng.standard_normal((count, pixels)) @ rng.standard_normal((pixels, pixels)), numbers


def directly(images, numbers, count, ridge):
    """Means and covariance by the definition, over loops."""
    pixels = (images - images.mean(axis=0)) / np.sqrt(
        np.sum((images - images.mean(axis=0)) ** 2) / (images.size - 1)  # the centred pixels have mean zero
    )
    means = [pixels[numbers == c].mean(axis=0) for c in range(count)]
    covariances = [np.cov(pixels[numbers == c].T, bias=True) for c in range(count)]
    return np.array(means), np.mean(covariances, axis=0) + ridge * np.eye(images.shape[1])


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_image_mixture_has_the_class_means_and_the_average_covariance(ridge):
    images, numbers = random_images(0)
    labels = np.array([1, -1, 1, -1])
    before = images.copy()
    mixture, eigenvectors = image_mixture(images, numbers, labels, ridge)
    means, covariance = directly(images, numbers, 4, ridge)
    np.testing.assert_allclose(mixture.means @ eigenvectors.T, means, atol=1e-12)
    np.testing.assert_allclose((eigenvectors * mixture.eigenvalues) @ eigenvectors.T, covariance, atol=1e-12)
    np.testing.assert_array_equal(mixture.labels, labels)
    np.testing.assert_array_equal(mixture.weights, 0.25)  # however many images a class has
    np.testing.assert_array_equal(images, before)


def test_image_mixture_ignores_brightness_and_contrast():
    images, numbers = random_images(1)
    plain, _ = image_mixture(images, numbers, np.array([1, -1, 1, -1]))
    changed, _ = image_mixture(3 * images + 40, numbers, np.array([1, -1, 1, -1]))
    np.testing.assert_allclose(changed.eigenvalues, plain.eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(changed.means @ changed.means.T, plain.means @ plain.means.T, rtol=1e-10)


def test_pooled_classes_make_two_clusters():
    images, numbers = random_images(2)
    clusters, labels = pooled_clusters(numbers.astype(np.uint8), np.array([1.0, -1.0, 1.0, -1.0]))
    np.testing.assert_array_equal(labels, BINARY)
    np.testing.assert_array_equal(clusters, numbers % 2 == 0)
    mixture, eigenvectors = image_mixture(images, clusters, labels, 1e-4)
    odd, even = images[numbers % 2 == 1], images[numbers % 2 == 0]
    scale = (images - images.mean(axis=0)).std(ddof=1)
    average = (np.cov(odd.T, bias=True) + np.cov(even.T, bias=True)) / (2 * scale**2)  # two labels, not ten classes
    np.testing.assert_allclose(
        (eigenvectors * mixture.eigenvalues) @ eigenvectors.T, average + 1e-4 * np.eye(9), atol=1e-12
    )
    np.testing.assert_allclose(
        mixture.means @ eigenvectors.T, (np.stack([odd.mean(0), even.mean(0)]) - images.mean(0)) / scale, atol=1e-12
    )


def test_a_cluster_without_images_is_refused():
    images, numbers = random_images(3)
    with pytest.raises(ConfigError, match="cluster 4 has no image"):
        image_mixture(images, numbers, np.array([1, -1, 1, -1, 1]))


def test_which_mixtures_are_even():
    assert is_even(xor(0.1))
    assert is_even(three_clusters(0.1))
    assert not is_even(circle(1, 0.1))
    assert not is_even(circle(3, 0.1))
    assert is_even(circle(4, 0.1))
    assert not is_even(three_clusters(0.1, regime="mixed", dimension=10))


def test_the_eigenbasis_does_not_depend_on_the_signs_that_lapack_gives(monkeypatch):
    rng = np.random.default_rng(5)
    root, means = rng.standard_normal((6, 6)), rng.standard_normal((2, 6))
    solve = np.linalg.eigh

    def other_signs(matrix):
        eigenvalues, eigenvectors = solve(matrix)
        return eigenvalues, eigenvectors * rng.choice([-1, 1], len(eigenvalues))

    labels, weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    expected, _ = from_covariance(means, root @ root.T, labels, weights)
    monkeypatch.setattr(np.linalg, "eigh", other_signs)
    for _ in range(3):
        mixture, basis = from_covariance(means, root @ root.T, labels, weights)
        np.testing.assert_array_equal(mixture.means, expected.means)
        np.testing.assert_allclose(basis @ mixture.means.T, means.T, atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, float])
def test_weights_in_single_precision_sum_to_one(kind):
    weights = np.array([1 / 3, 1 / 3, 1 / 3], kind)
    mixture = tl.Mixture(means=np.eye(3), labels=[1, -1, 1], weights=weights, sigma=1.0)
    assert tl.bayes_error(mixture, log2_nodes=6).bayes_error.size == 1
    made = from_means(np.eye(3), [1, -1, 1], weights, 1.0)
    assert made.weights.sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(ConfigError, match="not probabilities"):
        from_means(np.eye(3), [1, -1, 1], [0.3333, 0.3333, 0.3333], 1.0)

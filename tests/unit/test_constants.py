"""Single constants, signs and scales, each against an independent value."""

import numpy as np
import pytest
from scipy.stats import chi

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture, is_even
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.model.teachers.equivalence_cases import draw_case
from twolayer.model.teachers.teacher_distributions import wrapped_cauchy, wrapped_cauchy_spread
from twolayer.simulation.mixtures.order_parameter_inputs import draw_numbers
from twolayer.theory.averages.relu_rays import mass_beyond
from twolayer.theory.replica.replica_equations import Spectrum


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8])
def test_mass_beyond_a_radius(freedom):
    for radius in (0.1, 1.0, 3.0):
        assert mass_beyond(radius, freedom) == pytest.approx(chi.sf(radius, freedom), rel=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 3.0, 40.0])
def test_standard_error_of_the_spread(gamma):
    """The medians of many samples scatter as stated."""
    samples = 400
    median, error = wrapped_cauchy_spread(gamma, samples)
    angles = np.abs(wrapped_cauchy(np.random.default_rng(0).random((2000, samples)), gamma))
    medians = np.median(angles, axis=1)
    assert medians.mean() == pytest.approx(median, abs=5 * error / np.sqrt(2000) + 0.01 * error)
    assert medians.std() == pytest.approx(error, rel=0.1)


def test_a_single_feature_is_enough():
    assert feature_count(0.1, 10) == 1
    with pytest.raises(ConfigError, match="gives no feature"):
        feature_count(0.04, 10)


def test_latent_ratio_multiplies_the_dimension():
    assert draw_case("generic", np.random.default_rng(0), 40, 0.25, 2, 2).F.shape == (40, 10)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_symmetry_is_relative_to_the_covariance(scale):
    rng = np.random.default_rng(0)
    root, correlation = rng.standard_normal((6, 6)), rng.standard_normal(6)
    covariance = root @ root.T
    rounded = covariance * (1 + 1e-15 * rng.standard_normal((6, 6)))
    assert Spectrum.of(1.0, 0.0 * correlation, scale * rounded) is not None
    covariance[0, 1] *= 1.01
    with pytest.raises(ConfigError, match="not symmetric"):
        Spectrum.of(1.0, 0.0 * correlation, scale * covariance)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_function_that_bends_beyond_its_table_is_not_straight(side):
    """Such a function is unknown there, and not a straight line."""

    def bent(x):
        return np.where(side * x > 64, x + (np.abs(x) - 64) ** 2, x)

    activation = Activation.of(bent, lambda x: np.where(side * x > 64, 1 + 2 * side * (np.abs(x) - 64), 1.0), "bent")
    assert not activation.compiled.straight


@pytest.mark.parametrize("freedom", [1, 2, 5])
def test_lengths_are_roots_of_chi_squared_numbers(freedom):
    """Also the few that need the exact condition of the Gamma sampler."""
    _, _, lengths = draw_numbers(np.random.default_rng(0), 2000, 1, freedom, 256)
    edges = chi.ppf(np.linspace(0, 1, 51), freedom)
    counts = np.histogram(lengths, edges)[0]
    expected = lengths.size / 50
    assert np.sum((counts - expected) ** 2 / expected) < 49 + 5 * np.sqrt(2 * 49)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_equal_covariances_up_to_rounding(scale):
    eigenvalues = scale * np.array([[1.0, 2.0], [1.0 + 1e-14, 2.0 - 1e-14]])
    mixture = SpectralMixture(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.ones(2), np.full(2, 0.5), eigenvalues)
    assert is_even(mixture)
    different = SpectralMixture(mixture.means, mixture.labels, mixture.weights, eigenvalues * [[1.0], [1.001]])
    assert not is_even(different)

"""One gradient step on a mixture: theory of drawn first layers against networks, and routes of several studies."""

import math
from dataclasses import replace

import numpy as np
import pytest

import twolayer as tl
from twolayer.errors import ConfigError
from twolayer.experiments.learned_features import feature_step, projected_features
from twolayer.experiments.learned_features.parameters import FeatureStep, MixtureProblem, ProjectedFeatures
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.model.mixtures.standard_mixtures import from_means
from twolayer.model.networks.activations import ERF, RELU
from twolayer.parameters import parse
from twolayer.theory.one_step.conditional_equivalent import Component, feature_moments
from twolayer.theory.one_step.mixture_features import mixture_feature_covariances

XOR = MixtureProblem(sigma=(0.4,), sample_ratios=(2.0, 10.0), input_dimension=40, seeds=12, test_samples=2000)
LOPSIDED = Geometry(means=((1.5, 0.0), (-0.5, 1.0), (-0.5, -1.0)), labels=(1, -1, -1), weights=(0.2, 0.5, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [XOR, replace(XOR, geometry=LOPSIDED, sigma=(1.0,), ridge=0.1)],
    ids=["XOR", "another mixture"],
)
def test_theory_against_networks(problem):
    """Means over 12 networks, two sample ratios each: four standard errors, and four percent for D = 40."""
    result = feature_step.run(FeatureStep(problem, steps=(0.0, 2.0)))
    for measured, theory in (("network", "theory"), ("network_misclassified", "theory_misclassified")):
        gap = (result[measured] - result[theory]) / result[theory].mean("seed")
        error = gap.std("seed", ddof=1) / math.sqrt(12)
        assert (abs(gap.mean("seed")) < 4 * error + 0.04).all()
        assert (error < 0.06).all()


@pytest.mark.slow
def test_a_step_learns_features_of_xor():
    """With ten samples a dimension it misses fewer than half as many classes, and is near the best there is."""
    missed = feature_step.run(FeatureStep(XOR, steps=(0.0, 3.0))).theory_misclassified.sel(sample_ratio=10).mean("seed")
    assert (missed.sel(step=3) < 0.5 * missed.sel(step=0)).all()


def test_moments_by_the_routes_of_two_studies():
    """Clusters at the origin are one normal distribution. The Hermite series of both studies give its covariances."""
    rng, k, dimension = np.random.default_rng(0), 12, 20
    first_layer = rng.standard_normal((k, dimension)) / math.sqrt(dimension)
    mixture = from_means([[1e-9, 0.0], [0.0, 1e-9]], (1, -1), (0.5, 0.5), variance=0.49)
    distribution = Component(1.0, 0.49 * first_layer @ first_layer.T, np.zeros_like, 1.0, np.zeros(k))
    for activation in (RELU, ERF):
        moments = feature_moments(activation.value, [distribution])
        feature_covariances, mean = mixture_feature_covariances(
            mixture, first_layer.T * math.sqrt(dimension), overlap_order=40, activation=activation
        )
        np.testing.assert_allclose(moments.Omega - np.outer(mean, mean), feature_covariances.Omega, atol=3e-7)


def test_ridge_regression_is_the_projection():
    """The second layers of the one-step study and of variable projection, on the same samples."""
    problem = replace(XOR, seeds=2, sample_ratios=(1.0, 5.0))
    result = projected_features.run(ProjectedFeatures(problem, iterations=20, rate=0.05))
    np.testing.assert_allclose(result.start_pmse, result.start_ridge_pmse, rtol=1e-10)
    assert (result.last_risk < 0.8 * result.first_risk).all()


def test_a_network_is_the_same_at_all_levels_and_for_all_ways_of_learning():
    """At step 0, ridge regression on random features is where variable projection starts."""
    steps = feature_step.run(FeatureStep(replace(XOR, seeds=2), steps=(0.0,)))
    projected = projected_features.run(ProjectedFeatures(replace(XOR, seeds=2), iterations=1))
    np.testing.assert_allclose(steps.network.squeeze("step"), projected.start_pmse, rtol=1e-10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ridge": 0}, "ridge is 0.0: it must be above 0"),
        ({"features_per_dimension": 0.001}, "0.001"),
        ({"sigma": []}, "sigma"),
    ],
)
def test_bad_problems(changes, message):
    values = {"sigma": [0.4], "sample_ratios": [2], "input_dimension": 20} | changes
    with pytest.raises(ConfigError, match=message):
        parse(FeatureStep, {"problem": values}, "here")


def test_noise_of_each_cluster_is_refused():
    with pytest.raises(ConfigError, match="spreads is given: the theory of networks after a step needs the same noise"):
        replace(XOR, geometry=Geometry(spreads=(1, 1, 2, 2)))


def test_outputs_whose_variance_is_less_than_the_error_of_tables():
    """At little noise most units are linear, and their terms cancel."""
    problem = tl.MixtureProblem([0.1], [10.0], 20, ridge=1e-3, seeds=5, seed=1, test_samples=1000)
    found = tl.feature_step(problem=problem)
    assert not found.theory_misclassified.isnull().any()
    assert float(abs(found.theory_misclassified - found.network_misclassified).max()) < 0.03

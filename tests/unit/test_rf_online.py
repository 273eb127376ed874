import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import ALL

import twolayer as tl
from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_means, random_mixture, three_clusters, xor
from twolayer.model.networks.activations import ERF, LINEAR, RELU
from twolayer.model.networks.learning import Learning
from twolayer.simulation.features import random_features
from twolayer.simulation.features.random_features import simulate_readout, train_readout
from twolayer.theory.mixtures.random_features import (
    evaluate_readout,
    feature_covariance,
    feature_moments,
    noise_overlaps,
    optimal_readout,
    projection_overlaps,
    random_projection,
)

seeds = st.integers(0, 2**32 - 1)


def uneven_mixture(seed):
    rng = np.random.default_rng(seed)
    return IsotropicMixture(
        rng.standard_normal((3, 2)), np.array([-1.0, 1.0, 1.0]), rng.dirichlet(np.full(3, 5.0)), 0.4
    )


def gaussian_projection(seed, dimension=12, features=18):
    """Columns of any norm."""
    return np.random.default_rng(seed).standard_normal((dimension, features))


def trained(mixture, projection, w, learning, times, rng, activation=RELU):
    options = {"initial_weights": w, "times": times, "activation": activation}
    return train_readout(mixture, projection, Learning(*learning), **options, rng=np.random.default_rng(rng))


def second_moment(mixture, projection, activation):
    """E[z z^T], its expansion converged."""
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order=12, activation=activation)
    lower = np.tril(
        feature_covariance(noise_overlaps(mixture, projection), coefficients, variance, mean, mixture.weights), -1
    )
    return lower + lower.T + np.diag(mixture.weights @ (variance + mean**2))


@pytest.mark.parametrize("name", ALL)
@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_steps_are_those_of_the_update_rule(name, seed):
    mixture, projection, g = uneven_mixture(seed), gaussian_projection(seed), ALL[name]
    w, learning_rate, weight_decay, steps = np.random.default_rng(seed).standard_normal(18), 0.03, 0.2, 40
    run = trained(mixture, projection, w, (learning_rate, weight_decay), [steps / 12], seed, g)
    replay = np.random.default_rng(seed)
    clusters = replay.choice(3, size=1024, p=mixture.weights)
    noise = math.sqrt(mixture.variance) * replay.standard_normal((1024, 12))
    for cluster, n in zip(clusters[:steps], noise, strict=False):
        z = g((np.pad(mixture.means[cluster], (0, 10)) + n) @ projection / math.sqrt(12))
        error = mixture.labels[cluster] - w @ z / math.sqrt(18)
        w = w + learning_rate / math.sqrt(18) * error * z - learning_rate * weight_decay / 18 * w
    np.testing.assert_allclose(run.weights, w, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.times, [steps / 12])


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_mean_of_many_runs_follows_its_exact_recursion(name, monkeypatch):
    mixture, projection, g = uneven_mixture(5), gaussian_projection(5), ALL[name]
    start, weight_decay, steps, runs = np.random.default_rng(6).standard_normal(18), 0.1, 100, 400
    second = second_moment(mixture, projection, g)
    learning_rate = 0.05 * 18 / np.trace(second)
    moments = feature_moments(mixture, projection, overlap_order=1, activation=g)
    monkeypatch.setattr(random_features, "feature_moments", lambda *_, **__: moments)  # the same moments in every run
    finals = np.array(
        [
            trained(mixture, projection, start, (learning_rate, weight_decay), [steps / 12], rng, g).weights
            for rng in np.random.default_rng(7).spawn(runs)
        ]
    )
    label_product = (mixture.weights * mixture.labels) @ moments.mean
    w = start
    for _ in range(steps):
        gain = learning_rate / math.sqrt(18) * (label_product - second @ w / math.sqrt(18))
        w = (1 - learning_rate * weight_decay / 18) * w + gain
    z = (finals.mean(axis=0) - w) / (finals.std(axis=0, ddof=1) / math.sqrt(runs))
    assert np.max(np.abs(z)) < 4
    assert 0.2 < np.mean(z**2) < 2.5


OPTIMA = {
    "xor, relu": (xor(0.05), RELU, 30),
    "three clusters, relu": (three_clusters(0.5, 0.5, "mixed", 20), RELU, 10),
    "two clusters, erf": (circle(1, 0.5, 0.3), ERF, 10),
    "two clusters, linear": (circle(1, 0.5, 0.3), LINEAR, 10),
    "any covariance, relu": (random_mixture(np.random.default_rng(0), 20, 1, 0.3)[0], RELU, 10),
}


@pytest.mark.parametrize("case", OPTIMA)
def test_training_tends_to_the_best_readout_without_offset(case):
    mixture, activation, features = OPTIMA[case]
    projection = random_projection(np.random.default_rng(1), 20, features)
    overlaps, ridge = noise_overlaps(mixture, projection), 0.02
    best, lowest = (
        optimal_readout(
            mixture, projection, overlaps, overlap_order=4, ridge=r, activation=activation, with_offset=False
        )
        for r in (ridge, 0.0)
    )
    limit = 2 * features / np.trace(second_moment(mixture, projection, activation))
    for fraction, last in ((0.1, 3000), (0.01, 10_000)):
        times, rng = np.linspace(last / 2, last, 100), np.random.default_rng(2)
        run = trained(mixture, projection, np.zeros(features), (fraction * limit, ridge), times, rng, activation)
        assert np.all(run.pmse > lowest.pmse)
        excess = run.pmse.mean() / best.pmse - 1
        assert 0.6 < excess / (fraction / (1 - fraction)) < 1.05  # what the noise of the steps costs, ridge apart


def test_measured_errors_are_those_of_the_readout_on_fresh_inputs():
    mixture, projection = xor(0.09, 0.4), gaussian_projection(0, 100, 150)
    run = trained(mixture, projection, np.zeros(150), (5.0, 0.01), np.array([0.0, 50.0]), 1)
    assert (run.pmse[0], run.class_error[0]) == (0.5, 0.5)
    moments = feature_moments(mixture, projection, overlap_order=4)
    readout = evaluate_readout(mixture, moments, projection_overlaps(projection), weights=run.weights / math.sqrt(150))
    assert (run.pmse[1], run.class_error[1]) == (readout.pmse, readout.class_error)
    measured = simulate_readout(mixture, projection, readout, samples=50_000, rng=np.random.default_rng(2))
    assert abs(measured.pmse - run.pmse[1]) < 4 * measured.pmse_error
    assert abs(measured.class_error - run.class_error[1]) < 4 * measured.class_error_error + 0.03 * run.class_error[1]


def test_linear_features_never_learn_xor():
    projection = random_projection(np.random.default_rng(0), 30, 60)
    times = np.linspace(100, 200, 50)
    run = trained(xor(0.1), projection, np.zeros(60), (0.5,), times, 1, LINEAR)
    assert np.all(run.pmse >= 0.5)
    np.testing.assert_allclose(run.class_error, 0.5, atol=1e-12)


def test_the_limit_of_stability_is_named_and_is_that_of_sampled_features():
    mixture, projection, weight_decay = uneven_mixture(1), gaussian_projection(1), 0.5
    rng = np.random.default_rng(0)
    clusters = rng.choice(3, size=200_000, p=mixture.weights)
    x = math.sqrt(mixture.variance) * rng.standard_normal((200_000, 12))
    x[:, :2] += mixture.means[clusters]
    lengths = np.sum(np.maximum(x @ projection / math.sqrt(12), 0) ** 2, axis=1)
    limit = 2 * 18 / (lengths.mean() + weight_decay)
    arguments = mixture, projection, np.zeros(18)
    trained(*arguments, (0.98 * limit, weight_decay), [0.0], 0)
    with pytest.raises(ConfigError, match=r"learning rate is .* stable only above 0 and below") as refusal:
        trained(*arguments, (1.02 * limit, weight_decay), [0.0], 0)
    assert float(str(refusal.value).split()[-1]) == pytest.approx(limit, rel=0.01)
    with pytest.raises(ConfigError, match="stable only above 0"):
        trained(*arguments, (0.0, weight_decay), [0.0], 0)


def test_divergence_names_its_step():
    # Below the limit on average, but far beyond it in one cluster.
    mixture = from_means([[6.0], [0.0]], [-1, 1], [0.15, 0.85], 0.1)
    projection, w, learning_rate = random_projection(np.random.default_rng(0), 10, 10), np.ones(10), 3.0
    replay, step = np.random.default_rng(8), 0
    clusters = replay.choice(2, size=1024, p=mixture.weights)
    x = math.sqrt(0.1) * replay.standard_normal((1024, 10))
    x[:, 0] += mixture.means[clusters, 0]
    features = x @ projection / math.sqrt(10)
    while abs(error := mixture.labels[clusters[step]] - w @ features[step] / math.sqrt(10)) < 1e6:
        w, step = w + learning_rate / math.sqrt(10) * error * features[step], step + 1
    assert step > 2
    with pytest.raises(NotConverged, match=rf"diverged at step {step + 1} .*lower the learning rate, which is 3"):
        trained(mixture, projection, np.ones(10), (learning_rate,), [0.0, 0.1, 100], 8, LINEAR)


def test_weights_that_start_with_nan_diverge_at_once():
    with pytest.raises(NotConverged, match="diverged at step 1 "):
        trained(xor(0.1), gaussian_projection(0), np.full(18, np.nan), (0.1,), [1.0], 0)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_same_seed_same_run_however_often_it_is_measured(seed):
    mixture, projection, w = xor(0.2), gaussian_projection(seed), np.random.default_rng(seed).standard_normal(18)
    dense, sparse = (
        trained(mixture, projection, w, (0.1, 0.01), times, seed)
        for times in (np.array([0.0, 0.25, 0.25, 50.0, 100.0, 2049 / 12, 200.0]), np.array([100.0, 200.0]))
    )
    np.testing.assert_array_equal(dense.weights, sparse.weights)
    np.testing.assert_array_equal(dense.pmse[[-3, -1]], sparse.pmse)
    np.testing.assert_allclose(dense.times, [0.0, 0.25, 0.25, 50.0, 100.0, 2049 / 12, 200.0])


def test_initial_weights_are_left_alone():
    w = np.ones(18)
    run = trained(xor(0.1), gaussian_projection(0), w, (0.1,), [0.0, 1.0], 0)
    np.testing.assert_array_equal(w, 1.0)
    assert np.all(run.weights != w)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial_weights": np.zeros(17)}, r"initial weights have shape \(17,\), but 18 features need \(18,\)"),
        ({"times": [1.0, 0.5]}, "never decrease"),
        ({"times": [-1.0]}, "start at 0 or later"),
        ({"times": []}, "measurement times"),
        ({"projection": np.ones((1, 18))}, "does not fit means of 2 coordinates"),
        ({"activation": "reloo"}, "unknown activation 'reloo'"),
        ({"overlap_order": 0}, "overlap order is 0"),
        ({"learning": Learning(-0.1)}, "learning rate is -0.1"),
        ({"learning": Learning(np.nan)}, "learning rate is nan"),
        (
            {"learning": Learning(0.1, train_second_layer=False)},
            "train_second_layer is false, but the readout is the only",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_refused(change, message):
    sound = {
        "mixture": xor(0.1),
        "projection": gaussian_projection(0),
        "initial_weights": np.zeros(18),
        "learning": Learning(0.1),
        "times": [1.0],
    }
    with pytest.raises(ConfigError, match=message):
        train_readout(**(sound | change), rng=np.random.default_rng(0))


def test_the_curve_is_that_of_the_same_features():
    mixture = tl.random_mixture(input_dimension=40, clusters_per_class=1)
    schedule = tl.Schedule(learning_rate=0.2, first_time=1, last_time=20, measurements=3)
    theory = tl.readout_curve(mixture, schedule, features_per_dimension=0.5)
    runs = tl.feature_training(mixture, schedule, features_per_dimension=0.5, seeds=100)
    assert float(theory.optimum_pmse) == pytest.approx(float(runs.optimum_pmse), rel=1e-12)
    error = runs.pmse.std("seed", ddof=1) / 10
    assert np.all(abs(runs.pmse.mean("seed") - theory.pmse) < 5 * error + 0.02 * theory.pmse)

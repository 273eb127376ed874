from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import WITH_SLOPE

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_covariance, random_mixture, xor
from twolayer.model.networks.activations import LINEAR, RELU, TANH, Activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.online_sgd import online_sgd

seeds = st.integers(0, 2**32 - 1)


def draw(mixture, rng):
    """An input and its label, from the draws that a compiled step makes."""
    cluster = np.searchsorted(np.cumsum(mixture.weights), rng.random(), side="right")
    noise = mixture.noise_of(np.array([cluster]), rng.standard_normal((1, mixture.dimension)))[0]
    return mixture.means[cluster] + noise, mixture.labels[cluster]


def custom_covariances(rng, dimension, clusters=4, commuting=False):
    """Random means, and a covariance of each cluster's own."""
    roots = rng.standard_normal((clusters, dimension, dimension)) / np.sqrt(dimension)
    covariances = np.stack([np.diag(rng.uniform(0.2, 2, dimension)) if commuting else F.T @ F for F in roots])
    means, labels = rng.standard_normal((clusters, dimension)) / np.sqrt(dimension), np.resize([-1.0, 1], clusters)
    return from_covariance(means, covariances, labels, np.full(clusters, 1 / clusters))[0]


def output(W, v, x, activation):
    return v @ activation(W @ x / np.sqrt(x.size))


def plain_step(W, v, x, label, activation, learning_rate, weight_decay):
    """A step of gradient descent, by central differences of the loss."""

    def loss(parameters):
        first, second = parameters[: W.size].reshape(W.shape), parameters[W.size :]
        return 0.5 * (label - output(first, second, x, activation)) ** 2

    parameters, h = np.concatenate([W.ravel(), v]), 1e-6
    gradient = np.array([(loss(parameters + e) - loss(parameters - e)) / (2 * h) for e in h * np.eye(parameters.size)])
    decay = 1 - learning_rate * weight_decay / x.size
    first = decay * W - learning_rate * gradient[: W.size].reshape(W.shape)
    return first, decay * v - learning_rate / x.size * gradient[W.size :]


def start(seed, hidden, dimension):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden)


def trained(mixture, W, v, activation, learning, times, seed):
    return online_sgd(
        mixture, Network(W, v, activation), Learning(*learning), times=times, rng=np.random.default_rng(seed)
    )


@pytest.mark.parametrize("name", WITH_SLOPE)
@given(seed=seeds, hidden=st.integers(1, 4), own=st.booleans())
@settings(max_examples=20, deadline=None, derandomize=True)  # differences fail at the kink of relu
def test_steps_descend_the_gradient_of_the_loss(name, seed, hidden, own):
    rng = np.random.default_rng(seed)
    mixture = custom_covariances(rng, 6) if own else random_mixture(rng, 6, 2, positive_fraction=0.3)[0]
    W, v = (0.4 * layer for layer in start(seed, hidden, 6))
    run = trained(mixture, W, v, WITH_SLOPE[name], (0.1, 0.2), np.array([3 / 6]), seed)
    replay = np.random.default_rng(seed)
    for _ in range(3):
        x, label = draw(mixture, replay)
        W, v = plain_step(W, v, x, label, WITH_SLOPE[name], 0.1, 0.2)
    assert_close = partial(np.testing.assert_allclose, rtol=2e-7, atol=2e-8)  # differences are no better
    assert_close(run.end.W, W)
    assert_close(run.v[-1], v)


def test_biases_descend_the_gradient_of_the_loss():
    """f(x) = sum_k v_k g((w_k.x + b_k) / sqrt N), where the b_k learn at the rate of the first layer and decay."""
    mixture, N, seed = xor(0.3).with_constant_input().embed(8), 8, 5
    W, v = start(seed, 3, N)
    run = trained(mixture, W, v, TANH, (0.1, 0.2), np.array([1 / N]), seed)
    x, label = draw(mixture, np.random.default_rng(seed))
    x, w, b, h = np.delete(x, 2), np.delete(W, 2, axis=1), W[:, 2], 1e-6

    def loss(biases):
        return 0.5 * (label - v @ np.tanh((w @ x + biases) / np.sqrt(N))) ** 2

    gradient = np.array([(loss(b + e) - loss(b - e)) / (2 * h) for e in h * np.eye(3)])
    np.testing.assert_allclose(run.end.W[:, 2], (1 - 0.1 * 0.2 / N) * b - 0.1 * gradient, rtol=1e-7)


def test_order_parameters_are_the_moments_of_the_local_fields():
    mixture, _ = random_mixture(np.random.default_rng(1), 12, 2)
    run = trained(mixture, *start(0, 3, 12), RELU, (0.1, 0.0), np.array([0.0, 2.0]), 2)
    noise = np.random.default_rng(3).standard_normal((200_000, 12)) * np.sqrt(mixture.eigenvalues)
    for cluster, mean in enumerate(mixture.means):
        fields = (mean + noise) @ run.end.W.T / np.sqrt(12)
        error = np.sqrt(np.diag(run.Q[-1]) / len(noise))
        assert np.all(np.abs(fields.mean(axis=0) - run.M[-1, cluster]) < 4.5 * error)
    np.testing.assert_allclose(np.cov(fields.T), run.Q[-1], rtol=0, atol=0.02 * np.max(run.Q[-1]))


@pytest.mark.parametrize("commuting", [True, False])
def test_every_cluster_has_the_covariance_that_it_was_given(commuting):
    mixture = custom_covariances(np.random.default_rng(1), 12, commuting=commuting)
    assert (mixture.bases is None) == commuting
    run = trained(mixture, *start(0, 3, 12), RELU, (0.1, 0.0), np.array([2.0]), 2)
    for cluster, Q in enumerate(run.Q[-1]):
        members, normals = np.full(200_000, cluster), np.random.default_rng(3).standard_normal((200_000, 12))
        fields = mixture.noise_of(members, normals) @ run.end.W.T / np.sqrt(12)
        np.testing.assert_allclose(np.cov(fields.T), Q, rtol=0, atol=0.02 * np.max(Q))


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_permuted_hidden_units_learn_the_same(seed):
    mixture, (W, v) = xor(0.3).embed(20), start(seed, 4, 20)
    order = np.random.default_rng(seed).permutation(4)
    run, permuted = (
        trained(mixture, W[p], v[p], RELU, (0.2, 0.01), np.array([5.0]), seed) for p in (np.arange(4), order)
    )
    np.testing.assert_allclose(permuted.end.W, run.end.W[order], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(permuted.M, run.M[:, :, order], rtol=1e-9, atol=1e-9)


def test_frozen_second_layer_keeps_its_weights():
    W, v = start(0, 3, 30)
    times = np.array([0.0, 1.0, 4.0])
    run = trained(xor(0.1).embed(30), W, v, RELU, (0.1, 0.5, False), times, 0)
    np.testing.assert_array_equal(run.v, np.tile(v, (3, 1)))
    assert np.all(run.end.W != W)


def test_weight_decay_alone_shrinks_geometrically():
    W, _ = start(0, 2, 10)
    run = trained(xor(0.1).embed(10), W, np.zeros(2), LINEAR, (0.5, 0.4, False), np.array([3.0]), 0)
    np.testing.assert_allclose(run.end.W, W * (1 - 0.5 * 0.4 / 10) ** 30, rtol=1e-13)


def test_clusters_are_drawn_with_their_weights():
    # Almost without noise and at a vanishing learning rate, the weights count how often each mean e_a was seen.
    weights, learning_rate, steps = np.array([0.1, 0.25, 0.65]), 1e-9, 30_000
    mixture = SpectralMixture(np.eye(3), np.array([-1.0, 1.0, 1.0]), weights, np.full(3, 1e-20))
    run = trained(mixture, np.zeros((1, 3)), np.ones(1), LINEAR, (learning_rate, 0.0, False), [steps / 3], 4)
    counts = run.end.W[0] * np.sqrt(3) / learning_rate * mixture.labels
    np.testing.assert_allclose(counts.sum(), steps, rtol=1e-3)
    assert np.all(np.abs(counts - steps * weights) < 4 * np.sqrt(steps * weights * (1 - weights)))


def test_mean_of_many_linear_runs_follows_its_exact_recursion():
    mixture, _ = random_mixture(np.random.default_rng(5), 20, 2, positive_fraction=0.7)
    W0, learning_rate, weight_decay, steps, runs = start(6, 1, 20)[0], 0.4, 0.1, 60, 400
    finals = np.array(
        [
            trained(mixture, W0, np.ones(1), LINEAR, (learning_rate, weight_decay, False), [steps / 20], s).end.W[0]
            for s in range(runs)
        ]
    )
    second_moment = np.diag(mixture.eigenvalues) + (mixture.means.T * mixture.weights) @ mixture.means
    label_moment = (mixture.weights * mixture.labels) @ mixture.means
    w = W0[0]
    for _ in range(steps):
        gain = learning_rate / np.sqrt(20) * (label_moment - second_moment @ w / np.sqrt(20))
        w = (1 - learning_rate * weight_decay / 20) * w + gain
    z = (finals.mean(axis=0) - w) / (finals.std(axis=0, ddof=1) / np.sqrt(runs))
    assert np.max(np.abs(z)) < 4
    assert 0.3 < np.mean(z**2) < 2.2


def test_divergence_names_its_step():
    mixture, (W, v), activation = xor(1.0).embed(20), start(0, 3, 20), LINEAR
    replay, first, second, step = np.random.default_rng(8), W, v, 0
    while True:
        step += 1
        x, label = draw(mixture, replay)
        fields = first @ x / np.sqrt(20)
        error = label - second @ fields
        if abs(error) > 1e6:
            break
        first, second = first + 30 / np.sqrt(20) * error * np.outer(second, x), second + 30 / 20 * error * fields
    with pytest.raises(NotConverged, match=rf"diverged at step {step} .*lower the learning rate"):
        trained(mixture, W, v, activation, (30.0,), np.array([0.0, 1.0, 1e4]), 8)


@pytest.mark.parametrize("name", WITH_SLOPE)
def test_a_network_that_starts_with_nan_diverges_at_once(name):
    W, v = start(0, 2, 10)
    W[1, 3] = np.nan
    with pytest.raises(NotConverged, match="diverged at step 1 "):
        trained(xor(1.0).embed(10), W, v, WITH_SLOPE[name], (0.1,), np.array([1.0]), 0)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_same_seed_same_run_however_often_it_is_measured(seed):
    mixture, (W, v) = circle(3, 0.2).embed(15), start(seed, 2, 15)
    dense, sparse = (
        trained(mixture, W, v, RELU, (0.1, 0.01), times, seed)
        for times in (np.array([0.0, 0.2, 0.2, 1.0, 2.0, 6.0]), np.array([2.0, 6.0]))
    )
    np.testing.assert_array_equal(dense.end.W, sparse.end.W)
    np.testing.assert_array_equal(dense.Q[-2:], sparse.Q)


def test_initial_arrays_are_left_alone_and_measured_at_time_zero():
    mixture, (W, v) = xor(0.1).embed(10), start(0, 2, 10)
    first, second = W.copy(), v.copy()
    run = trained(mixture, W, v, RELU, (0.1,), np.array([0.0, 1.0]), 0)
    np.testing.assert_array_equal(W, first)
    np.testing.assert_array_equal(v, second)
    np.testing.assert_allclose(run.Q[0], 0.1 * first @ first.T / 10, rtol=1e-14)
    np.testing.assert_array_equal(run.v[0], second)


@pytest.mark.parametrize(
    ("shape", "times"),
    [((3, 10), [0.0, 1.0]), ((2, 9), [1.0]), ((2, 10), [1.0, 0.5]), ((2, 10), [-1.0]), ((2, 10), [])],
)
def test_arguments_that_do_not_fit_are_refused(shape, times):
    with pytest.raises(ConfigError):
        trained(xor(0.1).embed(10), np.ones(shape), np.ones(2), RELU, (0.1,), times, 0)


def test_an_activation_by_its_name_or_function():
    """A name gives the activation of that name, and a function itself: neither is ever taken for linear."""
    arguments = xor(0.3).embed(20), *start(0, 3, 20)
    known, named = (trained(*arguments, g, (0.3,), np.array([3.0]), 1) for g in (RELU, "relu"))
    np.testing.assert_array_equal(named.end.W, known.end.W)
    known, own = (trained(*arguments, g, (0.3,), np.array([3.0]), 1) for g in ("tanh", np.tanh))
    np.testing.assert_allclose(own.end.W, known.end.W, rtol=0, atol=1e-7)
    linear = trained(*arguments, LINEAR, (0.3,), np.array([3.0]), 1)
    assert np.abs(own.end.W - linear.end.W).max() > 0.1


def test_steps_that_no_gradient_tells():
    with pytest.raises(ConfigError, match="activation is 'sign', whose slope is zero: use one with a slope for online"):
        trained(xor(0.1).embed(10), *start(0, 2, 10), "sign", (0.1,), [1.0], 0)


def test_fields_beyond_a_table_end_in_a_sentence():
    sine, (W, v) = Activation.of(np.sin, name="sine"), start(0, 2, 10)
    with pytest.raises(NotConverged, match=r"diverged at step 1 .* beyond 64, the end of the table of 'sine': lower"):
        trained(xor(1.0).embed(10), 1000 * W, v, sine, (0.1,), [1.0], 0)

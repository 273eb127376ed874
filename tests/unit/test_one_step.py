"""Networks after one gradient step: the distributions of the data, the two forms of the ridge, and what is refused."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import hermite_e

from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments.one_step.one_step_simulation import run
from twolayer.experiments.one_step.parameters import Axes, OneStepSweep, SpikedData
from twolayer.model.mixtures.spiked_mixtures import (
    LabelledMixture,
    Samples,
    component_sizes,
    draw_inputs,
    draw_mixture,
    random_teacher,
)
from twolayer.model.networks.activations import RELU, SIGMOID, SOFTPLUS, TANH, Activation
from twolayer.model.networks.hermite_expansion import converged_expansion, hermite_expansion
from twolayer.model.random.streams import PublishedStream, SingleStream, Stream
from twolayer.parameters import parse
from twolayer.simulation.one_step.gradient_step import StartingNetwork, draw_network, gradient_steps, ridge_readout

SMALL = OneStepSweep(SpikedData(60, 60), Axes(width=(0.5, 2.0)), seeds=3, seed=0)


def stream(seed=0):
    return Stream(np.random.default_rng(seed))


def covariance(mixture, component):
    gamma, theta = mixture.frames[component], mixture.spikes[component]
    return np.eye(mixture.dimension) + (gamma * theta) @ gamma.T


@pytest.mark.parametrize("alignment", [0.0, 0.4, -1.0])
def test_norm_is_that_of_the_dense_covariance(alignment):
    mixture = draw_mixture(stream(), 30, 5.0, (2, 3, 1), (alignment, 0.0), (0.2, 0.5, 0.3), random_spikes=True)
    dense = sum(ratio * covariance(mixture, c) for c, ratio in enumerate(mixture.ratios))
    assert mixture.norm == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12)
    assert [theta.sum() for theta in mixture.spikes] == pytest.approx([mixture.trace - 30] * 3)
    assert random_teacher(stream(), mixture) @ random_teacher(stream(), mixture) == pytest.approx(1 / mixture.norm)


def test_components_have_their_covariance():
    """The standard error of an entry is below sqrt(10 / M) = 0.011; a value six times that comes never by chance."""
    mixture = draw_mixture(stream(), 6, 8.0, (1, 2), (0.0,), (0.3, 0.7))
    inputs = draw_inputs(stream(1), mixture, 250_000)
    parts = np.split(inputs, np.cumsum(component_sizes(mixture, len(inputs)))[:-1])
    for component, part in enumerate(parts):
        assert np.abs(part.T @ part / len(part) - covariance(mixture, component)).max() < 6 * 0.018


@given(st.integers(1, 12), st.integers(1, 12), st.floats(1e-3, 10), st.integers(0, 10**6))
def test_ridge_in_either_form(samples, width, ridge, seed):
    rng = np.random.default_rng(seed)
    features, labels = rng.standard_normal((samples, width)), rng.standard_normal(samples)
    v = ridge_readout(features, labels, ridge)
    np.testing.assert_allclose(features.T @ (labels - features @ v), ridge * v, atol=1e-9)


def test_gradient_against_finite_differences():
    rng, step, shift = np.random.default_rng(0), 1e-2, 1e-6
    data = Samples(rng.standard_normal((7, 4)), rng.standard_normal(7))
    network = StartingNetwork(rng.standard_normal((3, 4)), rng.standard_normal(3))

    def loss(F):
        return np.mean((data.labels - np.tanh(data.inputs @ F.T) @ network.w / math.sqrt(3)) ** 2) / 2

    (moved,) = gradient_steps(network, data, [TANH], step=step)
    for place in np.ndindex(3, 4):
        change = np.zeros((3, 4))
        change[place] = shift
        slope = (loss(network.F + change) - loss(network.F - change)) / (2 * shift)
        assert (moved - network.F)[place] == pytest.approx(-step * slope, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("degree", [0, 1, 2, 5, 9])
def test_polynomial_by_its_recurrence(degree):
    expansion = hermite_expansion(TANH.value, 0.7, degree)
    z, weights = np.random.default_rng(0).standard_normal((5, 2100)), np.random.default_rng(1).standard_normal(2100)
    plain = hermite_e.hermeval(z / 0.7, expansion.coefficients)
    np.testing.assert_allclose(expansion(z), plain, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(expansion.readout(z, weights), plain @ weights, rtol=1e-9, atol=1e-9)


def test_the_rest_vanishes_with_the_degree():
    rests = [converged_expansion(SOFTPLUS.value, 1.0, degree)[0].rest for degree in (0, 1, 2, 4, 6)]
    assert all(later < earlier / 2 for earlier, later in itertools.pairwise(rests))


def test_the_rest_is_what_higher_degrees_hold():
    """Also where it is a millionth of the whole."""
    high, _ = converged_expansion(SIGMOID.value, 1.0, 41, tolerance=1e-9)
    terms = np.array([math.factorial(i) * h**2 for i, h in enumerate(high.coefficients)])
    for degree in (1, 9, 19, 25):
        rest = converged_expansion(SIGMOID.value, 1.0, degree)[0].rest
        assert rest == pytest.approx(math.sqrt(terms[degree + 1 :].sum()), rel=1e-3)


def test_a_kink_takes_more_nodes():
    """Unless it is at zero, where the nodes end and begin."""

    def shifted(z):
        return RELU.value(z - 0.3)

    few, many = (converged_expansion(function, 1.0, 3, tolerance=1e-8)[1] for function in (RELU.value, shifted))
    assert few < 1000 < many
    with pytest.raises(NotConverged, match="raise the tolerance"):
        converged_expansion(shifted, 1.0, 3, tolerance=1e-13)


@pytest.mark.slow
def test_both_streams_have_the_same_law():
    """Two-sample z test of six mean errors over 40 trials; beyond 5 once in 10^5."""
    sweeps = [replace(SMALL, seeds=40), replace(SMALL, seeds=40, draws="shared", stream="published")]
    fresh, published = run(sweeps[0]), run(replace(sweeps[0], stream="published", axes=Axes(alpha=(0.5,)), width=2.0))
    ours, theirs = fresh.network.sel(width=2.0), published.network.sel(alpha=0.5)
    error = np.hypot(ours.std("seed", ddof=1), theirs.std("seed", ddof=1)) / np.sqrt(40)
    assert float(abs((ours.mean("seed") - theirs.mean("seed")) / error).max()) < 5
    assert not np.allclose(run(sweeps[1]).network, fresh.network)


def test_reduced_noise_has_the_law_of_the_full():
    readout = np.array([3.0, -4.0])
    for source in (stream(), SingleStream(np.random.default_rng(0)), PublishedStream(0)):
        assert source.readout_noise(readout, 20_000).std() == pytest.approx(5, rel=0.03)


def test_the_same_seed_gives_the_same_numbers():
    assert run(SMALL).identical(run(SMALL))
    assert not run(SMALL).identical(run(replace(SMALL, seed=1)))


def test_single_precision():
    single, double = run(SMALL), run(replace(SMALL, precision="double"))
    for name in ("network", "hermite", "network_training", "hermite_training"):
        assert 0 < float(abs(single[name] / double[name] - 1).max()) < 5e-6


@pytest.mark.parametrize("width", [30, 90])
def test_a_fit_in_single_precision_is_refined(width):
    """Features with a mean, whose normal equations are ill-conditioned; without refinement off by 1e-3."""
    features, labels = 1 + stream().normal(60, width).astype(np.float32), stream(1).normal(60)
    exact = ridge_readout(features.astype(float), labels, 1e-2)
    np.testing.assert_allclose(ridge_readout(features, labels, 1e-2), exact, rtol=0, atol=1e-6 * np.abs(exact).max())


def test_three_components_and_a_converged_degree():
    data = SpikedData(
        60, 60, ranks=(1, 2, 3), alignments=(0.3, -0.2), ratios=(0.5, 0.25, 0.25), labels="classification"
    )
    sweep = OneStepSweep(data, Axes(degree=(1, 2, 4)), seeds=3, seed=0, activations=("softplus",), nodes=None)
    result = run(sweep)
    assert result.network.sizes == {"degree": 3, "activation": 1, "seed": 3}
    assert (result.network > 0).all()


def test_bad_activations():
    broken = Activation("broken", np.log, np.reciprocal)
    with np.errstate(invalid="ignore"), pytest.raises(ConfigError, match=r"^the activation returns nan at -18\.96"):
        hermite_expansion(broken.value, 1.0, 2)
    data = Samples(np.ones((2, 3)), np.ones(2))
    with np.errstate(invalid="ignore"), pytest.raises(ConfigError, match="activation 'broken' returns NaN or infinity"):
        next(gradient_steps(StartingNetwork(-np.ones((1, 3)), np.ones(1)), data, [broken], step=1.0))


def test_a_singular_problem():
    with pytest.raises(ConfigError, match="ridge is 0, too small for a singular problem"):
        ridge_readout(np.ones((3, 2)), np.ones(3), 0.0)


DATA = {"input_dimension": 20, "samples": 20}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ridge": -1e-4}, "ridge is -0.0001: it must be at least 0"),
        ({"data": DATA | {"alignments": [2]}}, r"alignments\[0\] is 2.0: it must be at least -1 and at most 1"),
        ({"data": DATA | {"ranks": [21, 21]}}, "ranks has 21: use at most the input dimension, 20"),
        ({"data": DATA | {"ratios": [1.5, -0.5]}}, r"ratios\[0\] is 1.5: it must be at least 0 and at most 1"),
        ({"data": DATA | {"ranks": [1]}}, "1 ranks, 2 ratios and 0 alignments"),
        ({"data": DATA | {"alignments": [1.5]}}, r"alignments\[0\] is 1.5: it must be at least -1 and at most 1"),
        ({"data": DATA | {"ratios": [1.2, -0.2]}}, r"ratios\[0\] is 1.2: it must be at least 0 and at most 1"),
        ({"axes": {}}, "no axis is given: give at least one of alpha, beta"),
        ({"axes": {"rank": [30]}}, "axes.rank has 30: use at most 20"),
        ({"stream": "published"}, "the published stream has no fresh draws along the width"),
        ({"stream": "published", "draws": "shared", "seed": 2**32}, "seed reaches 4294967296: the published stream"),
        ({"activations": ["log"]}, "'log': choose one of erf, relu"),
    ],
)
def test_bad_sweeps(changes, message):
    with pytest.raises(ConfigError, match=message):
        parse(OneStepSweep, {"data": DATA, "axes": {"width": [1.0]}, "seeds": 2, "seed": 0} | changes, "here")


def gradient(n, seed=0):
    """The gradient (n, n) of a network of n relu units at n inputs without spikes, and its first layer."""
    numbers = stream(seed)
    distribution = LabelledMixture(mixture := draw_mixture(numbers, n, 1.0), random_teacher(numbers, mixture))
    network = draw_network(numbers, n, n, mixture.trace)
    (moved,) = gradient_steps(network, distribution.sample(numbers, n), [RELU], step=1.0)
    return moved - network.F, network


def test_the_gradient_is_rank_one():
    """Lemma 1: what a single direction leaves of it falls as 1 / n, and that direction as 1 / sqrt n."""
    sizes = (100, 400)
    values = np.array([[np.linalg.svd(gradient(n, seed)[0], compute_uv=False)[:2] for seed in range(4)] for n in sizes])
    slopes = np.log(values.mean(axis=1)[1] / values.mean(axis=1)[0]) / np.log(sizes[1] / sizes[0])
    assert slopes == pytest.approx([-0.5, -1.0], abs=0.15)


def test_the_direction_of_the_gradient_is_the_second_layer():
    G, network = gradient(400)
    left = np.linalg.svd(G)[0][:, 0]
    assert abs(left @ network.w) / np.linalg.norm(network.w) > 0.95


def test_fields_outside_of_the_spikes_are_alike():
    """Lemma 2, as read here: given the spikes, all fields have variance b^2, and correlations of order 1 / sqrt n."""
    for n in (200, 800):
        mixture = draw_mixture(stream(), n, n**0.5)
        F = draw_network(stream(1), n, n, mixture.trace).F
        bulk, scale = F @ F.T, math.sqrt(n / mixture.trace)
        assert np.diag(bulk) == pytest.approx(np.full(n, scale**2), rel=6 * math.sqrt(2 / n))
        assert np.diag(bulk).mean() == pytest.approx(scale**2, rel=5 * math.sqrt(2) / n)
        assert np.std(bulk[np.triu_indices(n, 1)]) / scale**2 == pytest.approx(1 / math.sqrt(n), rel=0.1)


def test_drawn_frames_are_orthonormal():
    for source in (stream(), SingleStream(np.random.default_rng(0))):
        for frame in draw_mixture(source, 40, 3.0, (3, 3), (0.0,)).frames:
            np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-12)


def test_a_stream_has_one_precision():
    """The inputs are drawn in it, without a copy in another; children are of the same kind, and independent."""
    mixture = draw_mixture(stream(), 300, 4.0)
    single = SingleStream(np.random.default_rng(0))
    for source in (single, single.child(1), stream()):
        assert draw_inputs(source, mixture, 3).dtype == source.dtype
    first, second = (single.child(key).normal(20_000) for key in (1, 2))
    assert abs(np.mean(first * second)) < 5 / math.sqrt(20_000)
    np.testing.assert_array_equal(first, single.child(1).normal(20_000))


def test_feature_noise_is_standard_normal():
    """Of 10^5 numbers the standard deviation is known to 0.2 percent."""
    for source in (stream(), SingleStream(np.random.default_rng(0)), PublishedStream(0)):
        assert source.feature_noise(500, 200).std() == pytest.approx(1, abs=0.012)


@pytest.mark.slow
def test_misclassified_inputs():
    """relu units classify better than chance, in the order of their squared errors. tanh units do not."""
    data = SpikedData(150, 150, alpha=0, beta=0.9, labels="classification")
    result = run(OneStepSweep(data, Axes(width=(0.5, 2.0)), seeds=20, seed=0, activations=("relu", "tanh")))
    relu, tanh = (result.sel(activation=name) for name in ("relu", "tanh"))
    assert (relu.network_misclassified.mean("seed") < 0.4).all()
    assert np.corrcoef(relu.network.values.ravel(), relu.network_misclassified.values.ravel())[0, 1] > 0.6
    error = tanh.network_misclassified.std("seed", ddof=1) / math.sqrt(20)
    assert (abs(tanh.network_misclassified.mean("seed") - 0.5) < 5 * error).all()
    regression = run(OneStepSweep(SpikedData(20, 20), Axes(width=(1.0,)), seeds=2, seed=0))
    assert "network_misclassified" not in regression

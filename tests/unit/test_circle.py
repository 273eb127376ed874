"""The O(M) algorithm on the circle against dense linear algebra, its symmetries, and what it refuses."""

from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments.circle.parameters import CircleDescent, Descent
from twolayer.model.networks.feature_maps import CIRCLE
from twolayer.model.networks.power_entropies import entropy, entropy_slope
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.simulation.mean_field import variable_projection as dense
from twolayer.simulation.mean_field.circle_features import CircleData, descend, network_output
from twolayer.simulation.mean_field.reduced_risk import Risk

STEP = 2.0**-10


def problem(samples=512, width=64, gamma=100.0, seed=0):
    """Data of a teacher with 300 features, and a student."""
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((samples, 2))
    targets = network_output(inputs, CircleTeacher(gamma).sample(rng.random(300)))
    return inputs, targets, rng.uniform(-np.pi, np.pi, width)


def directions(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def dense_states(inputs, targets, angles, ridge, offset, two_timescale, iterations, power=2.0):
    tensors = (torch.tensor(inputs), torch.tensor(targets)[:, None], torch.tensor(directions(angles)))
    states = dense.descend(CIRCLE, Risk(ridge, offset, power), *tensors, STEP, two_timescale)
    return list(islice(states, iterations + 1))


@pytest.mark.slow
@pytest.mark.parametrize("two_timescale", [False, True])
@pytest.mark.parametrize(("ridge", "offset"), [(1e-1, 0.0), (1e-3, 1.0)])
def test_a_thousand_iterations_agree_with_the_dense_ones(ridge, offset, two_timescale):
    inputs, targets, angles = problem()
    iterations = [0, 1, 10, 100, 1000]
    run = descend(CircleData.of(inputs, targets), angles, ridge, offset, STEP, iterations, two_timescale)
    states = dense_states(inputs, targets, angles, ridge, offset, two_timescale, 1000)
    for record, iteration in enumerate(iterations):
        state = states[iteration]
        assert run.risk[record] == pytest.approx(state.risk, rel=1e-10)
        np.testing.assert_allclose(directions(run.angles[record]), state.weights.numpy(), rtol=0, atol=1e-10)
        np.testing.assert_allclose(run.outer[record], state.outer[:, 0].numpy(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("power", [1.0, 1.5])
@pytest.mark.parametrize("ridge", [1e-1, 1e-3])
def test_outer_weights_minimise_a_risk_with_entropy(ridge, power):
    """Where a convex risk is stationary it is least; and it falls by the work of the features."""
    inputs, targets, angles = problem()
    run = descend(CircleData.of(inputs, targets), angles, ridge, 1.0, STEP, [0, 1, 100], power=power)
    for angle, u, risk in zip(run.angles, run.outer, run.risk, strict=True):
        phi = np.maximum(inputs @ directions(angle).T, 0)
        misfit = targets - phi @ u / len(u)
        assert risk == pytest.approx(
            (misfit @ misfit) / (2 * ridge * len(targets)) + entropy(u, power).mean(), rel=1e-9
        )
        pull, kept = phi.T @ misfit / len(targets) / ridge, u > 0
        np.testing.assert_allclose(pull[kept], entropy_slope(u[kept], power), rtol=0, atol=1e-6)
        assert (pull[~kept] <= entropy_slope(1e-300, power) + 1e-6).all()
    assert run.risk[-1] < run.risk[0]


@pytest.mark.parametrize("two_timescale", [False, True])
@pytest.mark.parametrize("power", [1.0, 1.5])
def test_descents_under_an_entropy_agree_with_the_dense_ones(power, two_timescale):
    inputs, targets, angles = problem()
    run = descend(CircleData.of(inputs, targets), angles, 1e-2, 1.0, STEP, [0, 1, 100], two_timescale, power)
    states = dense_states(inputs, targets, angles, 1e-2, 1.0, two_timescale, 100, power)
    for record, iteration in enumerate(run.iterations):
        assert run.risk[record] == pytest.approx(states[iteration].risk, rel=1e-9)
        np.testing.assert_allclose(run.outer[record], states[iteration].outer[:, 0].numpy(), rtol=0, atol=1e-7)
        weights = states[iteration].weights.numpy()
        np.testing.assert_allclose(directions(run.angles[record]), weights, rtol=0, atol=1e-8)


@pytest.mark.parametrize("power", [1.0, 1.5])
def test_fast_outer_weights_are_projected_ones(power):
    """At 100 times the rate of the features, two-timescale descent stays near variable projection."""
    inputs, targets, angles = problem()
    plan = CircleData.of(inputs, targets), angles, 0.1, 1.0, STEP, [0, 200]
    fast, projected = (descend(*plan, two_timescale, power) for two_timescale in (True, False))
    assert fast.risk[1] == pytest.approx(projected.risk[1], rel=0.02)
    assert projected.risk[1] < 0.9 * projected.risk[0]


def test_powers_go_with_unbiased_risks():
    data = CircleData.of(*problem()[:2])
    with pytest.raises(ConfigError, match="power is 1: other powers than 2"):
        descend(data, np.zeros(1), 0.1, 0.0, STEP, [0], power=1.0)


@pytest.mark.parametrize(
    ("angles", "inputs"),
    [
        ([0.0], []),
        ([np.pi / 2, -np.pi / 2, 0.0, np.pi, -np.pi], []),
        ([1.0, 1.0, 1.0 - np.pi], []),
        ([0.3, 2.0, -1.1], [[1, 0], [-2, 0], [0, 1], [0, -0.5]]),
    ],
)
def test_places_on_the_axes_and_on_top_of_each_other(angles, inputs):
    generic, targets, _ = problem(samples=40)
    inputs, angles = np.concatenate([generic, np.reshape(inputs, (-1, 2))]), np.array(angles)
    targets = np.append(targets, np.ones(len(inputs) - 40))
    run = descend(CircleData.of(inputs, targets), angles, 0.01, 1.0, STEP, [0, 20])
    states = dense_states(inputs, targets, angles, 0.01, 1.0, False, 20)
    np.testing.assert_allclose(run.risk, [states[0].risk, states[20].risk], rtol=1e-10)
    np.testing.assert_allclose(directions(run.angles[1]), states[20].weights.numpy(), rtol=0, atol=1e-9)


@pytest.mark.slow
@given(turn=st.floats(-3, 3), seed=st.integers(0, 1000))
def test_turning_everything_turns_the_features(turn, seed):
    inputs, targets, angles = problem(samples=50, width=7, seed=seed)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    plain = descend(CircleData.of(inputs, targets), angles, 0.01, 1.0, STEP, [0, 30])
    turned = descend(CircleData.of(inputs @ matrix, targets), angles + turn, 0.01, 1.0, STEP, [0, 30])
    np.testing.assert_allclose(turned.risk, plain.risk, rtol=1e-9)
    np.testing.assert_allclose(directions(turned.angles), directions(plain.angles + turn), rtol=0, atol=1e-8)


@given(seed=st.integers(0, 1000))
def test_features_keep_their_names(seed):
    inputs, targets, angles = problem(samples=50, width=9, seed=seed)
    order = np.random.default_rng(seed).permutation(9)
    plain = descend(CircleData.of(inputs, targets), angles, 0.01, 0.0, STEP, [0, 200])
    shuffled = descend(CircleData.of(inputs, targets), angles[order], 0.01, 0.0, STEP, [0, 200])
    np.testing.assert_allclose(directions(shuffled.angles), directions(plain.angles[:, order]), rtol=0, atol=1e-8)
    np.testing.assert_allclose(shuffled.outer, plain.outer[:, order], rtol=0, atol=1e-7)


def test_a_student_like_its_teacher_has_no_unbiased_risk_and_stays():
    inputs, _, angles = problem()
    run = descend(CircleData.of(inputs, network_output(inputs, angles)), angles, 1e-3, 1.0, STEP, [0, 50])
    assert abs(run.risk).max() < 1e-12
    np.testing.assert_allclose(run.outer, 1, atol=1e-9)
    np.testing.assert_allclose(directions(run.angles[1]), directions(angles), atol=1e-10)


def test_outputs_are_averages_over_features():
    inputs, _, angles = problem(samples=11, width=5)
    plain = np.maximum(inputs @ directions(angles).T, 0).mean(axis=1)
    np.testing.assert_allclose(network_output(inputs, angles), plain, rtol=1e-14)


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_a_ridge_must_be_positive(ridge):
    inputs, targets, angles = problem(samples=10, width=3)
    with pytest.raises(ConfigError, match=r"ridge is .*positive"):
        descend(CircleData.of(inputs, targets), angles, ridge, 1.0, STEP, [0])


def test_the_published_stream_has_few_seeds():
    values = {"gamma": 1.0, "ridge": 0.1, "widths": (4,), "seeds": 2, "descent": Descent(iterations=1, step=0.1)}
    assert CircleDescent(seed=2**32, **values).seed == 2**32
    with pytest.raises(ConfigError, match="seed reaches 4294967296: the published stream has seeds below 4294967296"):
        CircleDescent(seed=2**32 - 1, stream="published", **values)


def test_a_network_must_have_features_and_data_must_fit():
    inputs, targets, _ = problem(samples=10, width=3)
    with pytest.raises(ConfigError, match="width is 0"):
        descend(CircleData.of(inputs, targets), np.array([]), 0.1, 1.0, STEP, [0])
    with pytest.raises(ConfigError, match="do not fit"):
        CircleData.of(inputs, targets[:-1])


def test_two_timescale_descent_at_a_small_ridge_is_named_unstable():
    inputs, targets, angles = problem(samples=1024, width=128)
    with pytest.raises(
        NotConverged, match=r"two-timescale descent is unstable at ridge 0.0001 .*0\.1024 times as fast"
    ):
        descend(CircleData.of(inputs, targets), angles, 1e-4, 1.0, STEP, [0, 100], two_timescale=True)


def test_a_step_too_large_is_named_unstable():
    inputs, targets, angles = problem(samples=100, width=10)
    with pytest.raises(NotConverged, match=r"descent along the reduced risk is unstable at ridge 0\.0001 and step 10"):
        descend(CircleData.of(inputs, targets), angles, 1e-4, 1.0, 10.0, [0, 1000])

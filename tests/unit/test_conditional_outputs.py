"""Outputs for a given structure of the input: correlations against samples, and shapes that are known exactly."""

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.mixtures.spiked_mixtures import draw_inputs, draw_mixture
from twolayer.model.networks.activations import as_activation
from twolayer.model.random.streams import Stream
from twolayer.simulation.one_step.conditional_outputs import (
    FittedNetwork,
    bulk_and_all_correlations,
    conditional_moments,
)

N = 12


@pytest.fixture
def stream():
    return Stream(np.random.default_rng(0))


@pytest.fixture
def mixture(stream):
    return draw_mixture(stream, N, 9.0, ratios=(0.3, 0.7))


@pytest.fixture
def axes(mixture):
    return np.linalg.qr(np.hstack(mixture.frames))[0]


def test_correlations_against_samples(stream, mixture, axes):
    """Of 20 pairs over 100,000 inputs, whose correlations have an error of 0.003."""
    F = stream.normal(5, N)
    variance, bulk, whole = bulk_and_all_correlations(mixture, F, axes)
    inputs = draw_inputs(stream, mixture, 100_000)
    pairs = np.triu_indices(5, 1)
    for fields, expected in ((inputs @ F.T, whole), ((inputs - inputs @ axes @ axes.T) @ F.T, bulk)):
        found = np.corrcoef(fields.T)[pairs]
        assert np.sqrt(np.mean(found**2)) == pytest.approx(expected, abs=0.006)
    assert variance == pytest.approx(fields.var(axis=0).mean(), rel=0.02)


@pytest.mark.parametrize(("activation", "skewness", "kurtosis"), [("linear", 0, 0), (np.square, 8**0.5, 12)])
def test_shape_of_one_unit_in_the_bulk(stream, mixture, axes, activation, skewness, kurtosis):
    """The square of a normal number has the chi-squared distribution, at each place of the structure."""
    direction = stream.normal(1, N)
    direction -= direction @ axes @ axes.T
    network = FittedNetwork(direction, np.ones(1), as_activation(activation))
    shapes = conditional_moments(stream, mixture, network, axes, 5, 100_000)
    np.testing.assert_allclose(shapes[0], skewness, atol=0.03 + 0.06 * skewness)
    np.testing.assert_allclose(shapes[1], kurtosis, atol=0.06 + 0.2 * kurtosis)


def test_a_unit_along_the_structure_is_constant_within_it(stream, mixture, axes):
    """Its square varies by the rest of the direction only, and so much less than over all inputs."""
    rest = stream.normal(1, N)
    direction = mixture.frames[0].T + 0.01 * (rest - rest @ axes @ axes.T)
    network = FittedNetwork(direction, np.ones(1), as_activation(np.square))
    outputs = network.outputs(draw_inputs(stream, mixture, 20_000))
    kurtosis = conditional_moments(stream, mixture, network, axes, 5, 20_000)[1]
    assert np.mean((outputs - outputs.mean()) ** 4) / outputs.var() ** 2 - 3 > 10
    assert abs(np.median(kurtosis)) < 0.2


def test_names_and_places():
    found = tl.conditional_outputs(sizes=[20, 30], activations=["tanh", "relu"], structures=2, samples=100, seeds=3)
    assert dict(found.sizes) == {"dimension": 2, "activation": 2, "seed": 3}
    again = tl.conditional_outputs(sizes=[20], activations=["tanh"], structures=2, samples=100, seeds=3)
    assert float(again.bulk_variance[0, 0, 0]) == float(found.bulk_variance[0, 0, 0])

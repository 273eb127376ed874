"""Projection and gradient of the regularised risk, by their definitions."""

from itertools import islice

import pytest
import torch

from twolayer.errors import ConfigError
from twolayer.model.networks.feature_maps import CIRCLE, TORUS, wrap
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.mean_field.variable_projection import descend

DOUBLE = {"dtype": torch.float64}


def problem(feature_map, samples=30, width=7, outputs=1):
    stream = torch.Generator().manual_seed(3)
    inputs = torch.randn(samples, 2, generator=stream, **DOUBLE)
    weights = feature_map.clip(torch.randn(width, 2, generator=stream, **DOUBLE))
    return inputs, torch.randn(samples, outputs, generator=stream, **DOUBLE), weights


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize("feature_map", [CIRCLE, TORUS], ids=["circle", "torus"])
def test_primal_and_dual_are_the_minimum(feature_map, offset, outputs):
    inputs, targets, weights = problem(feature_map, outputs=outputs)
    risk, features = Risk(1e-2, offset), feature_map.features(inputs, weights)
    outer = risk.project_primal(features, targets)
    torch.testing.assert_close(risk.project_dual(features, targets), outer, rtol=1e-10, atol=1e-12)
    outer.requires_grad_()
    (slope,) = torch.autograd.grad(risk(features, outer, targets), outer)
    assert slope.abs().max() < 1e-12


@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize(("samples", "width"), [(30, 7), (7, 30)])
def test_projection_by_factors_is_the_minimum(offset, samples, width):
    inputs, targets, weights = problem(TORUS, samples, width)
    risk, features = Risk(1e-2, offset), TORUS.features(inputs, weights)
    factors = risk.project_by_factors(features, targets)
    torch.testing.assert_close(factors, risk.project(features, targets), rtol=1e-10, atol=1e-12)
    tiny = Risk(1e-14, offset).project(features, targets)
    assert torch.isfinite(tiny).all()


@pytest.mark.parametrize("power", [1.0, 1.5])
@pytest.mark.parametrize("outputs", [1, 3])
def test_projections_under_an_entropy_are_the_minimum(power, outputs):
    """Where the weight is zero, which a power above 1 allows, the risk may only rise with it."""
    inputs, targets, weights = problem(TORUS, outputs=outputs)
    risk, features = Risk(1e-1, 1.0, power), TORUS.features(inputs, weights)
    outer = risk.project(features, targets).requires_grad_()
    (slope,) = torch.autograd.grad(risk(features, outer, targets), outer)
    assert (outer >= 0).all()
    assert slope[outer > 0].abs().max() < 1e-9
    assert (slope[outer == 0] >= -1e-9).all()
    with pytest.raises(ConfigError, match="power is 1: use 2, or"):
        Risk(0.1, 0.0, 1.0)


@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize("feature_map", [CIRCLE, TORUS], ids=["circle", "torus"])
def test_the_step_follows_the_slope_of_the_reduced_risk(feature_map, offset):
    """The envelope theorem: outer weights may be held fixed."""
    inputs, targets, weights = problem(feature_map)
    risk, step = Risk(0.1, offset), 1e-9

    def reduced(w):
        features = feature_map.features(inputs, w)
        return float(risk(features, risk.project(features, targets), targets))

    before, after = islice(descend(feature_map, risk, inputs, targets, weights, step), 2)
    moved = after.weights - before.weights
    for j in range(3):
        for axis in range(2):
            nudge = torch.zeros_like(weights)
            nudge[j, axis] = 1e-6
            slope = (reduced(feature_map.clip(weights + nudge)) - reduced(feature_map.clip(weights - nudge))) / 2e-6
            tangent = feature_map.clip(weights + nudge) - feature_map.clip(weights - nudge)
            along = float((moved * tangent).sum()) / 2e-6
            norm = float((tangent / 2e-6).square().sum())
            if norm > 1e-3:  # a direction along the circle
                assert along == pytest.approx(-step * len(weights) * slope, rel=1e-3, abs=1e-13)


def test_the_dual_serves_wide_networks():
    inputs, targets, weights = problem(CIRCLE, samples=5, width=20)
    risk, features = Risk(1e-3, 1.0), CIRCLE.features(inputs, weights)
    torch.testing.assert_close(risk.project(features, targets), risk.project_primal(features, targets))


def test_the_torus_is_periodic():
    points = torch.tensor([[2.0, -2.0], [5.0, -3.5], [0.5, 1.9]])
    torch.testing.assert_close(wrap(points), torch.tensor([[-2.0, -2.0], [1.0, 0.5], [0.5, 1.9]]))
    inputs, _, weights = problem(TORUS)
    torch.testing.assert_close(TORUS.features(inputs + 4, weights), TORUS.features(inputs, weights))
    assert float(TORUS.features(weights[:1], weights[:1])) == 8.0


def test_a_ridge_must_be_positive():
    with pytest.raises(ConfigError, match="ridge is 0"):
        Risk(0.0, 1.0)

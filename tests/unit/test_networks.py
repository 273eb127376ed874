"""Networks as they start."""

import numpy as np
import pytest

from twolayer.model.networks.two_layer_networks import initial_weights


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_the_weights_of_both_layers_have_the_scale_as_standard_deviation(scale):
    """A sum of n squared weights is chi-squared: its relative standard error is sqrt(2 / n)."""
    for weights in initial_weights(np.random.default_rng(0), 20_000, 3, scale):
        assert weights.var() == pytest.approx(scale**2, rel=4 * np.sqrt(2 / weights.size))
        assert abs(weights.mean()) < 4 * scale / np.sqrt(weights.size)

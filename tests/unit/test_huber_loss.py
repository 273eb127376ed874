"""The minimum of the Huber loss, by its conditions."""

import numpy as np
import pytest

from twolayer.simulation.convex.convex_learning import huber_regression


@pytest.mark.parametrize(
    ("n", "d", "scale", "delta", "ridge"),
    [
        (200, 20, 1, 1e-3, 0.0),
        (200, 20, 1, 1e-3, 1e-6),
        (20, 20, 3e5, 1e3, 0.01),
        (2, 1, 2e4, 2e7, 1.0),
        (40, 1, 1e-3, 1.0, 1e-3),
    ],
)
@pytest.mark.parametrize("kind", ["sign", "exact"])
@pytest.mark.parametrize("bias", [False, True])
def test_the_gradient_is_zero(n, d, scale, delta, ridge, kind, bias):
    """Labels with two values and a small delta leave directions without curvature; exact labels leave rounding."""
    for seed in range(16):
        rng = np.random.default_rng(seed)
        inputs = scale * rng.standard_normal((n, d)) / np.sqrt(d)
        labels = inputs.sum(axis=1) if kind == "exact" else np.sign(inputs[:, 0] / scale + rng.standard_normal(n) / 3)
        w = huber_regression(inputs, labels, ridge, delta, bias=bias)
        ridges = np.full(d, ridge)
        if bias:
            inputs, ridges = np.column_stack([inputs, np.ones(n)]), np.append(ridges, 0.0)
        pulls = inputs * np.clip(labels - inputs @ w, -delta, delta)[:, None]
        rounding = 1e-8 * np.sum(abs(inputs), axis=0) * min(delta, abs(labels).max())
        assert (abs(ridges * w - pulls.sum(axis=0)) <= rounding + 1e-6 * abs(pulls).sum(axis=0)).all(), seed

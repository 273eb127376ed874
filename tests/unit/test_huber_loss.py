"""The minimum of the Huber loss, by its conditions."""

import numpy as np
import pytest

from twolayer.simulation.convex.huber_regression import huber_regression


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


def assert_minimum(inputs, labels, ridge, delta, w):
    """The gradient is zero up to rounding. Residuals that rounding moves across delta are on either side."""
    r, terms = labels - inputs @ w, abs(labels) + abs(inputs) @ abs(w)
    pulls, rounding = np.clip(r, -delta, delta), np.minimum(delta, 1e-14 * terms) * (abs(r) < delta + 1e-14 * terms)
    allowed = abs(inputs).T @ (1e-9 * abs(pulls) + rounding) + 1e-9 * ridge * abs(w)
    assert (abs(ridge * w - inputs.T @ pulls) <= allowed).all()


def test_any_sizes_and_units():
    """Units of inputs, labels and delta over twelve decades, with more or fewer samples than features."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, d, (scale, size, delta) = rng.integers(1, 60), rng.integers(1, 40), 10 ** rng.uniform(-6, 6, 3)
        inputs, labels = scale * rng.standard_normal((n, d)), size * rng.standard_normal(n)
        labels = np.sign(labels) if seed % 3 == 0 else labels
        ridge = 10 ** rng.uniform(-12, 12) if seed % 4 == 0 else 0.0
        assert_minimum(inputs, labels, ridge, delta, huber_regression(inputs, labels, ridge, delta))


@pytest.mark.parametrize("ridge", [1e12, 1e20, 1e30])
def test_weights_are_inversely_proportional_to_a_strong_ridge(ridge):
    rng = np.random.default_rng(0)
    inputs, labels = rng.standard_normal((40, 20)), np.sign(rng.standard_normal(40))
    w = huber_regression(inputs, labels, ridge, 0.3)
    np.testing.assert_allclose(w * ridge, 0.3 * inputs.T @ labels, rtol=1e-9)


def test_the_smallest_norm_and_equal_features():
    """A feature that occurs twice, and a feature that is always zero, without a ridge."""
    rng = np.random.default_rng(0)
    inputs, labels = rng.standard_normal((30, 3)), rng.standard_normal(30)
    *once, twice, zero = huber_regression(np.column_stack([inputs, inputs[:, 2], np.zeros(30)]), labels, 0.0, 1e-3)
    alone = huber_regression(inputs, labels, 0.0, 1e-3)
    np.testing.assert_allclose([*once[:2], once[2] + twice], alone, rtol=1e-8)
    np.testing.assert_allclose([once[2] - twice, zero], 0, atol=1e-9)

"""Replica curves against textbook implementations: damped iterations, one of them with Monte Carlo averages.

The targets on one core are 1 s for a curve of 50 points, and 10 s for 20 points of three classes.
"""

import numpy as np
import pytest
from scipy.special import logsumexp

from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.classes.softmax_regression import softmax_errors, softmax_overlaps
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.replica_equations import Spectrum

D, RIDGE, NOISE = 1000, 0.1, 0.3
RATIOS = np.linspace(0.1, 5, 50)
CLASSES = Clusters(np.eye(3), np.full((3, 3), 0.5), np.arange(3), np.full(3, 1 / 3), isotropic=True)


def spectrum():
    omega = np.arange(1.0, D + 1) ** -0.6
    return Spectrum(1.2 * omega.mean(), omega, omega**2, np.full(D, 1 / D))


def huber_textbook(ratio):
    """V, q and m of the Huber loss on noisy fields, by a damped iteration with equidistant nodes for the residual."""
    distribution, (V, q, m) = spectrum(), (1.0, 0.5, 0.1)
    r = np.linspace(-8, 8, 2001)
    weights = np.exp(-(r**2) / 2) / np.exp(-(r**2) / 2).sum()
    for _ in range(2000):
        S = distribution.power + NOISE**2 + q - 2 * m
        pull = np.clip(np.sqrt(S) * r / (1 + V), -1, 1)
        V_hat = ratio * weights @ (np.abs(pull) < 1) / (1 + V)
        q_hat, gain = ratio * weights @ pull**2, 1 / (RIDGE + V_hat * distribution.eigenvalues)
        new = (
            np.mean(distribution.eigenvalues * gain),
            np.mean(
                distribution.eigenvalues
                * (q_hat * distribution.eigenvalues + V_hat**2 * distribution.alignments)
                * gain**2
            ),
            V_hat * np.mean(distribution.alignments * gain),
        )
        if np.allclose(new, (V, q, m), rtol=1e-7, atol=0):
            return new
        V, q, m = (0.5 * a + 0.5 * b for a, b in zip(new, (V, q, m), strict=True))
    raise AssertionError("the iteration does not converge")


def huber_curve(ratios):
    theory, near = ConvexTheory(spectrum(), "huber", "linear", NOISE), None
    found = []
    for ratio in ratios:
        near = theory.solve(ratio, RIDGE, near)
        found.append((near.V, near.q, near.m))
    return found


@pytest.mark.benchmark(group="replica curve of the Huber loss")
class TestCurve:
    def test_warm_start(self, benchmark):
        found = benchmark(huber_curve, RATIOS)
        np.testing.assert_allclose(found[10], huber_textbook(RATIOS[10]), rtol=2e-2)

    def test_textbook(self, benchmark):
        ratios = RATIOS if benchmark.enabled else RATIOS[::25]
        benchmark.pedantic(lambda: [huber_textbook(ratio) for ratio in ratios], rounds=1)


def softmax_textbook(ratio, samples=4000):
    """Covariance of the outputs of three symmetric classes, by a damped iteration with Monte Carlo averages."""
    rng = np.random.default_rng(0)
    xi, centre = rng.standard_normal((samples, 3)), np.eye(3) - 1 / 3
    v, q, m = 1.0, 1.0, 0.5  # V = v, Q = q times the projector, M_c = m (e_c - 1/3)
    for _ in range(300):
        z = m * centre[0] + np.sqrt(q) * xi @ centre
        x = z.copy()
        for _ in range(60):
            p = np.exp(x - logsumexp(x, axis=1, keepdims=True))
            H = p[:, :, None] * (np.eye(3) - p[:, None, :]) + np.eye(3) / v
            x -= np.clip(np.linalg.solve(H, (p - np.eye(3)[0] + (x - z) / v)[..., None])[..., 0], -1, 1)
        f = (x - z) / v
        p = np.exp(x - logsumexp(x, axis=1, keepdims=True))
        H = p[:, :, None] * (np.eye(3) - p[:, None, :])
        stiff = ratio * np.mean(np.trace(np.linalg.solve(np.eye(3) + v * H, H), axis1=1, axis2=2)) / 2
        gain = 1 / (RIDGE + 0.5 * stiff)
        pull = ratio / 3 * f.mean(axis=0)[0] * 1.5  # m_hat_c = pull (e_c - 1/3)
        new = 0.5 * gain, 0.5 * (0.5 * ratio * np.mean(f**2) * 1.5) * gain**2 + 0.5 * (pull * gain) ** 2, pull * gain
        if np.allclose(new, (v, q, m), rtol=1e-5):
            return new
        v, q, m = (0.5 * a + 0.5 * b for a, b in zip(new, (v, q, m), strict=True))
    raise AssertionError("the iteration does not converge")


def softmax_curve(ratios):
    near, found = None, []
    for ratio in ratios:
        near = softmax_overlaps(CLASSES, ratio, RIDGE, near)
        found.append((near, softmax_errors(CLASSES, near)))
    return found


@pytest.mark.benchmark(group="three classes by softmax regression, 20 points")
class TestClasses:
    RATIOS = np.linspace(0.3, 6, 20)

    def test_accelerated(self, benchmark):
        ratios = self.RATIOS if benchmark.enabled else self.RATIOS[:2]
        found = benchmark.pedantic(softmax_curve, (ratios,), rounds=1, warmup_rounds=int(benchmark.enabled))
        assert found[-1][0].M[0, 0] > found[0][0].M[0, 0]

    def test_textbook(self, benchmark):
        ratios = self.RATIOS[::10] if benchmark.enabled else self.RATIOS[6:7]
        known = benchmark.pedantic(lambda: [softmax_textbook(ratio) for ratio in ratios], rounds=1)
        for (overlaps, _), values in zip(softmax_curve(ratios), known, strict=True):
            found = overlaps.V[0, 0, 0], overlaps.Q[0, 0, 0], overlaps.M[0, 0]
            np.testing.assert_allclose(1.5 * np.array(found), values, rtol=0.05)

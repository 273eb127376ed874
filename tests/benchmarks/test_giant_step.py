"""Theories of a giant gradient step against textbook implementations.

The textbook theory of a drawn first layer forms the covariance of the features at each node, iterates plainly and
solves dense equations. The textbook for the limit is a simulation. The target for the limit is 0.1 s a point on one
core.
"""

import numpy as np
import pytest

from twolayer.model.networks.activations import ERF
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.giant_step import drawn_layer_outputs, kappa_nodes, spike_directions
from twolayer.theory.one_step.label_averages import conditional_labels

SIZE, SAMPLES, PENALTY, RATE = 150, 300, 0.1, 2.0
SIN = LabelFunction.of("sin", 1)


def drawn():
    """A first layer after a step, what the step added, and the teacher's direction."""
    rng = np.random.default_rng(0)
    F, X = rng.standard_normal((SIZE, SIZE)) / np.sqrt(SIZE), rng.standard_normal((2 * SIZE, SIZE))
    theta, z = np.eye(SIZE)[:1], X @ F.T
    r = np.sin(X[:, 0]) - ERF.value(z).mean(axis=1)
    change = RATE / len(X) * (ERF.slope(z) * r[:, None]).T @ X
    return F + change, change, theta


def ours():
    layer, change, theta = drawn()
    outputs = drawn_layer_outputs(layer, spike_directions(change, 1), ERF, SIN, theta, samples=SAMPLES, penalty=PENALTY)
    return outputs.losses.test_loss


def textbook():
    layer, change, theta = drawn()
    V = np.linalg.svd(change)[2][:1].T
    kappa, weights = kappa_nodes(1, 0.0)
    along, across = layer @ V, layer - layer @ V @ V.T
    c = np.sqrt(np.sum(across**2, axis=1))
    mean, variance, (first,) = unit_averages(ERF).feature_distribution(kappa @ along.T, c, 1)
    covariances = [
        np.outer(a, a) * (across @ across.T) + np.diag(b) for a, b in zip(first / c, variance - first**2, strict=True)
    ]
    y, k = conditional_labels(SIN, theta @ V, kappa, 0.0), SIZE
    seen, ratio, delta = across @ (theta - theta @ V @ V.T).T @ y.to_zeta.T, SAMPLES / SIZE, np.zeros(len(kappa))
    for _ in range(200):
        shares = ratio * weights / (1 + delta)
        total = sum(w * (np.outer(m, m) + C) for w, m, C in zip(shares, mean, covariances, strict=True))
        R = np.linalg.inv(PENALTY * np.eye(k) + total)
        before, delta = delta, np.array([np.trace(C @ R) / k for C in covariances])
        if np.max(np.abs(delta - before)) < 1e-9:
            break
    signals = y.mean[:, None] * mean + (first / c) * (y.slope @ seen.T)
    A = np.sqrt(k) * R @ (shares @ signals)
    output, shared = mean @ A / np.sqrt(k), ((first / c) * A) @ seen * y.slope / np.sqrt(k)
    bias = y.power - 2 * y.mean * output - 2 * shared[:, 0] + output**2 + [A @ C @ A / k for C in covariances]
    products = [C @ R for C in covariances]
    kernel = np.array([[np.sum(one * other.T) / k for other in products] for one in products])
    return weights @ np.linalg.solve(np.eye(len(kappa)) - kernel * (shares / (1 + delta)), bias) / 2


@pytest.mark.benchmark(group="theory of a drawn first layer after a giant step, k = n = 150")
class TestDrawnLayer:
    def test_ours(self, benchmark):
        benchmark(ours)

    def test_textbook(self, benchmark):
        assert benchmark.pedantic(textbook, rounds=1) == pytest.approx(ours(), rel=1e-6)


def limit():
    step = GiantStep(ERF, SIN, RATE, 2.0)
    return giant_step_limit(step, width_ratio=1.0, sample_ratio=2.0, penalty=PENALTY).losses.test_loss


def simulated(seeds=8, n=400):
    errors = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        F, X = rng.standard_normal((n, n)) / np.sqrt(n), rng.standard_normal((2 * n, n))
        z = X @ F.T
        r = np.sin(X[:, 0]) - ERF.value(z).mean(axis=1)
        F += RATE / len(X) * (ERF.slope(z) * r[:, None]).T @ X
        X, fresh = rng.standard_normal((2 * n, n)), rng.standard_normal((2 * n, n))
        v = ERF.value(X @ F.T) / np.sqrt(n)
        w = np.linalg.solve(v.T @ v + PENALTY * np.eye(n), v.T @ np.sin(X[:, 0]))
        errors.append(np.mean((np.sin(fresh[:, 0]) - ERF.value(fresh @ F.T) @ w / np.sqrt(n)) ** 2) / 2)
    return np.mean(errors)


@pytest.mark.benchmark(group="limit of a giant step against a simulation of eight runs, k = n = 400")
class TestLimit:
    def test_limit(self, benchmark):
        benchmark(limit)

    def test_textbook(self, benchmark):
        assert benchmark.pedantic(simulated, rounds=1) == pytest.approx(limit(), rel=0.06)

"""Theories of less usual problems against simulations of a few lines, which share no code with the package."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import twolayer as tl

pytestmark = pytest.mark.slow

D, RIDGE, NOISE = 150, 0.4, 0.4


def estimator(X, y, ridge, loss, penalty="l2", *, bias=False):
    """Return weights and bias of the least sum of losses and penalty: proximal gradient, or L-BFGS."""
    X = np.column_stack([X, np.ones(len(X))]) if bias else X
    ridges = np.full(X.shape[1], ridge) * (np.arange(X.shape[1]) < X.shape[1] - bias)

    def objective(w):
        z = X @ w
        value, slope = ((z - y) ** 2 / 2, z - y) if loss == "square" else (np.logaddexp(0, -y * z), -y * expit(-y * z))
        return value.sum() + (ridges @ w**2) / 2 * (penalty == "l2"), X.T @ slope + ridges * w * (penalty == "l2")

    w = np.zeros(X.shape[1])
    if penalty == "l2":
        return minimize(objective, w, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "maxiter": 1000}).x
    step = 1 / np.linalg.norm(X, 2) ** 2 * (1 if loss == "square" else 4)
    for _ in range(600):
        w = w - step * objective(w)[1]
        w = np.sign(w) * np.maximum(np.abs(w) - step * ridges, 0)
    return w


@pytest.mark.parametrize("labels", ["probit", "logit"])
@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_sparse_weights_of_noisy_signs(labels, loss):
    """Diagonal covariances; 12 draws, and 3 % for the finite dimension."""
    rng, eigenvalues = np.random.default_rng(2), np.arange(1.0, D + 1) ** -0.4
    theta = np.where(np.arange(D) % 3, 0.2, 1.5)
    power = np.mean(theta**2 * eigenvalues)
    data = tl.FeatureCovariances.from_spectrum(eigenvalues, (theta * eigenvalues) ** 2, power)
    problem = tl.ConvexProblem([2.0], [RIDGE], [loss], labels, NOISE, "l1")
    theory, found = tl.replica(data, problem).squeeze(), []
    for _ in range(12):
        X = rng.standard_normal((2 * D, D)) * np.sqrt(eigenvalues)
        z = NOISE * (rng.standard_normal(2 * D) if labels == "probit" else rng.logistic(size=2 * D))
        w = estimator(X / math.sqrt(D), np.sign(X @ theta / math.sqrt(D) + z), RIDGE, loss, "l1")
        q, m = np.mean(w**2 * eigenvalues), np.mean(w * theta * eigenvalues)
        found.append([q, m, np.arccos(m / math.sqrt(q * power)) / math.pi])
    error = np.std(found, axis=0, ddof=1) / math.sqrt(12)
    expected = np.array([theory.q, theory.m, theory.class_error_clean])
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error + 0.03 * np.abs(expected))


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_clusters_of_other_covariances_and_weights(loss):
    """Commuting covariances, a bias, and 80 % of one label; 12 draws, and 3 % for the finite dimension."""
    rng, means = np.random.default_rng(3), np.zeros((2, D))
    means[0, 0], means[1, :2] = 1.0, (-0.5, 0.8)
    variances = np.array([np.linspace(0.2, 1, D), np.linspace(1.2, 0.3, D)])
    mixture = tl.Mixture(
        means=means, labels=[1, -1], weights=[0.8, 0.2], covariance=[np.diag(one) for one in variances]
    )
    theory, found = tl.replica(mixture, tl.ConvexProblem([3.0], [RIDGE], [loss])).squeeze(), []
    for _ in range(12):
        c = (rng.random(3 * D) < 0.2).astype(int)
        X = means[c] + np.sqrt(variances[c]) * rng.standard_normal((3 * D, D))
        *w, b = estimator(X / math.sqrt(D), 1 - 2 * c, RIDGE, loss, bias=True)
        found.append([b, *(means @ w / math.sqrt(D)), *(variances @ np.square(w) / D)])
    error = np.std(found, axis=0, ddof=1) / math.sqrt(12)
    expected = np.array([theory.b, *theory.M, *theory.Q])
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error + 0.03 * np.abs(expected))


def test_one_hot_labels_of_unequal_classes():
    """Three classes, least squares with a bias; 16 draws, and 3 % for the finite dimension."""
    rng, weights, sigma = np.random.default_rng(4), [0.6, 0.3, 0.1], 0.8
    mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], weights=weights, sigma=sigma)
    theory, found = tl.replica(mixture, tl.ConvexProblem([2.0], [RIDGE], ["square"])).squeeze(), []
    for _ in range(16):
        c = rng.choice(3, size=2 * D, p=weights)
        X = sigma * rng.standard_normal((2 * D, D))
        X[:, :3] += np.eye(3)[c]
        X, Y = X / math.sqrt(D), np.eye(3)[c]
        centred = X - X.mean(axis=0)
        W = np.linalg.solve(centred.T @ centred + RIDGE * np.eye(D), centred.T @ (Y - Y.mean(axis=0)))
        b = Y.mean(axis=0) - X.mean(axis=0) @ W
        found.append([*b, *np.diag(W[:3]) / math.sqrt(D), *np.diag(sigma**2 * W.T @ W / D)])
    error = np.std(found, axis=0, ddof=1) / 4
    expected = np.array([*theory.b, *np.diag(theory.M), *np.diag(theory.Q[0])])
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error + 0.03 * np.abs(expected))

"""Theories of less usual problems against simulations of a few lines, which share no code with the package."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import erf, expit, softmax

import twolayer as tl
from twolayer.simulation.convex.convex_learning import learn

pytestmark = pytest.mark.slow

D, RIDGE, NOISE = 150, 0.4, 0.4  # of convex problems
N, RUNS, TIME, RATE = 400, 64, 1.5, 0.8  # of online learning
Q, R, T = np.array([[1.0, 0.2], [0.2, 0.8]]), np.array([[0.3, 0.1], [0.0, 0.4]]), np.array([[1.0, 0.3], [0.3, 1.0]])
A, V = np.array([1.0, -0.5]), np.array([0.9, 0.6])
UNITS = {
    "erf": (lambda x: erf(x / math.sqrt(2)), lambda x: math.sqrt(2 / math.pi) * np.exp(-(x**2) / 2)),
    "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0),
    "tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "sign": (np.sign, None),
}


def assert_means(found, expected, part):
    """Compare the means of draws with the theory: four standard errors, and a part for the finite dimension."""
    error, expected = np.std(found, axis=0, ddof=1) / math.sqrt(len(found)), np.array(expected)
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error + part * np.abs(expected))


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


@pytest.mark.parametrize(("labels", "loss"), [("probit", "square"), ("logit", "logistic")])
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
    assert_means(found, [theory.q, theory.m, theory.class_error_clean], 0.03)


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
    assert_means(found, [theory.b, *theory.M, *theory.Q], 0.03)


def one_hot_regression(X, Y):
    """Return weights (D, 3) and biases (3,) of least squares on one-hot labels."""
    centred = X - X.mean(axis=0)
    W = np.linalg.solve(centred.T @ centred + RIDGE * np.eye(D), centred.T @ (Y - Y.mean(axis=0)))
    return W, Y.mean(axis=0) - X.mean(axis=0) @ W


def softmax_regression(X, Y):
    """Return weights (D, 3), and biases (3,) of mean 0, of softmax regression."""
    X, ridges = np.column_stack([X, np.ones(len(X))]), np.append(np.full(D, RIDGE), 0.0)[:, None]

    def objective(w):
        w = w.reshape(D + 1, 3)
        p = softmax(X @ w, axis=1)
        return -np.sum(Y * np.log(p)) + np.sum(ridges * w**2) / 2, (X.T @ (p - Y) + ridges * w).ravel()

    best = minimize(objective, np.zeros(3 * D + 3), jac=True, method="L-BFGS-B", options={"ftol": 1e-10})
    *W, b = best.x.reshape(D + 1, 3)
    return np.array(W), b - b.mean()


@pytest.mark.parametrize(
    ("loss", "fit", "seed"), [("square", one_hot_regression, 4), ("softmax", softmax_regression, 5)]
)
def test_unequal_classes(loss, fit, seed):
    """Three classes with a bias; 16 draws, and 3 % for the finite dimension."""
    rng, weights, sigma = np.random.default_rng(seed), [0.6, 0.3, 0.1], 0.8
    mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], weights=weights, sigma=sigma)
    theory, found = tl.replica(mixture, tl.ConvexProblem([2.0], [RIDGE], [loss])).squeeze(), []
    for _ in range(16):
        c = rng.choice(3, size=2 * D, p=weights)
        X = sigma * rng.standard_normal((2 * D, D))
        X[:, :3] += np.eye(3)[c]
        W, b = fit(X / math.sqrt(D), np.eye(3)[c])
        found.append([*b, *np.diag(W[:3]) / math.sqrt(D), *np.diag(sigma**2 * W.T @ W / D)])
    assert_means(found, [*theory.b, *np.diag(theory.M), *np.diag(theory.Q[0])], 0.03)


def taught(student, teacher, *, noise=0.0, decay=0.0, second_rate=0.0, second_decay=0.0, sphere=False):
    """Return Q, R, v and pmse of each run of SGD at the last time, from weights that have exactly Q, R and T."""
    (g, slope), (h, _), rng = UNITS[student], UNITS[teacher], np.random.default_rng(1)
    frame = np.linalg.qr(rng.standard_normal((N, 4)))[0].T * math.sqrt(N)
    weights = np.linalg.cholesky(np.block([[Q, R], [R.T, T]])) @ frame
    W, B, v = np.tile(weights[:2], (RUNS, 1, 1)), weights[2:], np.tile(V, (RUNS, 1))
    for _ in range(round(TIME * N)):
        x = rng.standard_normal((RUNS, N))
        z = (W @ x[:, :, None])[:, :, 0] / math.sqrt(N)
        error = np.sum(v * g(z), axis=1) - h(x @ B.T / math.sqrt(N)) @ A - noise * rng.standard_normal(RUNS)
        step = (RATE / math.sqrt(N) * v * slope(z) * error[:, None])[:, :, None] * x[:, None]
        v = v - second_rate / N * (g(z) * error[:, None] + second_decay * v)
        W = (1 - RATE * decay / N) * W - step
        if sphere:
            W *= np.sqrt(N * np.diag(Q) / np.sum(W**2, axis=2))[:, :, None]
    found = []
    for w, outer in zip(W, v, strict=True):
        both = np.vstack([w, B])
        fields = rng.multivariate_normal(np.zeros(4), both @ both.T / N, 20_000)
        pmse = np.mean((g(fields[:, :2]) @ outer - h(fields[:, 2:]) @ A) ** 2) / 2
        found.append([*(w @ both.T / N).ravel(), *outer, pmse])
    return np.array(found)


@pytest.mark.parametrize(
    ("student", "teacher", "given"),
    [
        ("erf", "erf", {"noise": 0.8, "sphere": True}),
        ("relu", "relu", {"noise": 0.8, "sphere": True}),
        ("erf", "erf", {"noise": 0.8, "decay": 0.3, "second_rate": 0.5, "second_decay": 0.4}),
        ("relu", "relu", {"noise": 0.8, "decay": 0.3, "second_rate": 0.5, "second_decay": 0.4}),
        ("erf", "relu", {"noise": 0.8, "second_rate": 0.5}),
        ("relu", "erf", {"noise": 0.8, "second_rate": 0.5}),
        ("tanh", "erf", {"noise": 0.8, "second_rate": 0.5}),
        ("relu", "tanh", {"noise": 0.8, "second_rate": 0.5}),
        ("erf", "sign", {"noise": 0.8, "second_rate": 0.5}),
        ("relu", "sign", {"noise": 0.8, "second_rate": 0.5}),
    ],
)
def test_students_of_teachers(student, teacher, given):
    """Order parameters at the end; 1 % for the finite dimension."""
    found, sphere = taught(student, teacher, **given), "sphere" in given
    schedule = tl.Schedule(
        learning_rate=RATE,
        last_time=TIME,
        measurements=2,
        weight_decay=given.get("decay", 0.0),
        train_second_layer="second_rate" in given,
    )
    theory = tl.learning_curve(
        tl.Inputs(dimension=N),
        tl.Student(student, hidden_units=2),
        schedule,
        teacher=tl.Teacher(teacher, hidden_units=2, second_layer=A, noise=given["noise"]),
        start={"Q": Q, "R": R, "T": T, "v": V},
        second_layer_rate=given.get("second_rate"),
        second_layer_decay=given.get("second_decay"),
        weights="sphere" if sphere else "free",
    ).isel(time=-1)
    assert_means(found, [*np.hstack([theory.Q, theory.R]).ravel(), *theory.v, theory.pmse], 0.01)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_classes_without_ridge_and_bias(ratio):
    """Least squares of the smallest norm; 30 draws, and 3 % for the finite dimension."""
    sigma, weights, rng, found = np.array([0.5, 0.8, 0.4]), [0.2, 0.3, 0.5], np.random.default_rng(6), []
    mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], weights=weights, sigma=1.0, spreads=sigma)
    theory = tl.replica(mixture, tl.ConvexProblem([ratio], [0.0], ["square"]), bias=False).squeeze()
    for _ in range(30):
        c = rng.choice(3, size=round(ratio * D), p=weights)
        X = sigma[c, None] * rng.standard_normal((len(c), D))
        X[:, :3] += np.eye(3)[c]
        W = np.linalg.pinv(X / math.sqrt(D)) @ np.eye(3)[c]
        found.append([*np.diag(W[:3]) / math.sqrt(D), *np.diag(sigma[0] ** 2 * W.T @ W / D)])
    assert_means(found, [*np.diag(theory.M), *np.diag(theory.Q[0])], 0.03)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_the_huber_loss_without_ridge(ratio):
    """The simulation of the library finds the minimum that L-BFGS finds from the least squares of the smallest norm."""
    rng, delta = np.random.default_rng(7), 0.4
    X = rng.standard_normal((round(ratio * 60), 60))
    y = X[:, 0] + 0.5 * rng.standard_normal(len(X))

    def objective(w):
        r = X @ w / math.sqrt(60) - y
        loss = np.where(abs(r) < delta, r**2 / 2, delta * abs(r) - delta**2 / 2)
        return loss.sum(), X.T @ np.clip(r, -delta, delta) / math.sqrt(60)

    start = np.linalg.pinv(X / math.sqrt(60)) @ y
    expected = minimize(objective, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10}).x
    np.testing.assert_allclose(learn(X, y, "huber", 0.0, huber_delta=delta), expected, atol=1e-4)


def test_the_sphere_of_inputs_with_a_covariance():
    """Order parameters at the end; 1 % for the finite dimension. Weight decay has no effect."""
    rng, (g, slope) = np.random.default_rng(4), UNITS["erf"]
    eigenvalues = np.linspace(0.2, 2.6, N)
    W0, B, noise = rng.standard_normal((2, N)), rng.standard_normal((2, N)), 0.8
    W, norms = np.tile(W0, (RUNS, 1, 1)), np.linalg.norm(W0, axis=1)[:, None]
    for _ in range(round(TIME * N)):
        x = np.sqrt(eigenvalues) * rng.standard_normal((RUNS, N))
        z = (W @ x[:, :, None])[:, :, 0] / math.sqrt(N)
        error = g(z) @ V - g(x @ B.T / math.sqrt(N)) @ A - noise * rng.standard_normal(RUNS)
        W = (1 - 0.5 * RATE / N) * W
        W -= (RATE / math.sqrt(N) * V * slope(z) * error[:, None])[:, :, None] * x[:, None]
        W *= norms / np.linalg.norm(W, axis=2, keepdims=True)
    found = [np.hstack([(w * eigenvalues) @ w.T, (w * eigenvalues) @ B.T]).ravel() / N for w in W]
    theory = tl.learning_curve(
        tl.Inputs(covariance=np.diag(eigenvalues)),
        tl.Student("erf", hidden_units=2),
        tl.Schedule(learning_rate=RATE, last_time=TIME, measurements=2, weight_decay=0.5, train_second_layer=False),
        teacher=tl.Teacher("erf", hidden_units=2, second_layer=A, noise=noise),
        start={"W": W0, "B": B, "v": V},
        weights="sphere",
    ).isel(time=-1)
    assert_means(found, np.hstack([theory.Q, theory.R]).ravel(), 0.01)

"""Learning by a convex loss, of features and of clusters, against stored solutions (tests/golden/field)."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl

FOLDER = Path(__file__).parent / "field"
SEARCHED = [math.exp(-9), math.exp(5)]  # ridges between which the stored optimum was searched
pytestmark = pytest.mark.filterwarnings("ignore::twolayer.errors.SmallSample")


def rows(name):
    with open(FOLDER / name) as file:
        lines = csv.DictReader(line for line in file if not line.startswith("#"))
        return [{key: _number(value) for key, value in row.items()} for row in lines]


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture(scope="module")
def distributions():
    with np.load(FOLDER / "convex_laws.npz") as one:
        return {
            "matrices": tl.FeatureCovariances(**{name: one[name] for name in ("Psi", "Phi", "Omega", "teacher")}),
            "spectrum": tl.FeatureCovariances.from_spectrum(
                one["eigenvalues"], one["components"] ** 2, one["power"].item()
            ),
        }


def problem(row, ridge, **options):
    return tl.ConvexProblem([row["sample_ratio"]], [ridge], [row["loss"]], row["labels"], row["noise"], **options)


def assert_near(found, row, names, rtol, atol=0.0):
    for name in names:
        if isinstance(row[name], float) and not math.isnan(row[name]):
            np.testing.assert_allclose(found[name].item(), row[name], rtol=rtol, atol=atol, err_msg=name)


OVERLAPS = ("V", "q", "m", "V_hat", "q_hat", "m_hat")
ERRORS = ("training_loss", "test_loss", "class_error", "class_error_clean", "excess")


@pytest.mark.parametrize("labels", ["linear", "sign", "probit", "logit"])
def test_curves(distributions, labels):
    for row in rows("convex_curves.csv"):
        if row["labels"] == labels:
            options = {"huber_delta": row["huber_delta"], "penalty": row["penalty"]}
            found = tl.replica(distributions[row["law"]], problem(row, row["ridge"], **options))
            assert_near(found, row, (*OVERLAPS, *ERRORS), 1e-7, 1e-10)
            assert ("excess" in found) == (labels == "linear")


def test_without_ridge(distributions):
    for row in rows("convex_ridgeless.csv"):
        found = tl.replica(distributions[row["law"]], problem(row, 0))
        tolerance = 1e-8 if row["loss"] == "square" else 1e-5
        assert_near(found, row, ("V", "q", "m", "training_loss", "test_loss", "class_error_clean"), tolerance, 1e-10)


def test_separable_labels(distributions):
    for row in rows("convex_separable.csv"):
        row |= {"loss": "square", "sample_ratio": 1.0}
        assert_near(
            tl.replica(distributions[row["law"]], problem(row, 1)),
            row,
            ["largest_separable_sample_ratio"],
            1e-7,
        )


def test_optimal_ridges(distributions):
    for row in rows("convex_optimal_ridge.csv"):
        options = {"huber_delta": row["huber_delta"]}
        searched = tl.ConvexProblem(
            [row["sample_ratio"]], SEARCHED, [row["loss"]], row["labels"], row["noise"], **options
        )
        found = tl.optimal_ridge(distributions[row["law"]], searched, minimise=row["minimised"])
        assert found[row["minimised"]].item() == pytest.approx(row["minimum"], rel=1e-7)
        assert found.optimal_ridge.item() == pytest.approx(row["ridge"], rel=1e-3)


def test_source_and_capacity():
    """The stored ridge belongs to weights that are not divided by sqrt d."""
    for row in rows("convex_source.csv"):
        d = int(row["modes"])
        data, ratio = tl.FeatureCovariances.from_exponents(row["source"], row["capacity"], d), row["samples"] / d

        def linear(noise, ridges, ratio=ratio):
            return tl.ConvexProblem([ratio], ridges, ["square"], "linear", noise)

        best = tl.optimal_ridge(data, linear(0.5, [ridge / d for ridge in SEARCHED]))
        assert tl.replica(data, linear(0.0, [0])).excess.item() == pytest.approx(
            row["excess_ridgeless_no_noise"], rel=1e-6
        )
        assert tl.replica(data, linear(0.5, [1e-3 / d])).excess.item() == pytest.approx(
            row["excess_noise_.5_ridge_1e-3"], rel=1e-6
        )
        assert best.excess.item() == pytest.approx(row["excess_noise_.5_optimal"], rel=1e-6)
        assert best.optimal_ridge.item() * d == pytest.approx(row["optimal_ridge"], rel=1e-2)


def test_samples():
    with np.load(FOLDER / "convex_samples.npz") as one:
        X, y, square, classes = (one[name] for name in ("X", "y", "square", "classes"))
    data = tl.FeatureCovariances.from_samples(X, y)
    for ratio, ridge, *known in square:
        found = tl.replica(data, tl.ConvexProblem([ratio], [ridge], ["square"], "linear"))
        names = ("V", "q", "m", "training_loss", "test_loss")
        np.testing.assert_allclose([found[name].item() for name in names], known, rtol=1e-7)
    means, share = np.array([X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)]), np.mean(y > 0)
    left = X - means[(y < 0).astype(int)]
    mixture = tl.Mixture(means=means, labels=[1, -1], weights=[share, 1 - share], covariance=left.T @ left / len(y))
    for loss, ratio, ridge, *known in classes:
        one = tl.ConvexProblem([ratio], [ridge], [["square", "logistic", "hinge"][int(loss)]])
        found = tl.replica(mixture, one).squeeze()
        values = [found.V[0], found.Q[0], *found.M, found.b, found.training_loss, found.class_error]
        np.testing.assert_allclose(values, known, rtol=1e-6)


@pytest.mark.parametrize("name", ["two", "clusters"])
def test_clusters_of_two_labels(name):
    with np.load(FOLDER / "convex_two.npz") as one:
        means, variances, labels, weights = (
            one[f"{name}_{part}"] for part in ("means", "covariances", "labels", "weights")
        )
        known = one[name]
    mixture = tl.Mixture(
        means=means, labels=labels.astype(int), weights=weights, covariance=[np.diag(one) for one in variances]
    )
    for loss, ratio, ridge, bias, *values in known:
        one = tl.ConvexProblem([ratio], [ridge], [["square", "logistic", "hinge"][int(loss)]])
        found = tl.replica(mixture, one, bias=bool(bias)).squeeze()
        measured = [*found.V, *found.Q, *found.M, found.b, found.training_loss, found.class_error]
        np.testing.assert_allclose(measured, values, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "loss"),
    [(name, loss) for name in ("three", "three_common", "five_clusters") for loss in ("square", "softmax")]
    + [("four", "square"), pytest.param("four", "softmax", marks=pytest.mark.slow)],
)
def test_classes(name, loss):
    """The stored confusion matrix of four classes comes from quasi-random points: its rows miss 1 by 1e-6.

    One point of softmax regression on four classes takes ten seconds.
    """
    with np.load(FOLDER / "convex_classes.npz") as one:
        stored = {key.removeprefix(f"{name}_"): one[key] for key in one.files if key.startswith(f"{name}_")}
    mixture = tl.Mixture(
        means=stored["means"],
        labels=stored["labels"],
        weights=stored["weights"],
        covariance=[np.diag(one) for one in stored["covariances"]],
    )
    tolerance = 1e-8 if loss == "square" else 1e-6 if len(stored["weights"]) < 4 else 1e-5
    points = ((0.8, 0.1), (3.0, 0.1), (3.0, 1.0))
    for ratio, ridge in points[1:2] if (name, loss) == ("four", "softmax") else points:
        found = tl.replica(mixture, tl.ConvexProblem([ratio], [ridge], [loss])).squeeze()
        for part in ("V", "Q", "M", "b", "training_loss", "confusion", "class_error", "training_class_error"):
            if part == "training_class_error" and loss == "softmax":
                continue
            known = stored[f"{loss}_{ratio}_{ridge}_{part}"]
            values = found[part].values
            values = values[:, 0, 0] if part == "V" and loss == "square" else values
            rough = 1e-6 if name == "four" and part in ("confusion", "class_error", "training_class_error") else 0.0
            np.testing.assert_allclose(values, known, rtol=tolerance, atol=max(tolerance, rough), err_msg=part)


def test_published_theory_of_two_clusters():
    """GaussMixtureProject: shares of the modes have two variances, means are Gaussian, the ridge is per sample set."""
    found = rows("gaussmix_K2_ridge.csv")[::10]
    d = 400
    variances = np.where(np.arange(d) < d // 2, 0.1, 0.5)
    direction = np.ones(d) / math.sqrt(d)
    mixture = tl.Mixture(means=[direction, -direction], labels=[1, -1], covariance=np.diag(variances))
    ratios = [row["sample_complexity"] for row in found]
    theory = tl.replica(mixture, tl.ConvexProblem(ratios, [found[0]["lambda"]], ["square"])).squeeze()
    for place, row in enumerate(found):
        one = theory.isel(sample_ratio=place)
        assert one.V[0].item() == pytest.approx(row["V"], rel=1e-6)
        assert one.M[0].item() == pytest.approx(row["m"], rel=1e-6)
        assert one.Q[0].item() == pytest.approx(row["q"], rel=1e-6)
        assert one.class_error.item() == pytest.approx(row["test_error"], rel=1e-6)


def test_published_theory_of_three_classes():
    """GaussMixtureProject: its errors are Monte Carlo estimates, and its means are only nearly orthogonal."""
    found = [row for row in rows("gaussmix_K3_square_theory.csv") if row["alpha"] > 0][::10]
    mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=math.sqrt(0.5))
    ratios = [row["alpha"] for row in found]
    theory = tl.replica(mixture, tl.ConvexProblem(ratios, [1e-3], ["square"])).squeeze()
    np.testing.assert_allclose(theory.class_error, [row["test_error"] for row in found], atol=3e-3)
    np.testing.assert_allclose(theory.training_class_error, [row["train_error"] for row in found], atol=3e-3)

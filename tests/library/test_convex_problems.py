"""Convex problems of a user's own: limits, symmetries, an independent simulation, and what is refused."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

import twolayer as tl
from twolayer.simulation.convex.cluster_learning import binary_classifier
from twolayer.simulation.convex.convex_learning import learn
from twolayer.simulation.convex.huber_regression import huber_regression

ISOTROPIC = tl.FeatureCovariances.from_spectrum(np.ones(40), np.ones(40), 1.0)
THREE = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.7, dimension=40)


def problem(losses, ratios=(2.0,), ridges=(0.1,), **options):
    return tl.ConvexProblem(list(ratios), list(ridges), losses, **options)


def lasso(X, y, ridge, steps=600):
    """The minimiser of |y - X w|^2 / 2 + ridge |w|_1, by accelerated proximal gradient descent."""
    curvature, w, ahead, t = np.linalg.norm(X, 2) ** 2, np.zeros(X.shape[1]), np.zeros(X.shape[1]), 1.0
    for _ in range(steps):
        moved = ahead - X.T @ (X @ ahead - y) / curvature
        new = np.sign(moved) * np.maximum(np.abs(moved) - ridge / curvature, 0)
        after = (1 + math.sqrt(1 + 4 * t**2)) / 2
        w, ahead, t = new, new + (t - 1) / after * (new - w), after
    return w


class TestSparseWeights:
    @pytest.mark.parametrize("ratio", [0.4, 2.0])
    def test_simulation(self, ratio):
        """Where following the solution from a strong ridge fails; variances and weights of the teacher decay."""
        rng, d = np.random.default_rng(0), 200
        omega = np.arange(1, d + 1.0) ** -1
        theta = rng.standard_normal(d)
        data = tl.FeatureCovariances.from_spectrum(omega, (omega * theta) ** 2, float(np.mean(omega * theta**2)))
        theory = tl.replica(data, problem(["square"], [ratio], [0.02], labels="linear", noise=0.3, penalty="l1"))
        q, excess = [], []
        for stream in rng.spawn(30):
            v = stream.standard_normal((round(ratio * d), d)) * np.sqrt(omega)
            y = v @ theta / math.sqrt(d) + 0.3 * stream.standard_normal(len(v))
            w = lasso(v / math.sqrt(d), y, 0.02)
            q.append(np.mean(omega * w**2))
            excess.append(np.mean(omega * (w - theta) ** 2))
        for name, values in (("q", q), ("excess", excess)):
            assert abs(np.mean(values) - theory[name].item()) < 4 * np.std(values, ddof=1) / math.sqrt(len(values))

    @pytest.mark.slow
    @pytest.mark.parametrize("loss", ["hinge", "huber"])
    def test_simulation_of_losses_with_kinks(self, loss):
        data, d = tl.FeatureCovariances.from_spectrum(np.ones(80), np.ones(80), 1.0), 80
        given = problem([loss], [2.0], [0.4], labels="probit", noise=0.5, penalty="l1", huber_delta=0.5)
        theory, runs = tl.replica(data, given), tl.convex_learning(data, given, seeds=12, test_samples=None)
        for name in ("q", "m", "test_loss"):
            error = float(runs[name].std(ddof=1)) / math.sqrt(12)
            assert abs(runs[name].mean() - theory[name].item()) < 4 * error + theory[name].item() / d

    @pytest.mark.parametrize("loss", ["square", "logistic", "hinge", "huber"])
    def test_the_minimum(self, loss):
        """The weights of other ridges, and other changes, do not lower the objective, written out."""
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((60, 25)), np.sign(rng.standard_normal(60))
        w, *others = (
            learn(X, y, loss, ridge, penalty="l1", huber_delta=0.5) for ridge in (0.3, 0.24, 0.27, 0.33, 0.36)
        )

        def objective(w):
            z = y * (X @ w) / 5
            r = np.abs(1 - z)
            each = {
                "square": r**2 / 2,
                "logistic": np.log(1 + np.exp(-z)),
                "hinge": np.maximum(1 - z, 0),
                "huber": np.where(r < 0.5, r**2 / 2, 0.5 * r - 0.125),
            }
            return each[loss].sum() + 0.3 * np.abs(w).sum()

        assert 0 < np.count_nonzero(np.abs(w) > 1e-9) < 25
        others += [w + 1e-3 * change for change in rng.standard_normal((50, 25))]
        assert min(objective(other) for other in others) > objective(w)

    @pytest.mark.parametrize("loss", ["square", "logistic", "hinge", "huber"])
    def test_ordinary_calls_answer(self, loss):
        """Draws of spectrum, labels, ridge and sample ratio."""
        for seed in range(12):
            rng = np.random.default_rng(seed)
            d, power = int(rng.choice([20, 100, 500])), rng.uniform(0, 1.5)
            omega, theta = np.arange(1, d + 1.0) ** -power, rng.standard_normal(d)
            data = tl.FeatureCovariances.from_spectrum(omega, (omega * theta) ** 2, 1.2 * np.mean(omega * theta**2))
            given = {"labels": "probit", "noise": 10 ** rng.uniform(-2, 0.5), "penalty": "l1"}
            ridge, ratio = 10 ** rng.uniform(-4, 0.5), 10 ** rng.uniform(-1.3, 1.3)
            found = tl.replica(data, problem([loss], [ratio], [ridge], **given))
            assert np.isfinite([found[name].item() for name in ("V", "q", "m", "test_loss", "class_error")]).all()

    @pytest.mark.parametrize("loss", ["square", "logistic", "hinge", "huber"])
    @pytest.mark.parametrize("test_samples", [None, 500])
    @pytest.mark.parametrize("ridge", [1e6, 1e30])
    def test_a_penalty_that_leaves_no_weight(self, loss, test_samples, ridge):
        """The errors of an output that is always zero; a zero is half an error."""
        given = problem([loss], ridges=[ridge], penalty="l1", labels="probit", noise=0.3, huber_delta=0.4)
        found = tl.convex_learning(ISOTROPIC, given, seeds=2, test_samples=test_samples)
        value = {"square": 0.5, "logistic": math.log(2), "hinge": 1.0, "huber": 0.4 - 0.08}[loss]
        for name, expected in {"q": 0, "m": 0, "test_loss": value, "training_loss": value, "class_error": 0.5}.items():
            np.testing.assert_allclose(found[name], expected, atol=1e-15)

    def test_a_penalty_that_leaves_no_weight_of_numbers(self):
        given = problem(["square", "huber"], ridges=[1e6], penalty="l1", labels="linear")
        exact, drawn = (tl.convex_learning(ISOTROPIC, given, seeds=2, test_samples=size) for size in (None, 40_000))
        np.testing.assert_allclose(exact.excess, 1.0, rtol=1e-12)
        np.testing.assert_allclose(exact.test_loss, drawn.test_loss, rtol=0.05)

    @pytest.mark.parametrize("loss", ["square", "huber"])
    def test_a_penalty_that_hardly_counts(self, loss):
        """The error is one line about the given loss, although both are solved as one problem."""
        given = problem([loss], ridges=[1e-30], penalty="l1")
        with pytest.raises(
            tl.NotConverged, match=rf"^the {loss} loss at ridge 1e-30 did not converge in \d+ iterations: "
        ):
            tl.convex_learning(ISOTROPIC, given, seeds=2)

    @pytest.mark.parametrize("ridge", [1e-10, 1e-30])
    def test_a_perfect_output_has_weights(self, ridge):
        """Exact labels at a tiny ridge, which no lower ridge would help. A higher ridge is the remedy."""
        with pytest.raises(tl.NotConverged, match=r"do not converge: the residual is .* raise ridges"):
            tl.replica(ISOTROPIC, problem(["square"], ridges=[ridge], penalty="l1", labels="linear"))
        found = tl.replica(ISOTROPIC, problem(["square"], ridges=[0.01], penalty="l1", labels="linear"))
        assert 0 < found.excess.item() < 0.01


class TestLimits:
    @pytest.mark.parametrize("ratio", [1.5, 4.0])
    def test_least_squares_without_a_ridge(self, ratio):
        found = tl.replica(ISOTROPIC, problem(["square"], [ratio], [0], labels="linear", noise=0.3))
        assert found.excess.item() == pytest.approx(0.3**2 / (ratio - 1), rel=1e-9)

    @pytest.mark.parametrize("ratio", [0.3, 0.8])
    def test_interpolation(self, ratio):
        found = tl.replica(ISOTROPIC, problem(["square", "huber"], [ratio], [0], labels="linear", noise=0.3))
        expected = 1 - ratio + 0.3**2 * ratio / (1 - ratio)
        np.testing.assert_allclose(found.excess.values.ravel(), expected, rtol=1e-9)
        assert not found.training_loss.any()
        assert np.isinf(found.V).all()

    def test_random_labels(self):
        """Labels that the features do not explain: the training loss is (1 - 1 / ratio) / 2."""
        data = tl.FeatureCovariances.from_spectrum(np.ones(40), np.zeros(40), 1.0)
        found = tl.replica(data, problem(["square"], [3.0], [0]))
        assert found.training_loss.item() == pytest.approx((1 - 1 / 3) / 2, rel=1e-9)
        assert found.largest_separable_sample_ratio.item() == pytest.approx(2, rel=1e-7)

    def test_a_small_ridge_is_none(self):
        for labels, losses in (("linear", ["square", "huber"]), ("probit", ["square", "logistic", "hinge", "huber"])):
            given = {"labels": labels, "noise": 1.0, "ratios": [6.0]}
            none, small = (tl.replica(ISOTROPIC, problem(losses, ridges=[ridge], **given)) for ridge in (0, 1e-7))
            np.testing.assert_allclose(none.q, small.q, rtol=1e-5)
            np.testing.assert_allclose(none.test_loss, small.test_loss, rtol=1e-5)

    @pytest.mark.parametrize("loss", ["huber", "logistic", "hinge"])
    @pytest.mark.parametrize("ratio", [2.0, 8.0])
    def test_the_limit_of_no_ridge_does_not_depend_on_the_unit_of_the_features(self, loss, ratio):
        given = problem([loss], [ratio], [0], labels="probit", noise=0.5)
        one, small, large = (
            tl.replica(tl.FeatureCovariances.from_spectrum(np.full(40, s), np.full(40, s), 1.0), given)
            for s in (1.0, 1e-10, 1e8)
        )
        for name in ("q", "V", "class_error", "test_loss", "training_loss"):
            np.testing.assert_allclose(small[name], one[name], rtol=1e-9)
            np.testing.assert_allclose(large[name], one[name], rtol=1e-9)

    def test_the_limit_of_no_ridge_for_mixtures_of_any_unit(self):
        """With means and noise in one unit. The means have a length of at most about 1."""
        one, small = (
            tl.replica(
                tl.Mixture(means=[[s], [-s]], labels=[1, -1], sigma=s, dimension=20), problem(["huber"], [3.0], [0])
            )
            for s in (1.0, 1e-4)
        )
        for name in ("M", "Q", "V", "training_loss"):
            np.testing.assert_allclose(small[name], one[name], rtol=1e-9)

    @pytest.mark.parametrize("loss", ["hinge", "logistic"])
    def test_an_error_without_a_ridge_names_the_given_ridge(self, loss):
        """The equations of so many samples have no solution in double precision. Fewer samples are the remedy."""
        options = {"ridges": [0], "labels": "logit", "noise": 0.1}
        with pytest.raises(tl.NotConverged, match=r"at sample ratio 1e\+08 and ridge 0 do not converge: "):
            tl.replica(ISOTROPIC, problem([loss], [1e8], **options))
        assert np.isfinite(tl.replica(ISOTROPIC, problem([loss], [1e4], **options)).test_loss).all()

    def test_a_perfect_fit_at_the_first_sample_ratio(self):
        """It is no start for the next sample ratio: output and teacher are equal up to rounding."""
        given = {"ridges": [0.1], "labels": "linear", "huber_delta": 0.1}
        both = tl.replica(ISOTROPIC, problem(["huber"], [1e6, 0.5], **given))
        alone = tl.replica(ISOTROPIC, problem(["huber"], [0.5], **given))
        assert both.q[0, 1, 0].item() == pytest.approx(alone.q.item(), rel=1e-9)

    def test_separable_labels_without_a_ridge(self):
        """The weights of logistic regression diverge. Its class error is the error of the largest margin."""
        found = tl.replica(ISOTROPIC, problem(["logistic", "hinge"], [1.0], [0], labels="probit", noise=0.5)).squeeze()
        assert float(found.largest_separable_sample_ratio) > 1
        assert np.isinf(found.q[0])
        assert np.isinf(found.test_loss[0])
        assert not found.training_loss.any()
        assert found.class_error[0] == found.class_error[1]

    @pytest.mark.parametrize(
        ("loss", "labels", "value"),
        [
            ("square", "sign", 0.5),
            ("square", "linear", 0.5),
            ("logistic", "probit", math.log(2)),
            ("hinge", "sign", 1.0),
            ("huber", "sign", 0.5),
            ("huber", "linear", None),
        ],
    )
    def test_a_large_penalty_leaves_no_weight(self, loss, labels, value):
        """An output of zero has these losses, and the wrong sign in half of the cases."""
        given = problem([loss], ridges=[1000, 1e8], penalty="l1", labels=labels)
        exact = tl.replica(ISOTROPIC, given).squeeze()
        drawn = tl.convex_learning(ISOTROPIC, given, seeds=10, test_samples=20_000).mean("seed").squeeze()
        shared = ("training_loss", "test_loss", "class_error_clean", "excess", "training_class_error", "class_error")
        for name in shared:
            assert (name in exact) == (name in drawn)
            if name in exact:
                np.testing.assert_allclose(exact[name], drawn[name], rtol=0.1, err_msg=name)
        assert not exact.q.any()
        assert not exact.m.any()
        assert not exact.V.any()
        np.testing.assert_array_equal(exact.class_error_clean, 0.5)
        if value is not None:
            np.testing.assert_allclose(exact.test_loss, value, rtol=1e-12)

    @pytest.mark.parametrize("loss", ["square", "logistic"])
    @pytest.mark.parametrize("ratio", [0.1, 1.0, 10.0])
    def test_weights_vanish_gradually(self, loss, ratio):
        """From one ridge to the next no error jumps, down to weights of 1e-150."""
        ridges = list(np.geomspace(1, 1e4, 60))
        found = tl.replica(ISOTROPIC, problem([loss], [ratio], ridges, penalty="l1", labels="sign")).squeeze()
        assert found.converged.all()
        assert found.q[-1] == 0
        last = int((found.q > 0).sum()) - 1
        assert found.q[last] < 1e-100
        assert 0.5 - 1e-9 < found.class_error[last] <= 0.5
        assert (np.diff(found.q) <= 0).all()

    def test_noise_goes_to_zero(self):
        losses = ["square", "logistic", "hinge", "huber"]
        sign = tl.replica(ISOTROPIC, problem(losses))
        for labels in ("probit", "logit"):
            noisy = tl.replica(ISOTROPIC, problem(losses, labels=labels, noise=1e-4))
            np.testing.assert_allclose(noisy.class_error_clean, sign.class_error, rtol=1e-3)
        np.testing.assert_allclose(sign.class_error, sign.class_error_clean, rtol=1e-14)  # rounding

    def test_a_wide_huber_loss_is_the_square_loss(self):
        for labels in ("linear", "logit"):
            found = tl.replica(ISOTROPIC, problem(["square", "huber"], labels=labels, noise=0.3, huber_delta=50.0))
            np.testing.assert_allclose(found.q[0], found.q[1], rtol=1e-9)

    def test_the_huber_loss_of_small_residuals_is_the_square_loss(self):
        """Exact labels with a tiny ridge: the overlaps are so near the teacher's that Newton's method fails."""
        small = problem(["square", "huber"], ratios=[0.5, 2], ridges=[1e-10, 1e-8, 1e-6, 1e-4], labels="linear")
        found = tl.replica(ISOTROPIC, small)
        np.testing.assert_allclose(found.q[0, 1], found.q[1, 1], rtol=1e-12)  # with fewer samples, residuals are large
        np.testing.assert_allclose(found.excess[0], found.excess[1], rtol=1e-6, atol=1e-15)

    def test_the_best_ridge_is_the_bayes_estimator(self):
        """Isotropic Gaussian weights: the ridge of noise over signal."""
        found = tl.optimal_ridge(ISOTROPIC, problem(["square"], ridges=[1e-3, 10], labels="linear", noise=0.6))
        assert found.optimal_ridge.item() == pytest.approx(0.6**2, rel=1e-3)

    def test_two_classes_are_logistic_regression(self):
        means = np.array([[1.0, 0.0], [0.0, 0.5]])
        two = tl.Mixture(means=means, labels=[0, 1], weights=[0.3, 0.7], sigma=0.8)
        signs = tl.Mixture(means=means, labels=[-1, 1], weights=[0.3, 0.7], sigma=0.8)
        classes = tl.replica(two, problem(["softmax"], ridges=[0.2])).squeeze()
        binary = tl.replica(signs, problem(["logistic"], ridges=[0.1])).squeeze()
        for name in ("training_loss", "test_loss", "class_error"):
            assert classes[name].item() == pytest.approx(binary[name].item(), rel=1e-8)
        assert (classes.b[1] - classes.b[0]).item() == pytest.approx(binary.b.item(), rel=1e-8)

    @pytest.mark.parametrize("ratio", [0.5, 2.0])
    @pytest.mark.parametrize("bias", [True, False])
    def test_vanishing_ridges_of_mixtures(self, ratio, bias):
        """Both sides of the interpolation, for two labels and for classes; the Huber loss interpolates alike."""
        given = {"means": [[1.0, 0.0], [-0.6, 0.5]], "weights": [0.35, 0.65], "sigma": 0.7, "spreads": [1.0, 1.4]}
        for labels in ([1, -1], [0, 1]):
            none, small = (
                tl.replica(tl.Mixture(**given, labels=labels), problem(["square"], [ratio], [ridge]), bias=bias)
                for ridge in (0, 1e-7)
            )
            for name in ("M", "Q", "b", "test_loss", "class_error", "training_loss", "training_class_error"):
                np.testing.assert_allclose(none[name], small[name], atol=1e-5, err_msg=name)
            assert np.isinf(none.V.max()) == (ratio < 1)
        signs = tl.Mixture(**given, labels=[1, -1])
        square, huber = tl.replica(signs, problem(["square", "huber"], [ratio], [0], huber_delta=0.5), bias=bias).M
        assert np.allclose(square, huber, rtol=1e-8) == (ratio < 1)

    def test_vanishing_ridges_of_exact_labels(self):
        """Least squares and the Huber loss find a linear function without noise."""
        found = tl.replica(ISOTROPIC, problem(["square", "huber"], [3.0], [0], labels="linear"))
        np.testing.assert_allclose(found.excess, 0.0, atol=1e-12)

    def test_many_samples_find_the_best_classifier(self):
        found = tl.replica(THREE, problem(["square", "softmax"], [2e4], [1e-2])).squeeze()
        rng = np.random.default_rng(0)
        x = np.eye(3)[0] + 0.7 * rng.standard_normal((400_000, 3))
        np.testing.assert_allclose(found.class_error, np.mean(np.argmax(x, axis=1) != 0), rtol=0.01)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("labels", [[0, 1, 2], [1, -1, 1]])
def test_simulations_without_ridge_and_bias(labels, bias):
    """Fewer samples than dimensions are interpolated; more are fitted with the least sum of squares."""
    mixture, few = tl.Mixture(means=np.eye(3), labels=labels, sigma=0.7, dimension=40), {"seeds": 2, "test_samples": 9}
    losses = ["square"] if 0 in labels else ["square", "huber"]
    found = tl.convex_learning(mixture, problem(losses, [0.5, 3.0], [0, 1e-7]), bias=bias, **few)
    assert found.training_loss.sel(sample_ratio=0.5, ridge=0).max() < 1e-20
    for name in ("M", "Q", "b", "training_loss"):
        np.testing.assert_allclose(found[name].sel(ridge=0), found[name].sel(ridge=1e-7), atol=1e-4)
    assert bool(abs(found.b).min() > 0) == bias
    if 0 in labels:
        softmax = tl.convex_learning(mixture, problem(["softmax"]), bias=bias, **few)
        assert bool(abs(softmax.b).min() > 0) == bias


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_no_ridge_is_refused_with_and_without_a_bias(loss, bias):
    X, y = np.eye(4), np.array([1.0, -1.0, 1.0, -1.0])
    with pytest.raises(tl.ConfigError, match=f"ridges has 0, where the {loss} loss has"):
        binary_classifier(X, y, loss, 0.0, bias=bias, huber_delta=1.0)


@pytest.mark.parametrize("ridge", [1e-7, 1e-3, 10.0])
def test_the_bias_of_the_huber_loss_has_no_pull(ridge):
    """The gradient is zero, also where all residuals start beyond delta and the bias has no curvature."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 100)) / 10, np.where(rng.random(90) < 0.3, 1.0, -1.0)
    for delta in (0.05, 1.0):
        *w, b = huber_regression(X, y, ridge, delta, bias=True)
        pulls = np.clip(y - X @ w - b, -delta, delta)
        np.testing.assert_allclose(X.T @ pulls, ridge * np.array(w), atol=1e-7)
        assert abs(pulls.sum()) < 1e-7


def test_sparse_logistic_regression_converges_and_is_reproducible():
    """At a tolerance of 1e-8, some descents ended in rounding errors. The global stream of NumPy has no part."""
    rng = np.random.default_rng(0)
    scales, theta = np.arange(1.0, 121) ** -0.15, np.where(np.arange(120) % 3, 0.3, 1.4)
    before = np.random.get_state()[1:3]  # noqa: NPY002
    for _ in range(25):
        X = rng.standard_normal((600, 120)) * scales
        y = np.sign(X @ theta)
        w = learn(X, y, "logistic", 1.0, penalty="l1")
    after = np.random.get_state()[1:3]  # noqa: NPY002
    np.testing.assert_array_equal(np.append(*after), np.append(*before))
    pull = X.T @ (y / (1 + np.exp(y * (X @ w) / np.sqrt(120)))) / np.sqrt(120)  # a subgradient of |w|
    np.testing.assert_allclose(pull[w != 0], np.sign(w[w != 0]), atol=1e-5)
    assert abs(pull).max() < 1 + 1e-5


class TestSymmetries:
    def test_xor_is_not_learnt(self):
        found = tl.replica(tl.Mixture("xor", sigma=0.5), problem(["square", "logistic", "hinge"]))
        np.testing.assert_allclose(found.class_error, 0.5, atol=1e-9)
        np.testing.assert_allclose(found.M, 0, atol=1e-9)

    def test_spreads_are_covariances(self):
        """Three classes with noise of different strength, described in both ways."""
        given = {"means": np.eye(30)[:3], "labels": [0, 1, 2], "weights": [0.2, 0.3, 0.5]}
        spread = tl.Mixture(**given, sigma=0.5, spreads=[1.0, 1.5, 0.7])
        covariances = np.multiply.outer([0.25, 0.5625, 0.1225], np.eye(30))
        found, expected = (
            tl.replica(one, problem(["square"], ratios=[2.0], ridges=[0.2]))
            for one in (spread, tl.Mixture(**given, covariance=covariances))
        )
        np.testing.assert_allclose(found.confusion, expected.confusion, rtol=1e-6)
        with pytest.raises(tl.ConfigError, match="spreads has 2 values, but the mixture has 3 clusters"):
            tl.Mixture(**given, sigma=0.5, spreads=[1.0, 1.5])

    def test_equal_classes(self):
        """Covariances of the outputs are multiples of the projector, and the errors of all classes are equal."""
        found = tl.replica(THREE, problem(["softmax"])).squeeze()
        projector = np.eye(3) - 1 / 3
        q = found.Q.values[0, 0, 0] / projector[0, 0]
        np.testing.assert_allclose(found.Q, np.broadcast_to(q * projector, (3, 3, 3)), atol=1e-6)
        np.testing.assert_allclose(found.confusion.sum("answer"), 1, atol=1e-12)
        np.testing.assert_allclose(np.diag(found.confusion), 1 - found.class_error.item(), rtol=1e-6)

    def test_permutation_of_classes(self):
        means, order = np.array([[1.0, 0.2], [0.0, 0.5], [-1.0, 0.0]]), [2, 0, 1]
        options = {"weights": [0.2, 0.3, 0.5], "sigma": 0.7}
        one = tl.replica(tl.Mixture(means=means, labels=[0, 1, 2], **options), problem(["square", "softmax"]))
        other = tl.replica(tl.Mixture(means=means, labels=order, **options), problem(["square", "softmax"]))
        np.testing.assert_allclose(other.class_error, one.class_error, rtol=1e-7)
        np.testing.assert_allclose(other.b[..., order], one.b, atol=1e-7)

    def test_signs_of_labels_and_rotations(self):
        rng = np.random.default_rng(0)
        means, root = rng.standard_normal((3, 6)) / 3, rng.standard_normal((6, 6))
        covariance, turn = root @ root.T / 6, np.linalg.qr(rng.standard_normal((6, 6)))[0]
        given = {"weights": [0.2, 0.5, 0.3]}
        losses = ["square", "logistic", "hinge", "huber"]
        one = tl.replica(tl.Mixture(means=means, labels=[1, -1, 1], covariance=covariance, **given), problem(losses))
        turned = tl.Mixture(means=means @ turn.T, labels=[-1, 1, -1], covariance=turn @ covariance @ turn.T, **given)
        other = tl.replica(turned, problem(losses))
        np.testing.assert_allclose(other.class_error, one.class_error, rtol=1e-8)
        np.testing.assert_allclose(other.b, -one.b, atol=1e-8)

    def test_rotation_of_features(self):
        rng = np.random.default_rng(0)
        root, turn = rng.standard_normal((10, 10)), np.linalg.qr(rng.standard_normal((10, 10)))[0]
        Omega, theta = root @ root.T, rng.standard_normal(10)
        one = tl.FeatureCovariances(Psi=Omega, Phi=Omega, Omega=Omega, teacher=theta)
        other = tl.FeatureCovariances(Psi=Omega, Phi=Omega @ turn.T, Omega=turn @ Omega @ turn.T, teacher=theta)
        given = problem(["square", "huber"], labels="linear", noise=0.2)
        np.testing.assert_allclose(tl.replica(other, given).excess, tl.replica(one, given).excess, rtol=1e-9)


def brute_force(rng, K=3, N=100, ratio=2.0, ridge=0.1, sigma=0.7):
    """Class error and loss of softmax regression with a bias on fresh inputs, by a general minimiser."""
    means, n = np.eye(K, N), round(ratio * N)

    def draw(size):
        classes = rng.integers(K, size=size)
        return means[classes] + sigma * rng.standard_normal((size, N)), classes

    def objective(flat, x, classes):
        W, b = flat[: K * N].reshape(K, N), flat[K * N :]
        z = x @ W.T / math.sqrt(N) + b
        p = np.exp(z - logsumexp(z, axis=1, keepdims=True)) - np.eye(K)[classes]
        value = np.sum(logsumexp(z, axis=1) - z[np.arange(len(z)), classes]) + ridge / 2 * np.sum(W**2)
        return value, np.concatenate([(p.T @ x / math.sqrt(N) + ridge * W).ravel(), p.sum(axis=0)])

    found = minimize(objective, np.zeros(K * N + K), args=draw(n), jac=True, method="L-BFGS-B", options={"ftol": 1e-12})
    x, classes = draw(5000)
    z = x @ found.x[: K * N].reshape(K, N).T / math.sqrt(N) + found.x[K * N :]
    loss = np.mean(logsumexp(z, axis=1) - z[np.arange(len(z)), classes])
    return np.mean(np.argmax(z, axis=1) != classes), loss


class TestSimulations:
    def test_brute_force_of_three_classes(self):
        """Theory, our samples and an independent program; finite dimension leaves 3 %."""
        mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.7, dimension=100)
        theory = tl.replica(mixture, problem(["softmax"])).squeeze()
        runs = tl.convex_learning(mixture, problem(["softmax"]), seeds=10, test_samples=5000).squeeze()
        known = np.array([brute_force(rng) for rng in np.random.default_rng(0).spawn(10)])
        for place, name in enumerate(("class_error", "test_loss")):
            expected = theory[name].item()
            for draws in (runs[name].values, known[:, place]):
                error = np.std(draws, ddof=1) / math.sqrt(len(draws))
                assert abs(np.mean(draws) - expected) < 4 * error + 0.03 * expected

    @pytest.mark.slow
    @pytest.mark.parametrize("bias", [True, False])
    def test_clusters_of_two_labels(self, bias):
        """Of 56 z scores with 19 degrees of freedom, one exceeds 6 in a thousand."""
        mixture = tl.Mixture(
            means=[[1, 0], [0, 0.5], [-1, 0]], labels=[1, -1, -1], weights=[0.5, 0.2, 0.3], sigma=0.7, dimension=120
        )
        given = problem(["square", "logistic", "hinge", "huber"], [1, 3], huber_delta=0.5)
        theory = tl.replica(mixture, given, bias=bias)
        runs = tl.convex_learning(mixture, given, bias=bias, seeds=20)
        for name in ("training_loss", "test_loss", "class_error", "Q", "M", "b"):
            error = runs[name].std("seed", ddof=1) / math.sqrt(20)
            gap = abs(runs[name].mean("seed") - theory[name])
            assert bool((gap <= 6 * error + 0.01 * abs(theory[name])).all()), name

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("labels", "losses"),
        [("logit", ["square", "logistic", "hinge", "huber"]), ("linear", ["square", "huber"])],
    )
    def test_noisy_labels(self, labels, losses):
        data = tl.FeatureCovariances.from_spectrum(np.arange(1.0, 201) ** -0.4, 0.5 * np.arange(1.0, 201) ** -0.8, 0.5)
        given = problem(losses, [0.6, 2.0], labels=labels, noise=0.4)
        theory, runs = tl.replica(data, given), tl.convex_learning(data, given, seeds=20, test_samples=None)
        for name in set(runs) - {"training_class_error", "converged"}:
            error = runs[name].std("seed", ddof=1) / math.sqrt(20)
            assert float((abs(runs[name].mean("seed") - theory[name]) / error).max()) < 6, name


class TestRefused:
    def test_a_changed_result(self, tmp_path):
        data = tl.gaussian_feature_covariances(dimension=5)
        tl.write(data, tmp_path / "data.nc")
        for one in (data, tl.read(tmp_path / "data.nc")):
            tl.replica(one, problem(["square"]))
            with pytest.raises(
                tl.ConfigError,
                match="feature_covariances is a result of gaussian_feature_covariances with other values",
            ):
                tl.replica(one.assign(Omega=2 * one.Omega), problem(["square"]))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({}, "give either Psi, Phi, Omega and teacher, or eigenvalues"),
            ({"Psi": np.eye(2)}, "Phi is missing: give Psi, Phi, Omega, teacher together"),
            ({"eigenvalues": [1.0], "alignments": [2.0], "power": 1.0}, "power is 1, but the mean of alignments"),
            ({"eigenvalues": [1.0, -1.0], "alignments": [0.0, 0.0], "power": 1.0}, "eigenvalues has -1"),
            ({"eigenvalues": [0.0, 1.0], "alignments": [1.0, 0.0], "power": 1.0}, "alignments has a positive value"),
            ({"eigenvalues": [1.0], "alignments": [0.0, 0.0], "power": 1.0}, r"shapes \(1,\) and \(2,\)"),
            ({"features": np.ones((5, 2)), "labels": np.ones(5), "power": 1.0}, "give either"),
            ({"Psi": np.eye(2), "Phi": np.eye(2), "Omega": 0.5 * np.eye(2), "teacher": [1, 1]}, "do not match"),
            ({"Psi": np.eye(2), "Phi": np.eye(2), "Omega": np.eye(2), "teacher": [0, 0]}, "field has variance 0: give"),
            ({"Psi": np.eye(2), "Phi": np.ones(2), "Omega": np.eye(2), "teacher": [1, 1]}, r"Phi \(p, d\)"),
        ],
    )
    def test_covariances(self, arguments, message):
        with pytest.raises(tl.ConfigError, match=message):
            tl.FeatureCovariances(**arguments)

    @pytest.mark.parametrize(
        ("data", "given", "message"),
        [
            (
                ISOTROPIC,
                {"losses": ["softmax"]},
                "are signs or numbers, and not classes: choose from square",
            ),
            (ISOTROPIC, {"losses": ["square"], "ratios": [1.0], "ridges": [0]}, "ridges has 0 at sample ratio 1"),
            (ISOTROPIC, {"losses": ["square"], "ridges": [0], "penalty": "l1"}, "with penalty 'l1' give positive"),
            (THREE, {"losses": ["hinge"]}, "of the mixture are numbers of classes: choose from square, softmax"),
            (THREE, {"losses": ["softmax"], "ridges": [0]}, "ridges has 0 and losses has 'softmax': this limit is not"),
            (THREE, {"losses": ["softmax"], "labels": "probit"}, "but the clusters of a mixture define them"),
            (THREE, {"losses": ["softmax"], "penalty": "l1"}, "penalty is 'l1', which depends on the coordinates"),
            (tl.Mixture(regime="high", sigma=1, dimension=30), {"losses": ["square"]}, "set regime to 'low'"),
            (tl.Mixture(means=[[1.0], [0.0]], labels=[1, 1], sigma=1), {"losses": ["square"]}, "all labels of the"),
            (tl.gaussian_feature_covariances(dimension=5), {"losses": ["square"], "penalty": "l1"}, None),
            (
                tl.random_feature_covariances(latent_dimension=5, features=8),
                {"losses": ["square"], "penalty": "l1"},
                "Omega of the covariates is not diagonal",
            ),
        ],
    )
    def test_problems(self, data, given, message):
        if message is None:
            tl.replica(data, problem(**given))
            return
        with pytest.raises(tl.ConfigError, match=message):
            tl.replica(data, problem(**given))

    @pytest.mark.parametrize("bias", [True, False])
    def test_one_label(self, bias):
        mixture = tl.Mixture(means=[[1.0], [0.0]], labels=[1, 1], sigma=1, dimension=20)
        with pytest.raises(tl.ConfigError, match="all labels of the mixture are the same"):
            tl.convex_learning(mixture, problem(["square"]), bias=bias)

    def test_one_class(self):
        with pytest.raises(tl.ConfigError, match="all labels of the mixture are the same"):
            tl.replica(tl.Mixture(means=[[1.0]], labels=[0], sigma=1), problem(["square"]))

    def test_noise_of_signs(self):
        with pytest.raises(tl.ConfigError, match=r"noise is 0\.1, but labels are 'sign'"):
            problem(["square"], noise=0.1)

    def test_classes(self):
        with pytest.raises(tl.ConfigError, match="class 1 has no cluster"):
            tl.Mixture(means=np.eye(2), labels=[0, 2], sigma=1)
        with pytest.raises(tl.ConfigError, match="mixture"):
            tl.learning_curve(THREE, tl.Student("erf", 2), tl.Schedule(learning_rate=0.1, last_time=1))
        with pytest.raises(tl.ConfigError, match="give the argument dimension"):
            tl.convex_learning(tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=1), problem(["softmax"]))
        rng = np.random.default_rng(0)
        roots = rng.standard_normal((2, 3, 3))
        different = tl.Mixture(means=np.eye(2, 3), labels=[1, -1], covariance=roots @ np.swapaxes(roots, 1, 2))
        with pytest.raises(tl.ConfigError, match="do not commute"):
            tl.replica(different, problem(["square"]))

    def test_a_search_that_stops(self):
        """The error has the given ridges, between which the search tries others."""
        given = problem(["hinge"], [1.0], ridges=[20, 25], penalty="l1", labels="sign")
        with pytest.raises(tl.NotConverged, match=r"between ridges 20 and 25 stops, so give closer ridges: .* raise"):
            tl.optimal_ridge(ISOTROPIC, given)

    def test_a_search_up_to_a_ridge_that_does_not_converge(self):
        found = tl.optimal_ridge(ISOTROPIC, problem(["hinge"], ridges=[1e-3, 20], penalty="l1"))
        large = tl.replica(ISOTROPIC, problem(["hinge"], ridges=[5], penalty="l1"))
        assert found.class_error.item() < large.class_error.item()

    def test_a_search_beyond_the_ridge_that_leaves_no_weight(self):
        given = {"losses": ["logistic"], "penalty": "l1", "labels": "probit", "noise": 0.5}
        for first in (1e-6, 0.01, 1):
            near, *far = (
                tl.optimal_ridge(ISOTROPIC, problem(**given, ridges=[first, last])).optimal_ridge
                for last in (10, 1e6, 1e30)
            )
            np.testing.assert_allclose(far, [near] * 2, rtol=1e-4)
        with pytest.raises(tl.NotConverged, match=r"at ridge 1000 makes all weights 0, up to .*: lower ridges"):
            tl.optimal_ridge(ISOTROPIC, problem(**given, ridges=[1e3, 1e6]))

    def test_searches(self):
        with pytest.raises(tl.ConfigError, match="ridges must contain two positive numbers"):
            tl.optimal_ridge(ISOTROPIC, problem(["square"]))
        with pytest.raises(tl.ConfigError, match="minimise is 'excess', which labels 'sign' do not have"):
            tl.optimal_ridge(ISOTROPIC, problem(["square"], ridges=[0.1, 1]), minimise="excess")

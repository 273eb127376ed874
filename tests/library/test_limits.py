"""Extreme and contradictory arguments end in an error that names them; the error of a quadrature is stated."""

import functools
import math
import warnings

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.activations import as_activation
from twolayer.theory.averages.gaussian_integrals import bivariate_normal_cdf
from twolayer.theory.averages.relu_rays import ray_sign_errors
from twolayer.theory.one_step.class_error import strong_axes
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.label_channels import label_channel
from twolayer.theory.replica.replica_equations import Spectrum, linear_labels, ridge_overlaps
from twolayer.theory.teacher_student.signal_averages import Signals

MIXTURE = tl.Mixture(means=[[1.0, 0], [-1, 0]], labels=[1, -1], weights=[0.5, 0.5], sigma=1, dimension=20)
SCHEDULE = tl.Schedule(learning_rate=0.3, last_time=1.0, measurements=3)


@pytest.fixture(scope="module")
def without_noise():
    """The features determine the teacher's field: outputs grow without limit as the ridge vanishes."""
    eigenvalues = np.linspace(0.5, 1.5, 20)
    return Spectrum.of(eigenvalues.sum(), eigenvalues, np.diag(eigenvalues))


class TestReplica:
    SOLVED = (("hinge", 100, 1e-12), ("huber", 100, 1e-12), ("huber", 1e6, 1e-6))

    @pytest.mark.parametrize(
        ("loss", "sample_ratio", "ridge"),
        [
            ("logistic", 100, 1e-12),
            ("logistic", 1e6, 1e-6),
            *((loss, 1e30, 1e-30) for loss in ("logistic", "hinge", "huber")),
            *SOLVED,
        ],
    )
    def test_a_budget(self, without_noise, loss, sample_ratio, ridge):
        """The error states the residual, the work, and what to change; some problems have a solution."""
        theory = ConvexTheory(without_noise, loss)
        if (loss, sample_ratio, ridge) in self.SOLVED:
            assert 0 < theory.solve(sample_ratio, ridge).q < math.inf
            return
        with pytest.raises(tl.NotConverged, match=r"residual .* after \d+ evaluations, raise ridges or"):
            theory.solve(sample_ratio, ridge)

    @pytest.mark.parametrize("loss", ["logistic", "hinge", "huber"])
    @pytest.mark.parametrize("sample_ratio", [1.0, 1e-30])
    def test_weights_are_inversely_proportional_to_a_strong_ridge(self, without_noise, loss, sample_ratio):
        theory = ConvexTheory(without_noise, loss)
        strong, stronger = (theory.solve(sample_ratio, ridge).q * ridge**2 for ridge in (1e20, 1e30))
        assert strong == pytest.approx(stronger, rel=1e-10)

    def test_ordinary_problems_stay_far_below_it(self, without_noise):
        assert ConvexTheory(without_noise, "logistic").solve(4.0, 1e-4).q == pytest.approx(368, rel=0.01)

    def test_a_public_function(self):
        feature_covariances = tl.gaussian_feature_covariances(dimension=10)
        problem = tl.ConvexProblem(sample_ratios=[1e30], ridges=[1e-30])
        with pytest.raises(tl.NotConverged, match="raise ridges or change sample_ratios"):
            tl.replica(feature_covariances, problem)

    @pytest.mark.parametrize("ridge", [1e-9, 1.0, 1e9, 1e20, 1e30])
    @pytest.mark.parametrize("sample_ratio", [1e-9, 0.5, 3.0, 1e9])
    def test_the_response_of_ridge_regression_is_accurate_at_any_size(self, without_noise, sample_ratio, ridge):
        theory = ConvexTheory(without_noise, "square")
        found = theory.solve(sample_ratio, ridge)
        omega = without_noise.eigenvalues
        expected = without_noise.average(omega / (ridge + sample_ratio * omega / (1 + found.V)))
        assert pytest.approx(expected, rel=1e-9) == found.V
        errors = theory.errors(found)
        assert 0 <= errors.training_class_error <= errors.class_error <= 0.5
        assert errors.test_loss >= 0

    def test_interpolation(self, without_noise):
        with pytest.raises(tl.NotConverged, match="raise the ridge or change the sample ratio"):
            ridge_overlaps(without_noise, linear_labels(without_noise), 1.0, 1e-30)

    def test_no_probability_is_below_zero(self):
        rng = np.random.default_rng(0)
        h = rng.normal(0, 6, 20_000)
        k = rng.choice([-1, 1], h.size) * h * (1 + rng.choice([0, 1e-16, 1e-10, 0.1], h.size))
        for r in (rng.uniform(-1, 1, h.size), rng.choice([-1, 1], h.size) * (1 - 10.0 ** -rng.uniform(0, 17, h.size))):
            found = bivariate_normal_cdf(h, k, r)
            assert 0 <= found.min() <= found.max() <= 1
        for freedom in range(1, 8):
            for start in np.linspace(0.1, 10, 300):
                slope = np.array([1.0, -1.0]) * (1 + 1e-15)
                errors = ray_sign_errors(1.0, np.array([1.0, 1.0]), np.array([-start, start]), slope, freedom)
                assert min(errors) >= 0
        for push in np.geomspace(1e-3, 40, 50):
            for cosine in (-1.0, -0.5, 0.0, 0.999999, 1 - 1e-12, 1.0):
                angle = np.arctanh(cosine) if abs(cosine) < 1 else cosine * np.inf
                seen = label_channel("sign", 0.0).seen_from(1.0, angle)
                assert 0 <= seen.below(push) <= 1


class TestQuadrature:
    """The result states the error of the nodes. It agrees with the scatter over other nodes."""

    STUDENT = tl.Student("tanh", 3, dimension=40)

    @staticmethod
    @functools.cache
    def simulated(function, log2_nodes):
        return function(tl.Mixture(sigma=0.5), TestQuadrature.STUDENT, SCHEDULE, seeds=3, log2_nodes=log2_nodes)

    @pytest.mark.parametrize("function", [tl.online_sgd, tl.order_parameter_sgd])
    @pytest.mark.parametrize("log2_nodes", [5, 8])
    def test_simulations(self, function, log2_nodes):
        run, fine = self.simulated(function, log2_nodes), self.simulated(function, 14)
        assert run.quadrature_error.dims == ("time",)
        change = np.sqrt(((run.class_error - fine.class_error) ** 2).mean())
        stated = np.sqrt((run.quadrature_error**2).mean())
        assert 0.2 < float(change / stated) < 5
        assert "quadrature" in run.quadrature_error.attrs["long_name"]

    def test_trained_networks(self):
        settings = {"student": self.STUDENT, "schedule": SCHEDULE, "seeds": 5}
        run, fine = (tl.trained_error(tl.Mixture(sigma=0.5), **settings, log2_nodes=nodes) for nodes in (5, 14))
        change = np.sqrt(((run.class_error - fine.class_error) ** 2).mean("seed"))
        assert 0.2 < float((change / run.quadrature_error).max()) < 5

    def test_phase_diagrams(self):
        row = tl.phase_row(
            tl.Mixture(sigma=0.5), along="learning_rate", values=[0.1, 0.3], student=self.STUDENT, schedule=SCHEDULE,
            seeds=3, measurements=5,
        )  # fmt: skip
        assert row.quadrature_error.dims == ("value",)
        assert (row.quadrature_error > 0).all()

    def test_closed_forms_have_none(self):
        student = tl.Student("linear", 2, dimension=20)
        assert float(tl.online_sgd(MIXTURE, student, SCHEDULE, seeds=2).quadrature_error.max()) == 0


GENERATOR = {"widths": [5, 8]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tl.convex_learning(tl.gaussian_feature_covariances(dimension=5), tl.ConvexProblem([0.05], [0.1])),
            "sample_ratios has 0.05, which gives no sample at a size of 5: give at least 0.2",
        ),
        (
            lambda: tl.convex_learning(tl.gaussian_feature_covariances(dimension=5), tl.ConvexProblem([1e30], [0.1])),
            "sample_ratios has 1e[+]30, which gives",
        ),
        (
            lambda: tl.one_step_simulation(data=tl.SpikedData(20, 3), axes=tl.Axes(width=[0.1])),
            "width has 0.1, which gives no hidden unit at a size of 3",
        ),
        (
            lambda: tl.frozen_features(data=tl.SpikedData(20, 3), axes=tl.Axes(width=[0.1])),
            "width has 0.1, which gives no hidden unit",
        ),
        (lambda: tl.Axes(beta=[1.0, 0.5, 1.0]), "beta has 1 twice"),
        (lambda: tl.ImageAxes(width=[1.0, 1.0]), "width has 1 twice"),
        (
            lambda: tl.equivalence_distance(sizes=[20], samples=100, seeds=2),
            r"sizes is \[20\]: give at least two",
        ),
        (
            lambda: tl.equivalence_distance(sizes=[5, 5], samples=100, seeds=2),
            r"sizes is \[5, 5\]: give each value once",
        ),
        (
            lambda: tl.generator_sgd(
                tl.dense_flow(dimension=6, couplings=1),
                tl.moments(tl.sign_generator(**GENERATOR), samples=100),
                tl.TeacherLearning(last_time=1.0),
            ),
            "moments have 5 latents and 8 inputs, but generator has 6 and 6",
        ),
        (
            lambda: tl.local_fields(
                tl.dense_flow(dimension=6, couplings=1), tl.moments(tl.sign_generator(**GENERATOR), samples=100)
            ),
            "moments have 5 latents and 8 inputs, but generator has 6 and 6",
        ),
        (
            lambda: tl.feature_step(problem=tl.MixtureProblem(sigma=[1.0], sample_ratios=[2.0], input_dimension=1)),
            "input_dimension is 1, but the means span 2 dimensions",
        ),
        (
            lambda: tl.feature_step(problem=tl.MixtureProblem(sigma=[1.0], sample_ratios=[2.0], input_dimension=2)),
            "input_dimension is too small",
        ),
        (
            lambda: tl.order_parameter_sgd(
                tl.Mixture(means=np.eye(5), labels=[1, -1, 1, -1, 1], weights=np.full(5, 0.2), sigma=1),
                tl.Student("erf", 2, dimension=3),
                SCHEDULE,
            ),
            "dimension is 3, but the means span 5 dimensions",
        ),
        (
            lambda: tl.random_features(tl.Mixture(sigma=1.0), input_dimension=20, features_per_dimension=[1e8]),
            "features_per_dimension is 1e[+]08 .* too many for their covariance: give at most 5000",
        ),
        (lambda: tl.plane_density(None, iterations=[0], points=1), "points is 1: it must be at least 2"),
        (
            lambda: tl.Descent(iterations=10**12),
            "every is 50, but there are 1,000,000,000,000 iterations: .* 1,000,000 measurements .* every to 1,000,000",
        ),
        (lambda: tl.convolutional_generator(doublings=1000), "needs more memory .* doublings = 1000"),
        (
            lambda: tl.scaling_row(
                tl.Inputs(dimension=5),
                tl.Student("erf", 4),
                tl.Teacher("erf", 2),
                along="delta",
                values=[0.5],
                times=[1.0],
                seeds=2,
            ),
            "dimension is 5, but 6 units of student and teacher need at least 7: raise it, or lower hidden_units",
        ),
        (
            lambda: tl.learning_curve(tl.Mixture(sigma=1.0), tl.Student("erf", 2, dimension=10**9), SCHEDULE),
            r"hidden_units times dimension is 2e[+]09: at most 2.68e[+]08 initial weights are drawn",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, message):
    with pytest.raises(tl.ConfigError, match=message):
        call()


def test_a_step_of_zero_has_no_leading_axes():
    directions = np.eye(5)[:, :2]
    assert strong_axes([directions], np.zeros((3, 5))).shape == (5, 2)
    tiny, plain = (strong_axes([directions], size * np.eye(5)[4:]) for size in (1e-200, 1.0))
    np.testing.assert_allclose(np.abs(tiny), np.abs(plain), atol=1e-12)


def test_the_spread_of_two_samples():
    generator = tl.sign_generator(widths=[5, 8])
    found = tl.local_fields(generator, tl.moments(generator, samples=100), samples=2)
    assert all(np.isfinite(values).all() for values in found.data_vars.values() if values.dtype.kind == "f")


def test_sampling_errors_of_inputs_that_determine_the_latents():
    """The smallest eigenvalue of their covariance is zero, and negative by sampling errors."""
    generator = tl.dense_generator(widths=[2, 2], activation="linear")
    few = tl.moments(generator, samples=30, seed=3)
    with pytest.raises(tl.ConfigError, match="sampling errors: estimate moments from more samples"):
        tl.local_fields(generator, few, samples=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tl.local_fields(generator, tl.moments(generator, samples=100_000), samples=1000)
    assert abs(found.null_distance - found.distance).max() < 0.03


def test_a_teacher_of_an_odd_number_of_features():
    found = tl.torus_teacher(gamma=10.0, teacher_width=31, points=10)
    assert (found.spread > 0).all()


@pytest.mark.parametrize(
    ("failure", "error", "message"),
    [
        (OverflowError("too large"), tl.NotConverged, "extreme parameters, now sigma = 1e-20"),
        (ZeroDivisionError("division"), tl.NotConverged, "extreme parameters, now sigma = 1e-20"),
        (np.linalg.LinAlgError("SVD did not converge"), tl.NotConverged, "LinAlgError: SVD did not converge"),
        (MemoryError("300 GiB"), tl.ConfigError, "its largest parameters, samples = 1e[+]06"),
        (RuntimeError("can't allocate memory: 10 bytes"), tl.ConfigError, "its largest parameters, samples = 1e[+]06"),
        (ValueError("Overflow when unpacking long long"), tl.ConfigError, "its largest parameters, samples = 1e[+]06"),
        (OverflowError("Python int too large to convert to C long"), tl.ConfigError, "its largest parameters"),
    ],
)
def test_numbers_beyond_double_precision_and_memory(monkeypatch, failure, error, message):
    """Whatever a computation meets, the error names the parameters that lead to it."""
    from twolayer.experiments.mixture_inputs import mixture_sample

    def fail(config):
        raise failure

    monkeypatch.setattr(mixture_sample, "run", fail)
    with pytest.raises(error, match=message) as caught:
        tl.mixture_sample(tl.Mixture(sigma=1.0), sigma=1e-20, samples=10**6)
    assert caught.value.__cause__ is failure


class TestTeacherStudentAndKernels:
    def row(self, student, teacher, value, **options):
        networks = tl.Student(student, hidden_units=4), tl.Teacher(teacher, hidden_units=2, second_layer=0.5)
        options = {"along": "delta", "seeds": 2, "times": [0.0, 1.0], "values": [value]} | options
        return tl.phase_row(tl.Inputs(dimension=300), networks[0], teacher=networks[1], **options)

    def test_a_run_of_too_many_steps(self):
        with pytest.raises(tl.ConfigError, match=r"steps of SGD .* lower times, or raise learning_rate"):
            self.row("erf", "erf", 0.5, learning_rate=1e-30)
        for options in ({"step": 1e-30}, {"dimension": 10**9, "last_time": 1e4}):
            options = {"activation": "hermite2", "dimension": 200, "last_time": 5.0, "seeds": 2} | options
            with pytest.raises(tl.ConfigError, match=r"above 1e.11: lower last_time"):
                tl.escape_time(learning_rate=0.1, **options)

    @pytest.mark.slow
    def test_norms_of_units_with_kinks(self, monkeypatch):
        """The averages at points are not smooth, so that a tight tolerance would take minutes."""
        evaluations = []
        usual = Signals.noise
        monkeypatch.setattr(Signals, "noise", lambda *given: evaluations.append(1) or usual(*given))
        assert float(self.row("relu", "gelu", -0.3).pmse_limit[0, -1]) == pytest.approx(0.17686, abs=2e-4)
        assert len(evaluations) < 1000

    def test_a_trial_step_without_a_covariance_is_repeated(self):
        signals = Signals(as_activation("tanh"), as_activation("tanh"))
        assert signals.defined(np.eye(2))
        assert not signals.defined(np.diag([-1.0, 1.0]))
        assert not signals.defined(np.full((2, 2), np.nan))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isfinite(self.row("relu", "gelu", 0.5, learning_rate=1e3).pmse_theory).all()

    def test_rates_of_an_escape_where_all_are_zero(self):
        options = {"activation": "hermite2", "dimension": 50, "learning_rate": 0.1, "last_time": 0.1, "seeds": 2}
        found = tl.escape_time(overlaps=[-1, 0, 1], **options)
        np.testing.assert_allclose(found.drift, 0, atol=1e-12)

    @pytest.mark.parametrize("sigma", [1e-3, 1e30])
    @pytest.mark.parametrize("regime", ["low", "mixed", "high"])
    def test_kernels_at_any_noise(self, regime, sigma):
        mixture = tl.Mixture(shape="xor", regime=regime, sigma=sigma, dimension=200)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ridge in (None, 0.0, 1e30):
                options = {"activation": "erf", "features": [1, 10**12], "ridge": ridge}
                theory = tl.kernel_theory(mixture, samples=[1, 10**12], **options)
                assert all(np.isfinite(theory[name]).all() for name in theory.data_vars)
                assert float(theory.pmse.min()) >= 0

    def test_a_kernel_of_erf_units_with_large_inputs(self):
        mixture = tl.Mixture(shape="xor", sigma=1e30, dimension=20)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = tl.kernel_regression(mixture, samples=[30], activation="erf", seeds=2, test_samples=100)
        assert np.isfinite(found.pmse).all()

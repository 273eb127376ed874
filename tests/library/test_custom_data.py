"""Functions of the library on custom arrays, functions and modules."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

import twolayer as tl

LABELS = {"losses": ["square"], "labels": "linear"}


def samples(n, d, seed=0):
    rng = np.random.default_rng(seed)
    latents = rng.standard_normal((n, 20))
    projection = np.random.default_rng(1).standard_normal((20, d)) / np.sqrt(20)
    return np.tanh(latents @ projection), np.sign(latents[:, 0] + 0.3 * rng.standard_normal(n))


class TestCovariates:
    def test_they_are_those_of_numpy(self):
        features, labels = samples(5000, 6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            measured = tl.feature_covariances(features, labels)
        expected = np.cov(np.column_stack([labels, features]).T, bias=True)
        np.testing.assert_allclose(measured.Omega, expected[1:, 1:], atol=1e-12)
        np.testing.assert_allclose(measured.Phi, expected[:1, 1:], atol=1e-12)
        np.testing.assert_allclose(measured.Psi, expected[:1, :1], atol=1e-12)
        assert measured.Omega.attrs["long_name"] == "covariance of the features"

    def test_theory_and_simulation_of_ones_own_features_agree(self):
        measured = tl.feature_covariances(*samples(20_000, 40))
        problem = tl.ConvexProblem(sample_ratios=[0.5, 2, 5], ridges=[0.1], **LABELS)
        theory, runs = tl.replica(measured, problem), tl.convex_learning(measured, problem, seeds=20)
        gap = (runs.test_loss.mean("seed") - theory.test_loss) / runs.test_loss.std("seed", ddof=1) * np.sqrt(20)
        assert float(abs(gap).max()) < 5
        assert float(abs(runs.test_loss.mean("seed") / theory.test_loss - 1).max()) < 0.06

    def test_tables_of_pandas(self):
        features, labels = samples(5000, 6)
        frame, column = pd.DataFrame(features).add_prefix("x"), pd.Series(labels)
        expected = tl.feature_covariances(features, labels)
        for given in (frame, frame.astype("Float64")):
            for answers in (column, column.to_frame(), column.astype("Int64"), (column > 0) * 2 - 1):
                np.testing.assert_allclose(tl.feature_covariances(given, answers).Phi, expected.Phi)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda X, y: (X.assign(t="u"), y), r"features has no numbers in column 't' .*: leave the column out"),
            (lambda X, y: (X, y.map({1: "yes", -1: "no"})), r"labels has no numbers .*: give numbers, as"),
            (lambda X, y: (X, y[::-1]), r"features and labels have different indices: .*labels.loc\[features.index\]"),
            (lambda X, y: (X.set_index("x0"), y), "have different indices"),
            (lambda X, y: (X, pd.concat([y, y], axis=1)), r"labels has shape \(5000, 2\)"),
            (lambda X, y: (X, pd.Series(pd.Categorical(y))), r"labels has no numbers .category.: give numbers, as"),
            (lambda X, y: (X.mask(X > 0.95), y), r"features has no value in column 'x\d' in row \d+, counted from 0"),
            (lambda X, y: (X.astype("Float64").mask(X > 0.95), y), r"features has no value in column 'x\d' in row"),
            (lambda X, y: (X, y.mask(y.index == 3)), "labels has no value in row 3, counted from 0: fill it in, or"),
        ],
    )
    def test_tables_that_do_not_fit(self, change, message):
        features, labels = samples(5000, 6)
        with pytest.raises(tl.ConfigError, match=message) as caught:
            tl.feature_covariances(*change(pd.DataFrame(features).add_prefix("x"), pd.Series(labels)))
        assert "\n" not in str(caught.value)

    def test_rows_of_xarray(self):
        features, labels = samples(400, 3)
        rows = np.arange(400)
        given = xr.DataArray(features, {"row": rows}, ("row", "feature"))
        fitting, other = (xr.DataArray(labels[order], {"row": rows[order]}, ("row",)) for order in (rows, rows[::-1]))
        expected = tl.feature_covariances(features, labels).Phi
        np.testing.assert_allclose(tl.feature_covariances(given, fitting).Phi, expected)
        with pytest.raises(tl.ConfigError, match=r"different indices: .* for example labels.reindex_like\(features\)"):
            tl.feature_covariances(given, other)
        np.testing.assert_allclose(tl.feature_covariances(given, other.reindex_like(given)).Phi, expected)

    def test_standardized_features_have_no_units(self):
        features, labels = samples(5000, 6)
        plain, other = (
            tl.feature_covariances(features * unit, labels, standardize=True) for unit in (1, np.logspace(-6, 6, 6))
        )
        np.testing.assert_allclose(other.Omega, plain.Omega, rtol=1e-9)
        np.testing.assert_allclose(plain.Omega, np.corrcoef(features.T), rtol=1e-9)
        features[:, 3] = 1 / 3  # rounding gives this constant a deviation above 0
        with pytest.raises(tl.ConfigError, match=r"feature 3 .* is constant: leave it out, or set standardize"):
            tl.feature_covariances(features, labels, standardize=True)

    def test_numbers_that_differ_by_rounding_are_equal(self):
        features, labels = samples(5000, 6)
        with pytest.raises(tl.ConfigError, match=r"labels are all 0\.3: give labels that differ"):
            tl.feature_covariances(features, np.where(labels > 0, 0.1 + 0.2, 0.3))
        for constant in (np.zeros((5000, 6)), 1e17 + 0 * features, features * 1e-3 + 1e14):
            with pytest.raises(tl.ConfigError, match="features are constant: give features that differ"):
                tl.feature_covariances(constant, labels)

    @pytest.mark.parametrize(
        ("unit", "of_labels", "message"),
        [
            (1e-25, 1, r"features vary by up to .*e-25: give them in another unit, or set standardize to true"),
            (1e20, 1, r"features vary by up to .*e[+]20: give them in another unit"),
            (1, 1e20, r"labels vary by 2e[+]20: give them in another unit"),
            (1, 1e-20, r"labels vary by 2e-20: give them in another unit"),
        ],
    )
    def test_units_that_leave_the_range_of_results(self, unit, of_labels, message):
        features, labels = samples(5000, 6)
        with pytest.raises(tl.ConfigError, match=message):
            tl.feature_covariances(unit * features, of_labels * labels)
        if of_labels == 1:
            found = tl.feature_covariances(unit * features, labels, standardize=True)
            np.testing.assert_allclose(found.Omega, np.corrcoef(features.T), rtol=1e-9)

    @pytest.mark.parametrize(("ratio", "message"), [(1e30, "give at most"), (1e-20, "gives no sample")])
    def test_sample_ratios_without_a_training_set(self, ratio, message):
        """The theory of draws from the set needs whole samples."""
        measured = tl.feature_covariances(*samples(5000, 6))
        with pytest.raises(tl.ConfigError, match=f"sample_ratios has .*{message}"):
            tl.replica(measured, tl.ConvexProblem(sample_ratios=[ratio], ridges=[0.1], **LABELS))

    def test_a_vanishing_ridge(self):
        measured = tl.feature_covariances(*samples(5000, 6))
        found = tl.replica(measured, tl.ConvexProblem(sample_ratios=[0.5, 3.0], ridges=[0.0, 1e-9], **LABELS))
        np.testing.assert_allclose(found.set_test_loss.sel(ridge=0), found.set_test_loss.sel(ridge=1e-9), rtol=1e-5)

    def test_few_samples_are_warned_of(self):
        with pytest.warns(
            tl.SmallSample, match=r"500 samples of 20 features: .* about 40%.*; 2000 samples would reduce them to 20%"
        ):
            tl.feature_covariances(*samples(500, 20))

    @pytest.mark.parametrize("function", [tl.replica, tl.convex_learning])
    def test_drawing_most_of_the_set_is_warned_of(self, function):
        measured = tl.feature_covariances(*samples(5000, 20))
        with pytest.warns(
            tl.SmallSample, match=r"draws 600 times from a set of 5000 samples.* use a sample_ratio below 25, or"
        ):
            function(measured, tl.ConvexProblem(sample_ratios=[30], ridges=[0.1], **LABELS))

    def test_the_warning_is_deserved(self):
        """Theory and simulation part where training sets are as large as the set that they are drawn from."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measured = tl.feature_covariances(*samples(160, 80))
            problem = tl.ConvexProblem(sample_ratios=[2.0], ridges=[1e-3], **LABELS)
            runs, theory = tl.convex_learning(measured, problem, seeds=10), tl.replica(measured, problem)
        assert float(runs.test_loss.mean() / theory.test_loss.mean()) > 1.2

    def test_labels_are_no_signs_of_a_gaussian_field(self):
        measured = tl.feature_covariances(*samples(4000, 10))
        with pytest.raises(tl.ConfigError, match=r"labels is 'sign'.*set labels to 'linear' and losses to \[square\]"):
            tl.replica(measured, tl.ConvexProblem([1.0], [0.1]))


class TestVariableProjection:
    def settings(self, **changes):
        descent = tl.Descent(iterations=60, step=2e-3, every=20)
        return {"width": 40, "ridge": 1e-2, "descent": descent, "device": "cpu"} | changes

    def data(self, n=150, seed=0):
        inputs = np.random.default_rng(seed).uniform(-2, 2, (n, 2))
        return inputs, np.sin(2 * inputs[:, 0]) * inputs[:, 1]

    @pytest.mark.parametrize("activation", ["relu", "tanh", np.sin, lambda z: z * np.exp(-(z**2))])
    def test_the_risk_falls_to_what_ridge_regression_has(self, activation):
        (inputs, targets), settings = self.data(), self.settings(activation=activation)
        run = tl.variable_projection(inputs, targets, **settings)
        assert (np.diff(run.risk) <= 1e-9).all()
        assert float(run.risk[-1]) < 0.985 * float(run.risk[0])
        fields = np.column_stack([inputs, np.ones(len(inputs))]) @ run.W.values.T
        features = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh}.get(activation, activation)(fields)
        N, M = features.shape
        u = np.linalg.solve(features.T @ features / (N * M) + 1e-2 * np.eye(M), features.T @ targets / N)
        np.testing.assert_allclose(run.outer[:, 0], u, rtol=1e-6, atol=1e-8)
        error = features @ u / M - targets
        assert float(run.pmse[-1]) == pytest.approx(np.mean(error**2) / 2)
        assert float(run.risk[-1]) == pytest.approx(np.mean(error**2) / 2e-2 + np.mean(u**2) / 2)

    @pytest.mark.slow
    def test_two_timescales_end_where_projection_does(self):
        settings = self.settings(descent=tl.Descent(iterations=400, step=2e-3, every=100))
        fast, slow = (
            function(*self.data(), **settings).risk for function in (tl.variable_projection, tl.two_timescale)
        )
        assert float(fast[0]) == pytest.approx(float(slow[0]))
        assert float(slow[1]) > float(fast[1])
        assert float(slow[-1]) == pytest.approx(float(fast[-1]), rel=0.02)

    def test_an_entropy_leaves_no_weight_negative(self):
        run = tl.variable_projection(*self.data(), **self.settings(regularization="unbiased", power=1))
        assert (np.diff(run.risk) < 0).all()
        assert (run.outer > 0).all()
        with pytest.raises(tl.ConfigError, match="power is 1: use 2, or the unbiased"):
            tl.variable_projection(*self.data(), **self.settings(power=1))

    @pytest.mark.parametrize("power", [1, 1.5])
    def test_an_entropy_on_two_timescales(self, power):
        settings = self.settings(regularization="unbiased", power=power)
        both, projected = tl.two_timescale(*self.data(), **settings), tl.variable_projection(*self.data(), **settings)
        assert (both.outer >= 0).all()  # 0 is possible above power 1
        assert both.risk[-1] < both.risk[0]
        assert float(both.risk[0]) == pytest.approx(float(projected.risk[0]), rel=1e-9)

    def test_test_samples_have_indices_of_their_own(self):
        inputs, targets = self.data(40)
        table, column = pd.DataFrame(inputs), pd.Series(targets)
        parts = [table[::2], column[::2], table[1::2], column[1::2]]
        settings = self.settings(descent=tl.Descent(iterations=1, step=1e-3, every=1))
        tl.variable_projection(*parts[:2], test_inputs=parts[2], test_targets=parts[3], **settings)
        with pytest.raises(tl.ConfigError, match="test_inputs and test_targets have different indices"):
            tl.variable_projection(*parts[:2], test_inputs=parts[2], test_targets=parts[3][::-1], **settings)

    def test_a_function_of_ones_own_is_as_good_as_a_name(self):
        ours, theirs = (
            tl.variable_projection(*self.data(), **self.settings(activation=activation)).risk
            for activation in (np.tanh, "tanh")
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)

    def test_several_outputs_and_fresh_samples(self):
        (inputs, targets), (fresh, answers) = self.data(), self.data(seed=1)
        both, also = np.column_stack([targets, -targets]), np.column_stack([answers, -answers])
        run = tl.variable_projection(inputs, both, test_inputs=fresh, test_targets=also, **self.settings())
        assert run.outer.shape == (40, 2)
        assert (run.test_pmse > 0).all()

    def test_steps_that_are_too_large(self):
        settings = self.settings(ridge=1e-3, descent=tl.Descent(iterations=50, step=0.1))
        with pytest.raises(
            tl.NotConverged, match=r"the risk rises from .*: use step='auto', a smaller step or a larger ridge"
        ):
            tl.variable_projection(*self.data(), **settings)

    def test_the_step_of_the_result_is_the_step_that_was_taken(self):
        """A fixed step of that size leads to the same weights."""
        settings = self.settings(ridge=1e-2, descent=tl.Descent(iterations=1, step="auto", every=1))
        searched = tl.variable_projection(*self.data(), **settings)
        settings["descent"] = tl.Descent(iterations=1, step=float(searched.step[-1]), every=1)
        np.testing.assert_allclose(tl.variable_projection(*self.data(), **settings).W, searched.W, rtol=1e-6)

    @pytest.mark.parametrize("function", [tl.variable_projection, tl.two_timescale])
    @pytest.mark.parametrize("inputs", [1, 3, 50])
    @pytest.mark.parametrize(("scale", "ridge"), [(1e-3, 1e-2), (1.0, 1e-8), (1e3, 1e-8)])
    def test_the_default_step_suits_any_scale(self, function, inputs, scale, ridge):
        """No risk rises, and the result has the steps."""
        x = np.random.default_rng(0).uniform(-2, 2, (60, inputs))
        y = scale * np.sin(2 * x[:, 0])
        for activation in ("relu", "tanh"):
            descent = tl.Descent(iterations=12, step="auto", every=4)
            found = function(scale * x, y, width=20, ridge=ridge, activation=activation, descent=descent)
            assert np.all(np.diff(found.risk) <= 1e-12 * float(found.risk[0]))  # rounding
            assert found.step[0] == 0
            assert np.all(found.step >= 0)

    def test_the_default_is_a_line_search(self):
        assert tl.variable_projection.__signature__.parameters["descent"].default.step == "auto"
        with pytest.raises(tl.ConfigError, match="step is 'auto', which needs variable_projection"):
            tl.ultrafast_diffusion(gamma=1.0, descent=tl.Descent(step="auto"))

    def test_a_step_function_has_no_slope(self):
        with pytest.raises(tl.ConfigError, match="'sign', whose slope is zero"):
            tl.two_timescale(*self.data(), **self.settings(activation="sign"))


class TestGenerators:
    def test_a_module_of_ones_own_is_as_good_as_a_result(self):
        made = tl.sign_generator(widths=[30, 60], seed=3)
        matrix = torch.from_numpy(made["weights.layers.0"].values)
        own = tl.Generator(lambda latents: torch.sign(latents @ matrix.T), latent_size=30)
        ours, theirs = (tl.moments(generator, samples=2000) for generator in (own, made))
        np.testing.assert_allclose(ours.Omega, theirs.Omega)
        learning = tl.TeacherLearning(last_time=5.0, measurements=4)
        curves = [tl.generator_sgd(one, theirs, learning, seeds=2, test_samples=500) for one in (own, made)]
        np.testing.assert_allclose(curves[0].pmse, curves[1].pmse)

    def test_theory_of_ones_own_generator(self):
        torch.manual_seed(0)
        network = torch.nn.Sequential(torch.nn.Linear(60, 200), torch.nn.Tanh())
        generator = tl.Generator(network, latent_size=60)
        moments, learning = tl.moments(generator, samples=20_000), tl.TeacherLearning(last_time=10.0, measurements=5)
        theory = tl.teacher_curve(moments, learning)
        runs = tl.generator_sgd(generator, moments, learning, seeds=8, test_samples=2000)
        assert float(abs(runs.pmse.mean("seed") / theory.pmse - 1).max()) < 0.1

    def test_the_gaussian_equivalent_of_features(self):
        """A common scale of all inputs leaves features far from Gaussian. Gaussian samples obey the theory."""

        class Scaled(torch.nn.Module):
            def forward(self, latent):
                return latent * latent[:, :1] ** 2

        generator = tl.Generator(Scaled(), latent_size=60)
        feature_covariances = tl.generated_feature_covariances(
            generator, features=40, samples=20_000, activation="relu"
        )
        problem = tl.ConvexProblem(sample_ratios=[2.0, 4.0], ridges=[0.1], losses=["square"])
        theory = tl.replica(feature_covariances, problem).test_loss.squeeze()
        gaussian = tl.convex_learning(
            feature_covariances, problem, gaussian_equivalent=True, seeds=40, test_samples=None
        )
        np.testing.assert_allclose(gaussian.test_loss.mean("seed").squeeze(), theory, rtol=0.05)
        generated = tl.convex_learning(feature_covariances, problem, generator=generator, seeds=10, test_samples=2000)
        assert float(abs(generated.test_loss.mean("seed").squeeze() / theory - 1).max()) > 0.15
        with pytest.raises(tl.ConfigError, match="do not fit"):
            tl.convex_learning(feature_covariances, problem, generator=generator, gaussian_equivalent=True)

    def test_features_of_ones_own_generator(self):
        torch.manual_seed(0)
        generator = tl.Generator(torch.nn.Linear(30, 50), latent_size=30)
        feature_covariances = tl.generated_feature_covariances(generator, features=40, samples=4000)
        problem = tl.ConvexProblem(sample_ratios=[2.0], ridges=[0.1])
        runs = tl.convex_learning(feature_covariances, problem, generator=generator, seeds=4)
        theory = tl.replica(feature_covariances, problem)
        assert float(runs.class_error.mean() / theory.class_error.mean()) == pytest.approx(1, abs=0.2)
        other = tl.Generator(torch.nn.Linear(30, 50), latent_size=30)
        with pytest.raises(tl.ConfigError, match="differs from the generator of the covariates"):
            tl.convex_learning(feature_covariances, problem, generator=other)

    @pytest.mark.parametrize(
        ("module", "size", "message"),
        [
            (torch.nn.Linear(3, 4), 2, "module fails on latents of latent_size 2"),
            (torch.nn.Linear(3, 4), 0, "latent_size is 0: it must be a whole number of at least 1"),
            (torch.nn.Linear(3, 4), "3", "latent_size is '3'"),
            ("dcgan", 3, "module is 'dcgan': give a torch module"),
            (lambda latents: latents.sum(), 3, "it must give one row for each"),
            (lambda latents: latents / 0 * 0, 3, "module gives NaN or infinity"),
        ],
    )
    def test_what_is_no_generator(self, module, size, message):
        with pytest.raises(tl.ConfigError) as caught:
            tl.Generator(module, size)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_labels_without_any_correlation_to_the_features():
    """XOR in balanced samples: one Gaussian with their correlation is one that knows nothing of the labels."""
    corners = np.array([[i, j, k] for i in (1.0, -1.0) for j in (1.0, -1.0) for k in (0.5, -0.5)])
    features = np.tile(corners, (20, 1))
    data = tl.feature_covariances(features, features[:, 0] * features[:, 1])
    one = tl.data_mixture(data, gaussians="one")
    assert np.abs(one.means).max() == 0
    problem = tl.ConvexProblem(sample_ratios=[10.0], ridges=[0.1], labels="classes")
    runs = tl.data_learning(data, problem, seeds=4, test_samples=60, distributions=["one"])
    assert 0.3 < float(runs.class_error.mean()) < 0.7


class TestFewFeatures:
    """Sets with fewer features than the network has units."""

    @pytest.fixture(params=[1, 2])
    def few(self, request):
        features = np.random.default_rng(0).standard_normal((1000, request.param))
        return tl.feature_covariances(features, np.sign(features[:, 0] + 0.3))

    def test_units_whose_pre_activations_are_dependent(self, few):
        """The Gaussian numbers that the distances are compared with have the same singular covariance."""
        mixture, schedule = tl.data_mixture(few), tl.Schedule(learning_rate=0.3, last_time=5, measurements=3)
        runs = tl.data_sgd(few, mixture, tl.Student("erf", 4), schedule, seeds=2, directions=64)
        assert np.isfinite(runs.null_distance).all()
        assert (runs.null_kurtosis < 0.5).all()

    def test_one_gaussian_along_the_only_feature_has_no_noise(self):
        features = np.random.default_rng(0).standard_normal((1000, 1))
        few = tl.feature_covariances(features, np.sign(features[:, 0]))
        with pytest.raises(tl.ConfigError, match="the set has no other feature: set gaussians to 'labels'"):
            tl.data_mixture(few, gaussians="one")

"""The replica equations against samples, limits and each other; what they refuse."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit
from tasks import make

import twolayer as tl
from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments.replica.parameters import ConvexProblem
from twolayer.figures.gaussian_equivalence.sample_ratios import finite_size
from twolayer.model.networks.activations import ERF, RELU, SIGN
from twolayer.model.networks.hermite_expansion import converged_expansion
from twolayer.model.teachers.feature_covariances import (
    CovariateModel,
    power_law_covariances,
    random_feature_covariances,
)
from twolayer.simulation.convex.convex_learning import gaussian_source, learn, perform, random_feature_source
from twolayer.theory.mixtures.random_features import random_projection
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.margin_losses import proximal_point
from twolayer.theory.replica.overlap_solver import solve_overlaps
from twolayer.theory.replica.replica_equations import Spectrum, covariate_spectrum, squared_weights


def general_covariates(p=240, d=160, seed=0):
    """Features of both sides that share an anisotropic latent."""
    rng = np.random.default_rng(seed)
    latent = 200
    A, B = (rng.standard_normal((n, latent)) / np.sqrt(np.arange(1, latent + 1)) for n in (p, d))
    return CovariateModel(A @ A.T, A @ B.T, B @ B.T, rng.standard_normal(p)), A, B


def estimators(draw, d, alpha, ridge, loss, seeds):
    """(seeds, measurements) of trained estimators, and their |w|^2 / d."""
    rows = []
    for rng in np.random.default_rng(1).spawn(seeds):
        field, features = draw(rng, round(alpha * d))
        weights = learn(features, np.sign(field), loss, ridge)
        known = perform(weights, field, features, np.sign(field), loss)
        fresh_field, fresh = draw(rng, 2000)
        fresh = perform(weights, fresh_field, fresh, np.sign(fresh_field), loss)
        rows.append([known.loss, fresh.loss, fresh.class_error, fresh.q, fresh.m, weights @ weights / d])
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
def test_features_of_two_sides(loss):
    """Drawn from their common latent, with p > d; of 6 z scores with 29 degrees of freedom one exceeds 5 in 10^4."""
    feature_covariances, A, B = general_covariates()
    (p, latent), d, alpha, ridge, seeds = A.shape, len(B), 1.5, 0.1, 30

    def draw(rng, n):
        z = rng.standard_normal((n, latent))
        return z @ A.T @ feature_covariances.teacher / math.sqrt(p), z @ B.T

    spectrum = covariate_spectrum(feature_covariances)
    theory = ConvexTheory(spectrum, loss)
    overlaps = theory.solve(alpha, ridge)
    errors = theory.errors(overlaps)
    expected = [errors.training_loss, errors.test_loss, errors.class_error, overlaps.q, overlaps.m]
    expected.append(squared_weights(spectrum, ridge, overlaps))
    rows = estimators(draw, d, alpha, ridge, loss, seeds)
    scores = (rows.mean(axis=0) - expected) / (rows.std(axis=0, ddof=1) / math.sqrt(seeds))
    assert np.abs(scores).max() < 5


def test_the_gaussian_source_has_the_covariances():
    feature_covariances, *_ = general_covariates(30, 20)
    field, features = gaussian_source(feature_covariances)(np.random.default_rng(0), 200_000)
    np.testing.assert_allclose(features.T @ features / len(field), feature_covariances.Omega, atol=0.3)
    scale = math.sqrt(feature_covariances.power * np.diag(feature_covariances.Omega).max())
    np.testing.assert_allclose(field @ features / len(field), feature_covariances.correlation, atol=0.02 * scale)
    assert np.mean(field**2) == pytest.approx(feature_covariances.power, rel=0.02)


def test_training_class_error_of_both_losses():
    """By a Gaussian field and its teacher, and the outputs that training makes of it."""
    rng = np.random.default_rng(0)
    spectrum = covariate_spectrum(power_law_covariances(200, 0.8))
    for loss, pull in (("square", lambda w, V: (w + V) / (1 + V)), ("logistic", proximal_point)):
        theory = ConvexTheory(spectrum, loss)
        overlaps = theory.solve(3.0, 0.5)
        errors = theory.errors(overlaps)
        cosine = overlaps.m / math.sqrt(spectrum.power * overlaps.q)
        a, b = rng.standard_normal((2, 400_000))
        outputs = pull(math.sqrt(overlaps.q) * np.sign(cosine * a + math.sqrt(1 - cosine**2) * b) * a, overlaps.V)
        measured = np.mean(outputs < 0)
        assert abs(measured - errors.training_class_error) < 4 * math.sqrt(measured / 400_000)
        assert measured > 0.001


@pytest.mark.parametrize("V", [1e-3, 1.0, 26.0, 5e3, 1e6])
def test_proximal_points_solve_their_equation(V):
    omega = np.concatenate([np.linspace(-2 * V - 50, 2 * V + 50, 4001), [-V / 2, 800.0]])
    x = proximal_point(omega, V)
    slope = 1 + V * expit(x) * expit(-x)
    assert np.max(np.abs(omega + V * expit(-x) - x) / slope / (1 + np.abs(omega) + V)) < 1e-15
    assert np.all(np.diff(x[:-2]) > 0)


def test_the_peak_of_interpolation_diverges_as_the_ridge_vanishes():
    spectrum = covariate_spectrum(power_law_covariances(100, 0.0))
    theory = ConvexTheory(spectrum, "square")
    losses = [theory.errors(theory.solve(1.0, ridge)).test_loss for ridge in (1e-4, 1e-6, 1e-8)]
    assert np.divide(losses[1:], losses[:-1]) == pytest.approx(10, rel=0.05)  # like ridge^(-1/2)


@pytest.mark.parametrize("ridge", [1e-2, 1e-6])
def test_logistic_regression_far_from_the_start(ridge):
    """Hard cases: many and few samples; what the equations give back is what they were given."""
    spectrum = covariate_spectrum(power_law_covariances(300, 1.2))
    for alpha in (0.05, 30.0):
        theory = ConvexTheory(spectrum, "logistic")
        errors = theory.errors(theory.solve(alpha, ridge))
        assert 0 < errors.training_loss < errors.test_loss
    assert errors.class_error < 0.05


@pytest.mark.parametrize(
    ("activation", "distribution"),
    [(SIGN, lambda c: 2 / math.pi * np.arcsin(c)), (ERF, lambda c: 2 / math.pi * np.arcsin(c / 2))],
)
def test_the_arcsine_law(activation, distribution):
    projection = random_projection(np.random.default_rng(0), 150, 80)
    expansion, _ = converged_expansion(activation.value, 1.0, 9)
    feature_covariances = random_feature_covariances(projection, np.ones(150), expansion)
    np.testing.assert_allclose(
        feature_covariances.Omega, distribution(np.clip(projection.T @ projection / 150, -1, 1)), atol=2e-4
    )


@pytest.mark.slow
def test_random_features_against_their_samples():
    rng = np.random.default_rng(0)
    projection, teacher, n = random_projection(rng, 60, 40), rng.standard_normal(60), 200_000
    expansion, _ = converged_expansion(RELU.value, 1.0, 4)
    feature_covariances = random_feature_covariances(projection, teacher, expansion)
    mean = np.full(40, expansion.coefficients[0])
    field, features = random_feature_source(projection, teacher, RELU, mean)(rng, n)
    assert np.abs(features.mean(axis=0)).max() < 5 * 0.6 / math.sqrt(n)
    np.testing.assert_allclose(features.T @ features / n, feature_covariances.Omega, atol=0.01)
    np.testing.assert_allclose(field @ features / n, feature_covariances.correlation, atol=0.015)


def test_the_two_studies_meet():
    """Random features of the XOR mixture: many samples lead to the best readout, within 1 / alpha."""
    feature_covariances = make(
        "mixture_feature_covariances", {"sigma": 0.3, "input_dimension": 60, "features_per_dimension": 2, "seed": 0}
    )
    problem = {"losses": ["square"], "labels": "linear", "ridges": [1e-2], "sample_ratios": [1e4]}
    excess = (
        make("replica", {"problem": problem}, feature_covariances=feature_covariances).test_loss
        / feature_covariances.pmse
        - 1
    )
    assert excess.item() == pytest.approx(1e-4, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "params", "labels"),
    [
        ("gaussian_feature_covariances", {"dimension": 150, "exponent": 0.6}, "sign"),
        (
            "random_feature_covariances",
            {"latent_dimension": 200, "features": 150, "seed": 0, "activation": "relu"},
            "sign",
        ),
        (
            "mixture_feature_covariances",
            {"sigma": 0.2, "input_dimension": 75, "features_per_dimension": 2, "seed": 0},
            "linear",
        ),
    ],
)
def test_samples_of_every_kind_agree_with_the_theory(task, params, labels):
    """Of 16 z scores with 19 degrees of freedom, one exceeds 6 in 10^4."""
    feature_covariances = make(task, params)
    losses = ["square", "logistic"] if labels == "sign" else ["square"]
    problem = {"losses": losses, "labels": labels, "ridges": [0.05], "sample_ratios": [0.7, 2]}
    theory = make("replica", {"problem": problem}, feature_covariances=feature_covariances)
    samples = make(
        "convex_learning", {"problem": problem, "seeds": 20, "seed": 0}, feature_covariances=feature_covariances
    )
    for name in {"training_loss", "test_loss", "class_error", "q", "m"} & set(theory):
        error = samples[name].std("seed", ddof=1) / math.sqrt(20)
        assert float(abs((samples[name].mean("seed") - theory[name]) / error).max()) < 6
    assert ("class_error" in theory) == (labels == "sign")


def changed(matrix, entry, value):
    matrix = matrix.copy()
    matrix[entry] = matrix[entry[::-1]] = value
    return matrix


def test_bad_covariances():
    good = power_law_covariances(5, 0.0)
    with pytest.raises(ConfigError, match=r"Omega is not positive semi-definite: its eigenvalues go from -1"):
        covariate_spectrum(CovariateModel(good.Psi, good.Phi, changed(good.Omega, (0, 1), 2.0), good.teacher))
    with pytest.raises(ConfigError, match=r"Psi is not positive semi-definite"):
        covariate_spectrum(CovariateModel(changed(good.Psi, (0, 1), 2.0), good.Phi, good.Omega, good.teacher))
    with pytest.raises(ConfigError, match=r"Omega is not symmetric"):
        covariate_spectrum(CovariateModel(good.Psi, good.Phi, good.Omega + np.eye(5, k=1), good.teacher))
    with pytest.raises(ConfigError, match=r"do not match: the features explain 2 of the teacher's variance 1"):
        covariate_spectrum(CovariateModel(good.Psi, good.Phi, good.Omega / 2, good.teacher))
    with pytest.raises(ConfigError, match=r"Phi \(4, 5\) and Omega \(5, 5\) do not fit"):
        CovariateModel(good.Psi, good.Phi[1:], good.Omega, good.teacher)


def test_a_flat_direction_is_rounding():
    flat = np.ones((4, 4)) / 4
    spectrum = Spectrum.of(1.0, np.full(4, 0.4), flat)
    assert spectrum.eigenvalues == pytest.approx([0, 0, 0, 1], abs=1e-15)
    assert spectrum.eigenvalues.min() >= 0


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_bad_problems(loss):
    theory = ConvexTheory(covariate_spectrum(power_law_covariances(5, 0.0)), loss)
    with pytest.raises(ConfigError, match="sample ratio is 0: it must be above 0"):
        theory.solve(0.0, 0.1)
    with pytest.raises(ConfigError, match="ridge is -1: it must be above 0"):
        theory.solve(1.0, -1.0)


def test_labels_of_one_class():
    with pytest.raises(ConfigError, match="all 7 labels are 1: the logistic loss needs both, so draw more samples"):
        learn(np.ones((7, 3)), np.ones(7), "logistic", 0.1)


@pytest.mark.slow
def test_equations_without_a_solution():
    spectrum = covariate_spectrum(power_law_covariances(5, 0.7))
    with pytest.raises(
        NotConverged,
        match=r"at sample ratio 1e\+08 and ridge 1e-08 do not converge: .* raise ridges or change sample_ratios",
    ):
        ConvexTheory(spectrum, "logistic").solve(1e8, 1e-8)
    endless = SimpleNamespace(cost=lambda *_: 0, conjugates=lambda spectrum, ratio, V, q, angle: (math.inf, q, angle))
    with pytest.raises(NotConverged, match=r"at sample ratio 2 and ridge 0.1 do not converge: .*raise ridges"):
        solve_overlaps(endless, spectrum, 2.0, 0.1)


def sparse_logistic(exponent, labels="sign", noise=0.0):
    omega = np.arange(1.0, 51) ** -exponent
    spectrum = Spectrum(float(np.mean(omega)), omega, omega**2, np.full(50, 1 / 50))
    return ConvexTheory(spectrum, "logistic", labels, noise, penalty="l1")


def test_a_poor_start_leaves_the_budget_to_the_next():
    """Large outputs that nearly determine the labels need many nodes, so that the budget ends before convergence."""
    theory = sparse_logistic(0.163)
    alone = theory.solve(18.0, 5.7)
    poor = replace(alone, V=1.0, q=3e6, m=math.tanh(3.0) * math.sqrt(theory.spectrum.power * 3e6))
    assert theory.solve(18.0, 5.7, poor).q == pytest.approx(alone.q, rel=1e-9)


@pytest.mark.parametrize(("sample_ratio", "ridge"), [(67.55, 1.38e-3), (100.0, 1.2e-3)])
def test_rounds_continue_where_newton_stops(sample_ratio, ridge):
    """The damped iteration ends far from the solution. The Newton steps of the first round do not reach it."""
    theory = sparse_logistic(0.0)
    near = theory.solve(sample_ratio, 2 * ridge)
    assert theory.solve(sample_ratio, ridge).q == pytest.approx(theory.solve(sample_ratio, ridge, near).q, rel=1e-9)


def test_logistic_loss_takes_signs():
    with pytest.raises(ConfigError, match="labels are 'linear', but the logistic loss needs signs"):
        ConvexProblem((1.0,), (0.1,), labels="linear")


def test_projection_of_the_wrong_length():
    expansion, _ = converged_expansion(ERF.value, 1.0, 1)
    with pytest.raises(ConfigError, match=r"length 2 sqrt D: give it length sqrt D"):
        random_feature_covariances(2 * np.ones((4, 3)), np.ones(4), expansion)


@pytest.mark.slow
def test_finite_size_lowers_the_class_error():
    """The checks of figures 37, 38 and 40 allow for the deviation from the limit, about -0.8 / d in d features."""
    features = tl.gaussian_feature_covariances(dimension=20, exponent=1.2)
    problem = tl.ConvexProblem(losses=["square"], ridges=[0.01], sample_ratios=[0.5, 1.0, 2.0, 4.0])
    limit = tl.replica(features, problem).class_error
    found = tl.convex_learning(features, problem, seeds=200).class_error
    deviation = (found / limit - 1).mean(["loss", "ridge", "sample_ratio"])
    mean, error = float(deviation.mean()), float(deviation.std(ddof=1)) / deviation.seed.size**0.5
    stated = finite_size("class_error", features)
    assert -stated - 3 * error < mean < -stated / 3

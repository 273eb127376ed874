"""Samples of a mixture, trained networks applied to them, and learning that continues from trained weights."""

import json

import numpy as np
import pytest

import twolayer as tl

ROOT = np.array([[1.0, 0.0, 0.0], [0.6, 0.5, 0.0], [0.2, -0.3, 0.7]])
MEANS = [[2.0, 0, 0], [-1, 1, 0], [0, 0, 1.5]]
ONE = tl.Mixture(means=MEANS, labels=[1, -1, 1], weights=[0.5, 0.3, 0.2], covariance=ROOT @ ROOT.T)
EACH = tl.Mixture(means=MEANS, labels=[1, -1, 1], covariance=np.stack([ROOT @ ROOT.T, np.eye(3), np.diag([1, 2, 0.1])]))
ISOTROPIC = tl.Mixture(shape="xor", sigma=0.5, dimension=30)
STUDENT, SCHEDULE = tl.Student("erf", 3, seed=1), tl.Schedule(learning_rate=0.3, last_time=30, measurements=4)


@pytest.mark.parametrize("mixture", [ONE, EACH])
def test_samples_have_the_moments_of_the_clusters(mixture):
    inputs, labels = mixture.sample(200_000, seed=3)
    weights = np.array(mixture.weights)
    assert labels.mean() == pytest.approx(weights @ mixture.labels, abs=0.01)
    np.testing.assert_allclose(inputs.mean(axis=0), weights @ MEANS, atol=0.02)
    covariances = np.broadcast_to(mixture.covariance, (3, 3, 3))
    second = np.einsum("a,aij->ij", weights, covariances + np.einsum("ai,aj->aij", MEANS, MEANS))
    np.testing.assert_allclose(inputs.T @ inputs / len(inputs), second, atol=0.05)


def test_the_same_seed_draws_the_same_sample():
    first, second = (ISOTROPIC.sample(5, seed=2)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (5, 30)


@pytest.mark.parametrize("mixture", [ONE, EACH, ISOTROPIC])
def test_predictions_err_as_the_result_says(mixture):
    runs = tl.online_sgd(mixture, STUDENT, SCHEDULE, seeds=2)
    inputs, labels = mixture.sample(100_000, seed=4)
    outputs = tl.predict(runs, inputs)
    pmse = 0.5 * ((labels - outputs) ** 2).mean("sample")
    np.testing.assert_allclose(pmse, runs.pmse.isel(time=-1), atol=0.01)
    np.testing.assert_allclose((labels * outputs < 0).mean("sample"), runs.class_error.isel(time=-1), atol=0.006)


@pytest.mark.parametrize("mixture", [ONE, ISOTROPIC])
def test_equations_continue_from_a_simulation(mixture):
    runs = tl.online_sgd(mixture, STUDENT, SCHEDULE, seeds=2)
    rest = tl.learning_curve(mixture, STUDENT, SCHEDULE, start=runs)
    end = runs.isel(seed=0, time=-1)
    np.testing.assert_allclose(rest.field_covariance[0], end.field_covariance, rtol=1e-9)
    np.testing.assert_allclose(rest.M[0], end.M, atol=1e-9)
    np.testing.assert_allclose(rest.v[0], end.v, rtol=1e-12)
    assert float(rest.pmse[0]) == pytest.approx(float(end.pmse), rel=1e-2)


def test_simulations_continue_from_a_simulation():
    runs = tl.online_sgd(EACH, STUDENT, SCHEDULE, seeds=2)
    more = tl.online_sgd(EACH, STUDENT, SCHEDULE, seeds=1, start=runs)
    np.testing.assert_allclose(more.M[0, 0], runs.M[0, -1], atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda runs: tl.predict(runs, [[1.0, 2.0]]), r"inputs have shape \(1, 2\): give an array of shape \(n, 3\)"),
        (lambda runs: tl.predict(3, [[1.0, 2.0]]), "network is 3: give a result of online_sgd"),
        (lambda runs: tl.predict(runs, "text"), "inputs is 'text'"),
        (lambda runs: ONE.sample(0), "samples is 0: it must be at least 1"),
        (lambda runs: tl.Mixture(shape="xor", sigma=1.0).sample(3), "the mixture has no dimension"),
        (lambda runs: tl.learning_curve(ONE, tl.Student("erf", 2), SCHEDULE, start=runs), "start has 3 units"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    runs = tl.online_sgd(ONE, STUDENT, SCHEDULE, seeds=1)
    with pytest.raises(tl.ConfigError, match=message):
        call(runs)


def test_biases_and_functions_are_refused():
    biased = tl.online_sgd(ISOTROPIC, tl.Student("relu", 4, bias=True), SCHEDULE, seeds=1)
    with pytest.raises(tl.ConfigError, match="has biases"):
        tl.predict(biased, np.zeros((2, 30)))
    custom = tl.online_sgd(ISOTROPIC, tl.Student(lambda u: np.tanh(u) + u, 4), SCHEDULE, seeds=1)
    with pytest.raises(tl.ConfigError, match="use a named activation"):
        tl.predict(custom, np.zeros((2, 30)))


def test_a_function_with_the_name_of_a_known_one_is_refused():
    def tanh(x):
        return np.sin(x)

    runs = tl.online_sgd(ISOTROPIC, tl.Student(tanh, 4), SCHEDULE, seeds=1)
    assert json.loads(runs.attrs["params"])["student"]["activation"] == "custom:tanh"
    with pytest.raises(tl.ConfigError, match=r"is the function 'custom:tanh'.*: use a named activation"):
        tl.predict(runs, np.zeros((2, 30)))


PARTS = {  # part of a result -> the error of predict and of learning that continues from it
    "one run": (lambda runs: runs.isel(seed=0), "'pmse' of .* has the dimensions"),
    "one time": (lambda runs: runs.isel(time=-1), "'pmse' of .* has the dimensions"),
    "first times": (
        lambda runs: runs.isel(time=slice(2)),
        "ends at time .*, but its weights W belong to time 30",
    ),
    "no weights": (lambda runs: runs.drop_vars("v"), "lacks the variable 'v'"),
    "NaN": (lambda runs: runs.assign(W=runs.W.where(runs.W > 0)), "'W' of .* has a number that is not finite"),
    "other names": (lambda runs: runs.rename(unit="neuron"), "has the dimensions"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_result_is_refused(part):
    change, message = PARTS[part]
    runs = change(tl.online_sgd(ONE, STUDENT, SCHEDULE, seeds=2))
    for call in (
        lambda: tl.predict(runs, np.zeros((2, 3))),
        lambda: tl.online_sgd(ONE, STUDENT, SCHEDULE, seeds=1, start=runs),
    ):
        with pytest.raises((tl.ConfigError, tl.ResultError), match=message):
            call()


def test_predictions_of_some_runs():
    runs, inputs = tl.online_sgd(ONE, STUDENT, SCHEDULE, seeds=3), ONE.sample(5)[0]
    whole = tl.predict(runs, inputs)
    np.testing.assert_array_equal(tl.predict(runs.isel(seed=[2]), inputs), whole[2:])
    np.testing.assert_array_equal(tl.predict(runs.transpose(), inputs), whole)


def test_a_result_without_its_parameters_is_refused():
    runs = tl.online_sgd(ONE, STUDENT, SCHEDULE, seeds=1)
    for attributes in ({"params": "{}"}, {"params": "{"}, {"params": 3}):
        with pytest.raises(tl.ResultError, match="network has no parameters of online_sgd in its attribute 'params'"):
            tl.predict(runs.assign_attrs(attributes), np.zeros((2, 3)))


def test_a_looser_tolerance_changes_the_equations_little():
    exact, loose = (tl.learning_curve(ISOTROPIC, STUDENT, SCHEDULE, tolerance=value) for value in (1e-9, 1e-3))
    np.testing.assert_allclose(loose.pmse, exact.pmse, rtol=0.02)
    assert not np.array_equal(loose.pmse, exact.pmse)


def test_the_scale_of_projections_is_none_of_relu_features():
    options = {"features_per_dimension": [1.0], "projections": 1}
    relu, wide = (tl.random_features(ISOTROPIC, **options, weight_scale=scale).pmse.item() for scale in (1.0, 3.0))
    assert wide == pytest.approx(relu, rel=1e-4)  # up to the small ridge
    erf = [
        tl.random_features(ISOTROPIC, **options, weight_scale=s, activation="softplus").pmse.item() for s in (1.0, 3.0)
    ]
    assert erf[0] != pytest.approx(erf[1], rel=1e-3)


@pytest.mark.slow
def test_a_trained_network_teaches_a_readout_of_a_static_feature_map():
    mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=100)
    schedule = tl.Schedule(learning_rate=0.2, last_time=200)
    trained = tl.online_sgd(mixture, tl.Student("relu", 4, seed=1), schedule, seeds=1)
    inputs, _ = mixture.sample(40_000, seed=1)
    labels = np.where(tl.predict(trained, inputs)[0] > 0, 1, -1)
    projection = np.random.default_rng(2).standard_normal((100, 60)) / 10
    found = tl.feature_covariances(np.maximum(inputs @ projection, 0), labels)
    problem = tl.ConvexProblem(labels="classes", sample_ratios=[1, 2, 4], ridges=[0.01], losses=["logistic"])
    theory, runs = tl.replica(found, problem), tl.data_learning(found, problem, seeds=10)
    error = runs.class_error.isel(distribution=0).mean("seed").squeeze()
    np.testing.assert_allclose(error, theory.class_error.squeeze(), rtol=0.08)

"""Where learning begins, and the reduced equations."""

import json
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.experiments.mixtures.initial_network import start_network
from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.model.networks.activations import RELU
from twolayer.model.networks.learning import Learning
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.fixed_points.reduced_equations import reduced_fixed_point, reduced_state
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.mixtures.integration import observables
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/mixtures.json").read_text())
XOR = tl.Mixture(shape="circle", sigma=0.5, dimension=200)
SHORT = tl.Schedule(learning_rate=0.1, weight_decay=0.01, last_time=20, measurements=4)
QUIET = {"log2_nodes": 8}


def network(student, mixture=XOR, start=None):
    return start_network(student, 200, np.random.default_rng(0), mixture.dataset(), start)


@pytest.mark.slow
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("function", [tl.order_parameter_sgd, tl.learning_curve])
def test_learning_goes_on_from_where_a_run_has_come_to(function, bias):
    student = tl.Student("relu", 4, seed=1, bias=bias)
    seeds = {"seeds": 2} if function is tl.order_parameter_sgd else {}
    first = function(XOR, student, SHORT, **seeds, **QUIET)
    end = first.isel(time=-1, seed=0) if seeds else first.isel(time=-1)
    state = IsotropicState.of_network(network(student, start=first), 2 + bias)
    for name in ("Q", "R", "v"):
        np.testing.assert_allclose(getattr(state, name), end[name], rtol=1e-9, atol=1e-12)
    for other in (tl.learning_curve, tl.order_parameter_sgd, tl.online_sgd):
        again = other(XOR, student, SHORT, start=first, **QUIET)
        np.testing.assert_allclose(again.pmse.isel(time=0), float(end.pmse), rtol=1e-6)


@pytest.mark.slow
def test_equations_from_the_middle_of_a_curve_go_on_along_it():
    student, times = tl.Student("erf", 2, seed=1), {"learning_rate": 0.1, "measurements": 2}
    line = tl.Mixture(shape="circle", clusters_per_class=1, sigma=0.5, dimension=200)
    whole = tl.learning_curve(line, student, tl.Schedule(last_time=40, first_time=20, **times), **QUIET)
    half = tl.learning_curve(line, student, tl.Schedule(last_time=20, first_time=10, **times), **QUIET)
    rest = tl.learning_curve(line, student, tl.Schedule(last_time=20, first_time=10, **times), start=half, **QUIET)
    np.testing.assert_allclose(rest.pmse[-1], whole.pmse[-1], rtol=1e-6)


@pytest.mark.slow
def test_simulations_stay_at_a_fixed_point():
    student = tl.Student("relu", 4)
    point = tl.fixed_point(XOR, student=student, log2_nodes=8)
    for function in (tl.order_parameter_sgd, tl.online_sgd):
        runs = function(XOR, student, SHORT, start=point, seeds=4, **QUIET)
        np.testing.assert_allclose(runs.pmse.isel(time=0), float(point.pmse[0]), rtol=1e-4)
        assert float(abs(runs.pmse / point.pmse[0] - 1).max()) < 0.02


def test_an_informed_start_has_units_for_every_cluster():
    state = IsotropicState.of_network(network(tl.Student("relu", 6, start="xor")), 2)
    expected = xor_start(6)
    np.testing.assert_allclose(state.Q, expected.Q, atol=1e-12)
    np.testing.assert_allclose(state.R, expected.R, atol=1e-12)
    biased = network(tl.Student("relu", 4, start="xor", bias=True))
    np.testing.assert_array_equal(biased.W[:, 2], 0)


TURN = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0][:2]
TURNED = tl.Mixture(
    means=3 * np.array([TURN[1], -TURN[0], TURN[0], -TURN[1]]), labels=[-1, 1, 1, -1], sigma=0.6, dimension=200
)
LONG = tl.Mixture(
    means=3 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]), labels=[-1, -1, 1, 1], sigma=0.6, dimension=200
)
INFORMED = tl.Student("relu", 4, start="xor", dimension=200)


@pytest.mark.parametrize("function", [tl.learning_curve, tl.order_parameter_sgd, tl.online_sgd])
def test_an_informed_start_follows_the_axes_of_the_mixture(function):
    """The means may have any coordinates, signs, order and length."""
    schedule = tl.Schedule(learning_rate=0.1, last_time=0.2, measurements=2)
    plain, turned = (function(mixture, INFORMED, schedule, **QUIET).isel(time=0) for mixture in (LONG, TURNED))
    np.testing.assert_allclose(turned.pmse, plain.pmse, rtol=1e-9)
    assert float(turned.class_error.max()) < 0.15


def test_an_informed_start_along_sweeps():
    schedule = tl.Schedule(learning_rate=0.1, last_time=0.2)
    errors = tl.trained_error(TURNED, INFORMED, schedule, sigma=[0.3], seeds=2, log2_nodes=6)
    row = tl.phase_row(TURNED, INFORMED, schedule, along="sigma", values=[0.3], seeds=2)
    assert max(float(errors.class_error.max()), float(row.class_error.max())) < 0.1


@pytest.mark.parametrize("means", [[[1, 0], [0, 1], [-1, 0], [0, -1]], [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, -1]]])
def test_an_informed_start_of_another_mixture_is_refused(means):
    mixture = tl.Mixture(means=means, labels=[-1, -1, 1, 1], sigma=0.5, dimension=200)
    with pytest.raises(tl.ConfigError, match="start of the student is 'xor', which needs means"):
        tl.learning_curve(mixture, INFORMED, SHORT)


def test_a_unit_second_layer_stays_one_where_it_is_kept():
    schedule = tl.Schedule(learning_rate=0.1, last_time=30, measurements=3, train_second_layer=False)
    line = tl.Mixture(shape="circle", clusters_per_class=1, sigma=0.5, dimension=200)
    runs = tl.online_sgd(line, tl.Student("erf", 2, second_layer="unit"), schedule, seeds=2, **QUIET)
    assert (runs.v == 1).all()
    assert float(runs.pmse.isel(time=-1).max()) < 0.3 < float(runs.pmse.isel(time=0).min())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("student", "mixture", "message"),
    [
        (
            tl.Student("relu", 5),
            XOR,
            "start has 4 units and means in 2 dimensions, biases included, but the student and its mixture have 5",
        ),
        (tl.Student("relu", 4, bias=True), XOR, "the student and its mixture have 4 and 3"),
        (
            tl.Student("relu", 4),
            tl.Mixture(shape="circle", sigma=0.4),
            "no fixed point at the noise of the mixture, 0.4",
        ),
        (
            tl.Student("relu", 4),
            tl.Mixture(means=np.eye(3), labels=[1, 1, -1], weights=[0.3, 0.3, 0.4], covariance=np.diag([1.0, 2, 3])),
            "describe learning only for isotropic noise: give a result of online_sgd",
        ),
    ],
)
def test_a_start_that_does_not_fit_is_refused(student, mixture, message):
    point = tl.fixed_point(XOR, student=tl.Student("relu", 4), log2_nodes=4)
    with pytest.raises(tl.ConfigError, match=message):
        network(student, mixture, point)


@pytest.mark.parametrize(("variance", "drawn_out"), [(0.05, 0.02), (1.0, 0.06)])
def test_reduced_equations_go_where_the_authors_code_goes(variance, drawn_out):
    """The iteration of the authors takes unit steps, with a delay of v. It still changes after 300 steps."""
    equations = IsotropicEquations(xor(variance), RELU, Learning(0.1, 0.01), sobol_nodes(4, 6, 0))
    (golden,) = (case for case in GOLDEN["entries"] if case["id"] == f"fixed_point_xor_relu_K4_var{variance}")
    free = xor_start(4).R[:, :2]
    for _ in range(300):
        free = free + equations.drift(reduced_state(free)).R[:, :2]
    theirs = golden["orig_reduced_ansatz"]
    assert observables(equations, reduced_state(free)).pmse == pytest.approx(theirs["final_pmse_reevaluated"], abs=3e-4)
    np.testing.assert_allclose(reduced_state(free).R, theirs["final_R"], atol=drawn_out)
    rest = reduced_fixed_point(equations)
    assert np.abs(equations.drift(rest).R[:, :2]).max() < 1e-8


def test_reduced_equations_are_for_xor():
    equations = IsotropicEquations(
        xor(np.full(4, 0.1)).with_constant_input(), RELU, Learning(0.1), sobol_nodes(4, 4, 0)
    )
    with pytest.raises(tl.ConfigError, match="hold only for the XOR mixture"):
        reduced_fixed_point(equations)
    with pytest.raises(tl.ConfigError, match="reduced is true: the reduced equations need 4 units"):
        tl.fixed_point(XOR, student=tl.Student("relu", 6), reduced=True)

"""Scalings with the dimension and times of escape: independent simulations, limits, symmetries and refusals."""

import math

import numpy as np
import pytest
from scipy.special import erf

import twolayer as tl
from twolayer.errors import NotConverged
from twolayer.model.networks.activations import ERF, activation_named
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.simulation.teacher_student.order_parameter_teacher import order_parameter_path
from twolayer.theory.teacher_student.escape import SingleIndex

Q = [[0.5, 0.1, 0.0], [0.1, 0.6, 0.1], [0.0, 0.1, 0.4]]
R = [[0.3, 0.1], [0.1, 0.3], [0.2, 0.2]]
STUDENT = tl.Student("erf", hidden_units=3)
TEACHER = tl.Teacher("erf", hidden_units=2, second_layer=[0.5, 0.4], noise=0.1)


def row(values=(-0.2, 0.0, 0.2), dimension=200, **options):
    given = {"teacher": TEACHER, "along": "delta", "times": [0, 1, 4], "start": {"Q": Q, "R": R}, "learning_rate": 3.0}
    student = options.pop("student", STUDENT)
    return tl.phase_row(tl.Inputs(dimension=dimension), student, values=list(values), **given | {"seeds": 2} | options)


def direct_sgd(dimension, rate, steps, noise, seeds):
    """Half the mean squared errors of committees after SGD in all dimensions, written without the library."""
    rng, A, K = np.random.default_rng(0), np.array(TEACHER.second_layer), 3
    C = np.block([[np.array(Q), np.array(R)], [np.array(R).T, np.eye(2)]])
    frame = np.linalg.qr(rng.standard_normal((seeds, dimension, 5)))[0]
    weights = np.linalg.cholesky(C) @ frame.swapaxes(1, 2) * math.sqrt(dimension)
    W, B = weights[:, :K].copy(), weights[:, K:]
    for _ in range(steps):
        x = rng.standard_normal((seeds, dimension))
        z, n = ((weights @ x[..., None])[..., 0] / math.sqrt(dimension) for weights in (W, B))
        error = erf(z / math.sqrt(2)).sum(axis=1) / K - erf(n / math.sqrt(2)) @ A - noise * rng.standard_normal(seeds)
        slope = math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2)
        W -= rate / math.sqrt(dimension) * (error[:, None] / K * slope)[..., None] * x[:, None]
    x = rng.standard_normal((dimension, 20000))
    z, n = (erf(weights @ x / math.sqrt(2 * dimension)) for weights in (W, B))
    return 0.5 * np.mean((z.sum(axis=1) / K - A @ n) ** 2, axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize("value", [-0.2, 0.2])
def test_sgd_in_order_parameters_against_all_dimensions(value):
    found = row([value], dimension=60, seeds=200, times=[4]).squeeze()
    steps, rate = round(4 / float(found.time_unit) * 60), float(found.ratio) * 3
    direct = direct_sgd(60, rate, steps, TEACHER.noise, seeds=60)
    error = np.hypot(np.std(direct, ddof=1) / math.sqrt(60), float(found.pmse.std(ddof=1)) / math.sqrt(200))
    assert abs(np.mean(direct) - found.pmse.mean()) < 3.5 * error


def test_equations_come_nearer_to_their_limits():
    small, large = (row(dimension=d, times=[0, 0.5]) for d in (100, 10**5))
    gaps = [abs(one.pmse_theory / one.pmse_limit - 1).max("time") for one in (small, large)]
    assert np.all(gaps[1].sel(value=[-0.2, 0.2]) < 0.5 * gaps[0].sel(value=[-0.2, 0.2]))
    np.testing.assert_array_equal(small.sel(value=0).pmse_theory, small.sel(value=0).pmse_limit)


def test_the_equations_are_those_of_a_learning_curve():
    found = row([0.2]).squeeze("value")
    last = float(found.time[-1] / found.time_unit)
    plan = tl.Schedule(
        float(found.ratio) * 3, last_time=last, first_time=last / 2, measurements=2, train_second_layer=False
    )
    student = tl.Student("erf", hidden_units=3, second_layer=1 / 3)
    curve = tl.learning_curve(tl.Inputs(dimension=200), student, plan, teacher=TEACHER, start={"Q": Q, "R": R})
    assert float(found.pmse_theory[-1]) == pytest.approx(float(curve.pmse[-1]), rel=1e-3)  # time is rounded to steps


def test_width_and_rate_count_by_their_ratio():
    """kappa and delta of the same sum, the same number of units: the same equations."""
    along = row([0.3], along="kappa", delta=-0.1, start={"overlap": 0.4}, dimension=50).squeeze()
    hidden = int(along.hidden_units)
    assert hidden == round(3 * 50**0.3)
    student = tl.Student("erf", hidden_units=hidden)
    rate = 3.0 * 50**0.1 * 50**0.2  # gamma of the former is 3 * 50^0.1, of the latter rate * 50^-0.2
    other = row([0.2], student=student, learning_rate=rate, start={"overlap": 0.4}, dimension=50).squeeze()
    assert float(other.ratio) == pytest.approx(float(along.ratio))
    np.testing.assert_allclose(other.pmse_theory, along.pmse_theory, rtol=1e-7)


def test_permuted_units_learn_alike():
    order = [2, 0, 1]
    permuted = {"Q": np.array(Q)[np.ix_(order, order)], "R": np.array(R)[order]}
    np.testing.assert_allclose(row(start=permuted).pmse_theory, row().pmse_theory, rtol=1e-6)


def test_below_the_lowest_exponent_nothing_is_computed():
    found = row([-0.5, -0.4])
    assert np.isnan(found.pmse_theory.sel(value=-0.5)).all()
    assert np.isfinite(found.pmse.sel(value=-0.4)).all()


def test_fields_that_depend_on_each_other():
    """A student that is its teacher stays so without noise."""
    same = OrderParameters(np.eye(2), np.eye(2), np.eye(2))
    half = np.full(2, 0.5)
    options = {"student": ERF, "teacher": ERF, "learning_rate": 1.0, "label_noise": 0.0, "dimension": 50}
    C = order_parameter_path(same, half, half, times=[5.0], rng=np.random.default_rng(0), **options)
    np.testing.assert_allclose(C[0], np.tile(np.eye(2), (2, 2)), atol=1e-12)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_gradient_flow_has_the_information_exponent(order):
    """The drift is eta order! / order! order m^(order - 1) (1 - m^2) for the normalised polynomial."""
    m = np.array([1e-3, 0.05, 0.3, 0.8])
    drift, _ = SingleIndex(activation_named(f"hermite{order}"), 0.2).rates(m, flow=True)
    np.testing.assert_allclose(drift, 0.2 * order * m ** (order - 1) * (1 - m**2), rtol=1e-7)


def test_rates_against_sampled_inputs():
    """Mean and variance of a step in 2000 dimensions, with its projection, over 400,000 draws; beyond 5 s.e. rarely."""
    rng, m, d, rate, noise = np.random.default_rng(0), 0.4, 2000, 0.3, 0.2
    field, across, z = rng.standard_normal((3, 400_000))
    label = m * field + math.sqrt(1 - m * m) * across
    f = -rate * (1 - np.tanh(field) ** 2) * (np.tanh(field) - np.tanh(label) - noise * z) / d
    length = field**2 + across**2 + rng.chisquare(d - 2, field.size)
    change = d * ((m + f * label) / np.sqrt(1 + 2 * f * field + f * f * length) - m)
    (drift,), (diffusion,) = SingleIndex(activation_named("tanh"), rate, noise=noise).rates(np.array([m]))
    assert abs(change.mean() - drift) < 5 * change.std() / math.sqrt(field.size)
    assert np.mean(change**2) == pytest.approx(diffusion, rel=0.02)
    assert change.var() == pytest.approx(diffusion - drift**2, rel=0.02)


def test_times_of_escape_that_never_come():
    """Above eta = 1/6, units of the square do not escape by the equation. A start above the threshold has escaped."""
    square = tl.Activation.of(np.square, lambda x: 2 * x)
    times = SingleIndex(square, 0.2).ode_times(np.array([0.01, -0.02, 0.9]), 0.7)
    assert np.isinf(times[:2]).all()
    assert times[2] == 0
    short = tl.escape_time(activation="hermite3", dimension=200, learning_rate=0.01, last_time=1.0, seeds=4)
    assert np.isinf(short.sgd_time).all()
    assert np.isinf(short.sde_time).all()


def test_drift_of_a_unit_with_a_kink():
    """Gradient flow of relu units: a = eta v^2 (1 - m^2) (1 / 4 + arcsin(m) / (2 pi))."""
    m = np.array([-0.7, 0.0, 0.1, 0.9])
    (drift, _), (error, _) = SingleIndex(activation_named("relu"), 0.3, second_layer=1.5).stated_rates(m, flow=True)
    np.testing.assert_allclose(drift, 0.3 * 1.5**2 * (1 - m**2) * (0.25 + np.arcsin(m) / (2 * np.pi)), rtol=1e-8)
    assert (error < 1e-8).all()
    unit = SingleIndex(activation_named("relu"), 0.3)
    for fitted, rate in zip(unit.fitted_rates, unit.rates(m), strict=True):
        np.testing.assert_allclose(fitted(m), rate, atol=1e-6)


def test_averages_that_are_not_accurate_are_refused():
    """A unit that oscillates between the nodes; and the change of its rates is stated where it is small."""
    fast = tl.Activation.of(lambda x: np.sin(40 * x), lambda x: 40 * np.cos(40 * x))
    with pytest.raises(NotConverged, match="use a smoother activation"):
        SingleIndex(fast, 0.01).stated_rates(np.array([0.1, 0.5]))
    found = tl.escape_time(activation="tanh", dimension=9, learning_rate=0.1, last_time=1.0, seeds=2)
    assert 0 < float(found.drift_sem.max()) < 1e-6


def test_signs_of_even_units_do_not_matter():
    one = SingleIndex(activation_named("hermite2"), 0.1)
    starts = np.array([0.03, 0.1])
    np.testing.assert_allclose(one.ode_times(starts, 0.7), one.ode_times(-starts, 0.7), rtol=1e-12)
    odd = SingleIndex(ERF, 0.1)
    assert np.isfinite(odd.ode_times(np.array([-0.2]), 0.7)).all()  # through zero, where an odd unit has a drift


def test_a_start_at_no_overlap():
    """An even unit rests there, an odd unit leaves; other starts do not depend on it."""
    even, odd = SingleIndex(activation_named("hermite2"), 0.1), SingleIndex(ERF, 0.5)
    starts = np.array([0.0, 0.1])
    assert even.ode_times(starts, 0.7)[0] == math.inf
    assert odd.ode_times(starts, 0.7)[0] == pytest.approx(odd.ode_times(np.array([1e-6]), 0.7)[0], rel=1e-4)
    for unit in (even, odd):
        assert unit.ode_times(starts, 0.7)[1] == pytest.approx(unit.ode_times(starts[1:], 0.7)[0], rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: row(times=[1, 1]), "times do not increase"),
        (lambda: row(start={"Q": Q, "R": R, "v": [1, 1, 1]}), "start has v"),
        (
            lambda: tl.phase_row(
                tl.Inputs(covariance=np.eye(9)), STUDENT, teacher=TEACHER, along="kappa", values=[0], times=[1]
            ),
            "inputs have a covariance, but the equations along kappa and delta hold for isotropic inputs",
        ),
        (lambda: row([5.0]), "at most 3"),
        (
            lambda: tl.escape_time(activation="sign", dimension=9, learning_rate=1.0, last_time=1.0),
            "whose slope is zero",
        ),
        (
            lambda: tl.escape_time(activation="erf", dimension=9, learning_rate=1.0, last_time=1.0, starts=[0.1]),
            "starts has 1 values",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(tl.ConfigError, match=message):
        call()


@pytest.mark.parametrize("activation", ["erf", "tanh"])
def test_the_start_alone(activation):
    """At time 0 all values of the exponents have the error of the start."""
    student = tl.Student(activation, hidden_units=3)
    found = row(times=[0], student=student)
    expected = row(times=[0, 0.01], student=student).isel(time=[0])
    for name in ("pmse", "pmse_theory", "pmse_limit"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)

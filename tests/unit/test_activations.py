"""One class of activations for all theories and simulations: its functions, its compiled form, and its use."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from numba import njit
from sampling import ALL

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.networks.activations import (
    ACTIVATIONS,
    ERF,
    REACH,
    RELU,
    Activation,
    activation_named,
    as_activation,
    compiled_slope,
    compiled_value,
    hermite,
)
from twolayer.model.networks.hermite_expansion import converged_expansion
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.model.teachers.feature_covariances import random_feature_covariances
from twolayer.model.teachers.teacher_student import initial_teacher_student
from twolayer.simulation.convex.convex_learning import mixture_feature_source, random_feature_source
from twolayer.simulation.features.random_features import simulate_readout, train_readout
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.simulation.one_step.gradient_step import StartingNetwork, gradient_steps
from twolayer.simulation.teacher_student.generator_sgd import generator_sgd
from twolayer.theory.averages.mixture_averages import mixture_pmse
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state
from twolayer.theory.mixtures.integration import integrate
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
)
from twolayer.theory.mixtures.random_features import (
    feature_moments,
    optimal_readout,
    projection_overlaps,
    random_projection,
)
from twolayer.theory.one_step.mixture_features import mixture_feature_covariances
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.spectral_densities import Densities
from twolayer.theory.teacher_student.teacher_averages import teacher_pmse
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations
from twolayer.theory.teacher_student.teacher_equations import integrate as integrate_teacher

every_activation = pytest.mark.parametrize("activation", ALL.values(), ids=ALL)
FIELDS = np.random.default_rng(0).normal(0, 2, 500)


@njit
def compiled(activation, x):
    values, slopes = np.empty_like(x), np.empty_like(x)
    for i in range(x.size):
        values[i], slopes[i] = compiled_value(activation, x[i]), compiled_slope(activation, x[i])
    return values, slopes


@every_activation
def test_slope_is_the_derivative(activation):
    step = 1e-5
    differences = (activation(FIELDS + step) - activation(FIELDS - step)) / (2 * step)
    np.testing.assert_allclose(activation.slope(FIELDS), differences, rtol=1e-8, atol=1e-8)


@every_activation
def test_oddness(activation):
    assert activation.odd == np.allclose(activation(-FIELDS), -activation(FIELDS))


@every_activation
def test_precision_of_the_argument_is_kept(activation):
    single = FIELDS.astype(np.float32)
    assert activation(single).dtype == activation.slope(single).dtype == np.float32
    np.testing.assert_allclose(activation(single), activation(FIELDS), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(activation.slope(single), activation.slope(FIELDS), rtol=1e-4, atol=1e-5)


@every_activation
def test_arguments_are_left_alone(activation):
    x = FIELDS.copy()
    activation(x)[:], activation.slope(x)[:] = 7, 7
    np.testing.assert_array_equal(x, FIELDS)


@every_activation
def test_compiled_form(activation):
    values, slopes = compiled(activation.compiled, FIELDS)
    assert activation.tabulation_error < 3e-9
    np.testing.assert_allclose(values, activation(FIELDS), rtol=3e-9, atol=3e-9)
    np.testing.assert_allclose(slopes, activation.slope(FIELDS), rtol=3e-9, atol=3e-9)


@every_activation
def test_compiled_form_beyond_the_table(activation):
    """Straight lines go on; all else is unknown there, and NaN ends a simulation."""
    far = np.array([-1000.0, -REACH - 1, REACH + 1, 1000.0])
    values, slopes = compiled(activation.compiled, far)
    if activation.compiled.straight:
        np.testing.assert_allclose(values, activation(far), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(slopes, activation.slope(far), rtol=1e-9, atol=1e-9)
    else:
        assert np.isnan(values).all()
        assert np.isnan(slopes).all()
    assert np.isnan(compiled(activation.compiled, np.array([np.nan]))[0]).all() or activation == RELU


def test_straight_lines_are_told_from_others():
    bent = {"softsign", "sine", "sin", "square", "hermite2", "hermite3", "hermite4"}
    assert {name for name, activation in ALL.items() if not activation.compiled.straight} == bent


def test_hermite_polynomials_are_orthonormal():
    x, weights = np.polynomial.hermite_e.hermegauss(20)
    values = np.array([hermite(degree)(x) for degree in range(7)])
    np.testing.assert_allclose((values * weights) @ values.T / weights.sum(), np.eye(7), atol=1e-13)
    assert not hermite(0).slope(x).any()


def test_names():
    assert all(activation_named(name) is activation for name, activation in ACTIVATIONS.items())
    assert activation_named("hermite7") is hermite(7)
    with pytest.raises(ConfigError, match=r"unknown activation 'reloo': choose one of erf, relu, .*hermite4"):
        activation_named("reloo")


def test_what_an_activation_is_made_from():
    assert as_activation("relu") is RELU
    assert as_activation(ERF) is ERF
    own = as_activation(np.tanh)
    assert own.name == "tanh"
    np.testing.assert_allclose(own.slope(FIELDS), 1 - np.tanh(FIELDS) ** 2, atol=1e-9)
    with pytest.raises(ConfigError, match=r"activation is 3: give a name \(erf, .*\), a function of arrays or an Act"):
        as_activation(3)


def test_a_known_name_does_not_make_a_known_activation():
    assert Activation.of(np.tanh, name="relu") != RELU


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_another_process_gets_the_same_activation(name):
    found = pickle.loads(pickle.dumps(ACTIVATIONS[name]))
    assert (found == ACTIVATIONS[name]) or name.startswith(
        "hermite"
    )  # these have no closed form, and are created again
    np.testing.assert_array_equal(found(FIELDS), ACTIVATIONS[name](FIELDS))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (math.tanh, "'tanh' fails on an array of numbers"),
        (np.log, "'log' returns nan at -4.03: it must be finite"),
        (np.sum, r"'sum' gives for 38 numbers an array of shape \(\)"),
        (lambda x: x + 1j, "type complex128: it must return a real number for each"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_that_are_none(function, message):
    with pytest.raises(ConfigError, match=message):
        as_activation(function)


def test_numbers_in_the_place_of_functions():
    with pytest.raises(ConfigError, match="activation 'tanh' does not have functions"):
        Activation("tanh", 3)


def test_tables_that_would_be_wrong():
    kinked = Activation.of(lambda x: np.maximum(x - math.pi / 10, 0), name="kinked")
    assert kinked.tabulation_error > 1e-6
    with pytest.raises(ConfigError, match=r"'kinked' can only be tabulated to .*1e-06.*kinks at multiples of"):
        kinked.compiled  # noqa: B018


def test_steps_have_no_slope():
    assert [name for name, activation in ALL.items() if activation.flat] == ["sign"]
    with pytest.raises(
        ConfigError, match="activation is 'sign', whose slope is zero: use one with a slope for skating"
    ):
        ACTIVATIONS["sign"].require_slope("skating")


# Every theory and every simulation with every activation: each agrees with samples, or is refused in one sentence.


def sentence(activation):
    """The refusal that `activation` may end in, of something that takes a gradient."""
    return rf"activation is '{activation.name}', whose slope is zero: use one with a slope for .*[a-zA-Z]$"


def refused(activation, attempt):
    """Whether the attempt is refused, as it must be where no gradient reaches the first layer."""
    if not activation.flat:
        return False
    with pytest.raises(ConfigError, match=sentence(activation)):
        attempt()
    return True


RATES = {"hermite2": 0.1, "square": 0.1, "hermite3": 0.03, "hermite4": 0.02}
RUNS, TIMES = 40, np.array([0.0, 3.0])
ROUGHLY = {"rtol": 1e-3, "atol": 1e-5}  # changes an error by 1e-5, a hundredth of the error over runs
MIXTURE = IsotropicMixture(np.array([[1.0, 0.0], [-0.5, 0.8]]), np.array([1.0, -1.0]), np.array([0.4, 0.6]), 0.5)


def mixture_start(activation, dimension):
    rng = np.random.default_rng(5)
    return Network(0.7 * rng.standard_normal((2, dimension)), rng.standard_normal(2), activation)


@pytest.mark.slow
@every_activation
def test_mixture_equations_and_both_simulations(activation):
    """pmse of 40 runs each, of weights and of order parameters, lies within 5 standard errors and 1 / N."""
    dimension, learning = 300, Learning(RATES.get(activation.name, 0.5), 0.05)
    start = mixture_start(activation, dimension)
    state, spectral = IsotropicState.of_network(start, 2), MIXTURE.embed(dimension)
    nodes = sobol_nodes(2, 12, 0)
    rng = np.random.default_rng(6)

    def equations():
        return integrate(
            IsotropicEquations(MIXTURE, activation, learning, nodes), state, TIMES, **ROUGHLY
        ).observables.pmse

    def spectral_equations():
        begin = SpectralState.of_network(start)
        return integrate(
            SpectralEquations(spectral, activation, learning, nodes), begin, TIMES, **ROUGHLY
        ).observables.pmse

    def weights():
        runs = [online_sgd(spectral, start, learning, times=TIMES, rng=rng) for _ in range(RUNS)]
        return [[mixture_pmse(distribution, spectral) for distribution in run.local_fields()] for run in runs]

    def chains():
        options = {"activation": activation, "dimension": dimension, "times": TIMES, "rng": rng}
        paths = order_parameter_paths(MIXTURE, [state] * RUNS, learning, **options)
        return [[mixture_pmse(distribution, MIXTURE) for distribution in path.local_fields(MIXTURE)] for path in paths]

    if any([refused(activation, attempt) for attempt in (equations, spectral_equations, weights, chains)]):
        return
    theory = equations()
    assert abs(theory[1] / theory[0] - 1) > 0.03
    np.testing.assert_allclose(spectral_equations(), theory, rtol=0.02)  # where squared means add to the noise
    for simulation in (weights, chains):
        found = np.array(simulation())
        error = found.std(axis=0, ddof=1) / math.sqrt(RUNS)
        np.testing.assert_allclose(found[:, 0], theory[0], rtol=1e-6)
        assert abs(found[:, 1].mean() - theory[1]) < 5 * error[1] + 3 * theory[0] / dimension


@pytest.mark.slow
@every_activation
def test_teacher_equations_and_simulation(activation):
    """The pmse of 10 runs on sign(F c) and the test error are within 5 standard errors and 1 / N of the theory."""
    N, D = 400, 200
    networks = initial_teacher_student(np.random.default_rng(7), 2, 1, N, D)
    networks = replace(networks, W=0.7 * networks.W, v=0.5 * networks.v)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        generator = SignNetwork([D, N])
    moments = exact_sign_moments(generator.layers[0].numpy().astype(float))
    learning = Learning(RATES.get(activation.name, 0.5))

    def equations():
        setting = TeacherEquations.of(activation, learning, sobol_nodes(3, 11, 0))
        return integrate_teacher(setting, networks, Densities.of(networks, moments), times=TIMES, step=0.1)

    def simulation(seed=0):
        options = {"activation": activation, "moments": moments, "times": TIMES, "test_samples": 4000}
        return generator_sgd(generator, networks, learning, **options, rng=np.random.default_rng(seed))

    if any([refused(activation, attempt) for attempt in (equations, simulation)]):
        return
    theory = equations()
    # powers of a field learn less in this time, at the rates at which they stay bounded
    assert activation.name in RATES or abs(theory.pmse[1] / theory.pmse[0] - 1) > 0.03
    paths = [simulation(seed) for seed in range(10)]
    known = [teacher_pmse(path.order_parameters, path.v, networks.A, activation=activation) for path in paths]
    tested = [path.test_pmse for path in paths]
    allowed = (
        (6 if activation.name in RATES else 3) * theory.pmse[0] / N
    )  # powers feel the fields' own distribution at order 1/N
    for found in (np.array(known), np.array(tested)):
        error = found.std(axis=0, ddof=1) / math.sqrt(len(found))
        assert np.all(np.abs(found.mean(axis=0) - theory.pmse) < 5 * error + allowed)


@pytest.mark.slow
@every_activation
def test_random_features_and_their_simulation(activation):
    """The readout's error on fresh inputs, the covariances that give it, and that online training approaches it."""
    projection = random_projection(np.random.default_rng(8), 60, 90)
    overlaps = projection_overlaps(projection)
    best = optimal_readout(MIXTURE, projection, overlaps, overlap_order=5, ridge=0.01, activation=activation)
    tried = simulate_readout(
        MIXTURE, projection, best, samples=20_000, rng=np.random.default_rng(9), activation=activation
    )
    assert abs(tried.pmse - best.pmse) < 4.5 * tried.pmse_error
    feature_covariances, mean = mixture_feature_covariances(MIXTURE, projection, overlap_order=5, activation=activation)
    draw = mixture_feature_source(MIXTURE, projection, activation, mean)
    field, features = draw(np.random.default_rng(10), 20_000)
    weights = best.weights / np.linalg.norm(best.weights)
    projected = features @ weights
    assert projected.var() == pytest.approx(weights @ feature_covariances.Omega @ weights, rel=0.1)
    products = field * projected
    expected = feature_covariances.Phi[0] @ weights
    assert abs(products.mean() - expected) < 4.5 * products.std() / math.sqrt(len(products))
    moments = feature_moments(MIXTURE, projection, overlap_order=5, activation=activation)
    squared_length = MIXTURE.weights @ np.sum(moments.variance + moments.mean**2, axis=1)
    options = {"initial_weights": np.zeros(90), "times": np.array([0.0, 50.0]), "activation": activation}
    rate = 0.05 * 90 / squared_length
    path = train_readout(MIXTURE, projection, Learning(rate, 0.01), **options, rng=np.random.default_rng(11))
    assert best.pmse < path.pmse[1] < path.pmse[0] == 0.5


@pytest.mark.slow
@every_activation
def test_latent_features_and_their_simulation(activation):
    """Covariances of random features of a Gaussian latent, by Hermite expansion, against samples of them."""
    projection, teacher = random_projection(np.random.default_rng(12), 30, 8), np.ones(30)
    expansion, _ = converged_expansion(activation.value, 1.0, 6)
    feature_covariances = random_feature_covariances(projection, teacher, expansion)
    mean = np.full(8, expansion.coefficients[0])
    field, features = random_feature_source(projection, teacher, activation, mean)(np.random.default_rng(13), 100_000)
    for found, expected in (
        (features[:, :, None] * features[:, None], feature_covariances.Omega),
        (field[:, None] * features, feature_covariances.correlation),
    ):
        error = found.std(axis=0) / math.sqrt(len(found))
        assert np.all(np.abs(found.mean(axis=0) - expected) < 4.5 * error + 1e-12)


@every_activation
def test_one_gradient_step(activation):
    """A step follows finite differences of the loss. Activations without a gradient are refused."""
    rng = np.random.default_rng(14)
    data = Samples(rng.standard_normal((9, 4)), rng.standard_normal(9))
    network = StartingNetwork(rng.standard_normal((3, 4)), rng.standard_normal(3))
    if refused(activation, lambda: next(gradient_steps(network, data, [activation], step=0.1))):
        return

    def loss(F):
        return np.mean((data.labels - activation(data.inputs @ F.T) @ network.w / math.sqrt(3)) ** 2) / 2

    (moved,) = gradient_steps(network, data, [activation], step=0.1)
    shifts = 1e-6 * np.eye(12).reshape(12, 3, 4)
    gradient = [(loss(network.F + shift) - loss(network.F - shift)) / 2e-6 for shift in shifts]
    np.testing.assert_allclose(moved, network.F - 0.1 * np.reshape(gradient, (3, 4)), rtol=1e-6, atol=1e-8)


@pytest.mark.slow
@every_activation
def test_fixed_points(activation):
    """The fixed point is where a network converges. Activations without a gradient are refused."""
    learning, nodes = Learning(0.2, 0.1), sobol_nodes(2, 9, 0)
    mixture = IsotropicMixture(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.array([0.5, 0.5]), 0.3)
    start = IsotropicState(np.array([[0.3, 0.05], [0.05, 0.2]]), np.array([[0.4, 0.2]]), np.array([0.5, 0.3]))

    def attempt():
        equations = IsotropicEquations(mixture, activation, learning, nodes)
        return stationary_state(equations, start, 100.0, max_iterations=20)

    if refused(activation, attempt):
        return
    try:
        point = attempt()
    except NotConverged:
        if activation.kinks.size == 0:  # the noise is taken at points, or along lines, that meet kinks
            raise
        return
    later = integrate(point.equations, point.state, np.array([0.0, 5.0])).states[-1]
    np.testing.assert_allclose(later.Q, point.state.Q, rtol=0, atol=1e-4)

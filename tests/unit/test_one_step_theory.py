"""The conditional equivalent: its moments against sampled inputs, its errors against limits and networks."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sampling import mean_products
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

import twolayer as tl
from twolayer.errors import ConfigError
from twolayer.experiments.one_step import frozen_features, one_step_simulation, one_step_theory
from twolayer.experiments.one_step.one_step_data import draw_data, draw_distribution
from twolayer.experiments.one_step.parameters import Axes, FrozenFeatures, OneStepSweep, OneStepTheory, SpikedData
from twolayer.model.networks.activations import LINEAR, RELU, SIGMOID, TANH, as_activation
from twolayer.model.random.streams import Stream
from twolayer.parameters import parse
from twolayer.simulation.one_step import gradient_step as simulation
from twolayer.simulation.one_step.gradient_step import ridge_readout
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.one_step import conditional_equivalent
from twolayer.theory.one_step.class_error import Cluster, SecondLayer, class_error, spiked_clusters, strong_axes
from twolayer.theory.one_step.conditional_equivalent import components, conditional_fit, feature_moments
from twolayer.theory.replica.replica_equations import linear_labels, ridge_overlaps

DATA = SpikedData(60, 60, beta=1, alpha=0, ratios=(0.3, 0.7), ranks=(2, 2))


def stream(seed=0):
    return Stream(np.random.default_rng(seed))


def drawn(data=DATA, width=7):
    """A distribution with strong spikes, and a first layer that leans towards them."""
    distribution = draw_distribution(data, stream())
    F = stream(1).normal(width, data.input_dimension) / math.sqrt(distribution.mixture.trace)
    return distribution, F + 0.3 * stream(2).normal(width)[:, None] * distribution.mixture.frames[0][:, 0]


@cache
def sampled(**changes):
    """A distribution, a first layer, and 400,000 samples: the first layer's fields and the labels."""
    distribution, F = drawn(replace(DATA, **changes))
    data = distribution.sample(stream(3), 400_000)
    return distribution, F, data.inputs @ F.T, data.labels


@pytest.mark.slow
@pytest.mark.parametrize("activation", [RELU, TANH, SIGMOID], ids=lambda activation: activation.name)
@pytest.mark.parametrize("changes", [{"label_noise": 0.5}, {"labels": "classification"}], ids=["teacher", "classes"])
def test_moments_against_sampled_inputs(activation, changes):
    """Largest of 57 z scores over 400,000 inputs; beyond 5 once in 30,000."""
    distribution, F, fields, y = sampled(**changes)
    moments, y = feature_moments(activation.value, components(distribution, F)), y[:, None]
    v = activation.value(fields)
    for measured, expected in (
        ((v, v), moments.Omega),
        ((v, y), moments.correlation[:, None]),
        ((y, y), moments.power + distribution.noise**2),
    ):
        mean, error = mean_products(*measured)
        assert np.max(np.abs(mean - expected) / (error + 1e-12)) < 5


@pytest.mark.slow
def test_frozen_features_are_the_limit():
    """At beta = 0, for large n: drawn ones lie 3, 1.2, .7 and .2 percent above at n = 100, 200, 400 and 800."""
    data, axes = SpikedData(300, 300, beta=0), Axes(width=(0.5, 1.0))
    frozen = frozen_features.run(FrozenFeatures(data, axes, nodes=None))
    theory = one_step_theory.run(OneStepTheory(data, axes, seeds=8, seed=0))
    for name in ("theory", "theory_training"):
        excess = theory[name] / frozen[name] - 1
        assert (abs(excess.mean("seed")) < 0.01 + 4 * excess.std("seed", ddof=1) / math.sqrt(8)).all()


def trained_errors(distribution, F, activation, samples, ridge, seeds):
    """(seeds, 3) errors of second layers fitted to fresh data: on other data, on their own with the penalty, and the
    classes that they miss."""
    rows, penalty = [], ridge * samples * len(F)
    for numbers in (stream(seed) for seed in range(seeds)):
        train, test = distribution.sample(numbers, samples), distribution.sample(numbers, 4 * samples)
        features = activation.value(train.inputs @ F.T)
        w = ridge_readout(features, train.labels, penalty)
        training = (np.sum((train.labels - features @ w) ** 2) + penalty * w @ w) / (2 * samples)
        outputs = activation.value(test.inputs @ F.T) @ w
        rows.append([np.mean((test.labels - outputs) ** 2) / 2, training, np.mean(test.labels * outputs < 0)])
    return np.array(rows)


def classes(distribution, F):
    axes = strong_axes(distribution.mixture.frames, F)
    along = F @ axes
    return spiked_clusters(distribution, axes), along, F @ F.T - along @ along.T


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "activation"),
    [
        ({"beta": 0.9}, RELU),
        ({"beta": 0.9, "labels": "classification"}, SIGMOID),
        ({"beta": 1, "alpha": 0, "labels": "classification", "ratios": (0.4, 0.6)}, RELU),
        ({"beta": 0.5, "label_noise": 0.3, "ranks": (3, 3), "alignments": (0.6,)}, TANH),
        ({"beta": 1, "alpha": 0, "ratios": (0.8, 0.2)}, RELU),
    ],
    ids=["both", "classes", "spiked classes", "noise, rank and alignment", "spikes"],
)
def test_errors_against_networks(changes, activation):
    """Of one first layer: three z scores of 40 trials, and 2 percent for what n = 200 lacks to infinity."""
    distribution, F = drawn(replace(SpikedData(200, 200), **changes), width=150)
    rows = trained_errors(distribution, F, activation, 200, 1e-3, seeds=40)
    fit = conditional_fit(components(distribution, F), activation.value, 200, 1e-3, label_noise=distribution.noise)
    expected = [fit.errors.test_loss, fit.errors.training_loss]
    if distribution.teacher is None:
        expected.append(class_error(*classes(distribution, F), activation, fit.second_layer()))
    rows, expected = rows[:, : len(expected)], np.array(expected)
    error = rows.std(axis=0, ddof=1) / math.sqrt(len(rows))
    assert (np.abs(rows.mean(axis=0) - expected) < 4 * error + 0.02 * expected).all()


@pytest.mark.parametrize("ridge", [1e-2, 1e-4, 1e-9])
def test_single_precision_where_the_penalty_hides_its_rounding(monkeypatch, ridge):
    """More linear features than inputs, whose covariance is singular."""
    parts = list(components(*drawn(width=90)))
    ours = conditional_fit(parts, LINEAR.value, 60, ridge).errors
    monkeypatch.setattr(conditional_equivalent, "ROUNDING", math.inf)
    double = conditional_fit(parts, LINEAR.value, 60, ridge).errors
    assert (ours.test_loss, ours.training_loss) == pytest.approx((double.test_loss, double.training_loss), rel=1e-5)


def test_law_of_the_second_layer():
    """Against plain inverses: (lambda m + V_hat Omega)^-1 on either side of Omega."""
    fit = conditional_fit(components(*drawn(width=30)), RELU.value, 60, 1e-3)
    overlaps = ridge_overlaps(fit.spectrum, linear_labels(fit.spectrum), fit.sample_ratio, fit.penalty)
    gain = np.linalg.inv(fit.penalty * np.eye(30) + overlaps.V_hat * fit.moments.Omega)
    second = fit.second_layer()
    np.testing.assert_allclose(second.mean, overlaps.m_hat * gain @ fit.moments.correlation, rtol=1e-9)
    spread = overlaps.q_hat / 30 * gain @ fit.moments.Omega @ gain
    np.testing.assert_allclose(second.covariance, spread, rtol=1e-9, atol=1e-9 * spread.max())


def test_strong_axes_are_those_of_the_spikes_and_the_step():
    directions, step = stream().frame(20, 2), stream(1).normal(9, 20)
    axes = strong_axes([directions], step)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)
    for axis in (*directions.T, np.linalg.svd(step)[2][0]):
        np.testing.assert_allclose(axes @ (axes.T @ axis), axis, atol=1e-10)


def test_strong_axes_of_several_steps():
    directions, steps = stream().frame(20, 2), stream(1).normal(9, 3) @ stream(2).normal(3, 20)
    axes = strong_axes([directions], steps, 3)
    assert axes.shape == (20, 5)
    np.testing.assert_allclose(steps @ axes @ axes.T, steps, atol=1e-10)


@pytest.mark.parametrize("batches", ["fresh", "same"])
def test_several_steps_on_spiked_data(batches):
    """Two steps reduce the error, and the theory of each drawn first layer agrees with its network."""
    data = {"input_dimension": 120, "samples": 200, "beta": 0.7, "teacher_function": "tanh"}
    two = {"count": 2, "per_unit": 0.3, "batches": batches}
    given = {"data": data, "axes": {"width": [0.5]}, "seeds": 16, "seed": 3, "ridge": 1e-3, "activations": ["tanh"]}
    theory = one_step_theory.run(parse(OneStepTheory, given | {"steps": two}, "")).theory
    one = one_step_theory.run(parse(OneStepTheory, given | {"steps": two | {"count": 1}}, "")).theory
    network = one_step_simulation.run(parse(OneStepSweep, given | {"steps": two}, "")).network
    assert float(theory.mean()) < 0.9 * float(one.mean())
    gap = (network / theory - 1).values.ravel()
    assert abs(gap.mean()) < 4 * gap.std(ddof=1) / 4


@pytest.mark.slow
def test_spikes_make_outputs_far_from_normal():
    """With strong spikes networks lie more than twice as far from a theory of normal outputs."""
    distribution, F = drawn(replace(SpikedData(200, 200), beta=1, alpha=0, labels="classification"), width=150)
    measured = trained_errors(distribution, F, RELU, 200, 1e-3, seeds=40)[:, 2].mean()
    parts = list(components(distribution, F))
    second = conditional_fit(parts, RELU.value, 200, 1e-3).second_layer()
    both = np.outer(second.mean, second.mean) + second.covariance
    mean, normal = np.sqrt([np.diag(part.covariance) / (2 * math.pi) for part in parts]) @ second.mean, 0.0
    for sign, output, part in zip((1, -1), mean, parts, strict=True):
        power = np.sum(both * feature_moments(RELU.value, [replace(part, ratio=1.0)]).Omega)
        normal += ndtr(-sign * output / math.sqrt(power - output**2)) / 2
    exact = class_error(*classes(distribution, F), RELU, second)
    assert abs(normal - measured) > 2 * abs(exact - measured)


def test_the_same_data_as_the_simulation():
    """Mixture, teacher and data of the step, trial by trial, so that differences between the two have less scatter."""
    data = SpikedData(60, 60, alpha=0, ranks=(1, 1), random_spikes=True)
    distribution, simulated = draw_distribution(data, numbers := stream(5)), draw_data(data, stream(5))
    np.testing.assert_array_equal(distribution.sample(numbers, 60).inputs, simulated.gradient.inputs)
    axes = Axes(beta=(0.0, 0.9))
    network = one_step_simulation.run(OneStepSweep(data, axes, seeds=12, seed=3, activations=("sigmoid",)))
    theory = one_step_theory.run(OneStepTheory(data, axes, seeds=12, seed=3, activations=("sigmoid",)))
    pairs = np.corrcoef(network.network.sel(beta=0.9).squeeze(), theory.theory.sel(beta=0.9).squeeze())[0, 1]
    assert pairs > 0.9
    assert list(network.seed) == list(theory.seed)


def test_the_same_first_layers_as_the_simulation(monkeypatch):
    """At every point that both have, whatever else they draw."""
    seen = {}

    def remember(module, way):
        original = module.gradient_steps

        def watched(network, *arguments, **options):
            seen.setdefault(way, []).append(network.F.astype(np.float32))
            return original(network, *arguments, **options)

        monkeypatch.setattr(module, "gradient_steps", watched)

    remember(simulation, "simulation"), remember(one_step_theory, "theory")
    data = SpikedData(30, 30)
    one_step_simulation.run(OneStepSweep(data, Axes(alpha=(0.2, 0.8), width=(0.5, 1.0, 2.0)), seeds=2, seed=3))
    one_step_theory.run(OneStepTheory(data, Axes(alpha=(0.2, 0.8), width=(0.5, 2.0)), seeds=2, seed=3))
    common = [F for F in seen["simulation"] if len(F) != 30]
    assert len(common) == len(seen["theory"]) == 8
    for one, other in zip(common, seen["theory"], strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_degree_converges():
    """Degree by degree of the same first layers, towards the result at the degree that the theory chooses."""
    problem = OneStepTheory(SpikedData(150, 150, alpha=0, beta=1), Axes(degree=(1, 2, 4, 8)), seeds=2, seed=0)
    theory, chosen = one_step_theory.run(problem), one_step_theory.run(replace(problem, axes=Axes(beta=(1.0,))))
    gap = abs(theory.theory / chosen.theory.squeeze("beta") - 1).max("seed")
    assert gap.sel(activation="relu", degree=1) > 0.1
    assert float(gap.sel(degree=8).max()) < 5e-3
    assert (gap.sel(degree=8) < gap.sel(degree=2)).all()


def test_label_noise_of_a_network():
    """A network that fits nothing pays half the noise's power on top of half the labels'."""
    quiet = SpikedData(100, 100, beta=0)
    noisy = replace(quiet, label_noise=2.0)
    errors = [
        one_step_simulation.run(OneStepSweep(data, Axes(width=(0.5,)), seeds=30, seed=0, ridge=1e4)).network.mean()
        for data in (quiet, noisy)
    ]
    assert float(errors[1] - errors[0]) == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ridge": 0}, "ridge is 0.0: it must be above 0"),
        ({"axes": {"rank": [30]}}, "axes.rank has 30: use at most 20"),
        (
            {"data": {"input_dimension": 20, "samples": 20, "labels": "classification", "label_noise": 0.1}},
            "label_noise is 0.1, but labels are classes: set it to 0",
        ),
    ],
)
def test_bad_configurations(changes, message):
    values = {"data": {"input_dimension": 20, "samples": 20}, "axes": {"width": [1.0]}, "seeds": 2, "seed": 0}
    with pytest.raises(ConfigError, match=message):
        parse(OneStepTheory, values | changes, "here")


@pytest.mark.slow
def test_theory_of_the_hermite_model():
    """Of degree 1, whose noise matters: six z scores with 29 degrees of freedom, and 2 percent for n = 120."""
    data, axes = SpikedData(120, 120, alpha=0.3, beta=0.5), Axes(width=(0.5,))
    sweep = one_step_simulation.run(OneStepSweep(data, axes, seeds=30, seed=4, degree=1))
    theory = one_step_theory.run(OneStepTheory(data, axes, seeds=30, seed=4, degree=1, hermite=True))
    for name in ("hermite", "hermite_training"):
        expected = theory[name.replace("hermite", "hermite_theory")]
        gap = sweep[name] - expected
        error = gap.std("seed", ddof=1) / math.sqrt(30)
        assert (abs(gap.mean("seed")) < 4.5 * error + 0.02 * expected.mean("seed")).all()


def test_the_step_counts():
    """At alpha = beta = 1 it makes the errors of relu a tenth smaller than with features left as they were."""
    data, axes = SpikedData(200, 200, alpha=1), Axes(beta=(0.0, 1.0))
    problem = OneStepTheory(data, axes, seeds=6, seed=0, activations=("relu",))
    theory = one_step_theory.run(problem).theory.squeeze("activation").mean("seed")
    frozen = frozen_features.run(FrozenFeatures(data, axes, activations=("relu",))).theory.squeeze("activation")
    excess = theory / frozen - 1
    assert abs(excess.sel(beta=0.0)) < 0.05
    assert excess.sel(beta=1.0) < -0.05


@pytest.mark.parametrize("activation", ["tanh", "softplus"])
def test_splines_of_wide_fields_are_their_averages(activation):
    """Repeated clusters are the same distribution. They have more points than a spline has nodes."""
    along, covariance = np.array([[3.0, 1.0], [-1.0, 2.0]]), np.diag([2.0, 300.0]) ** 2
    second = SecondLayer(np.array([1.0, 0.5]), 0.01 * np.eye(2))

    def error(copies):
        clusters = [
            Cluster(0.5 / copies, label, np.array([label, 0.5]), np.eye(2)) for label in (1, -1) for _ in range(copies)
        ]
        return class_error(clusters, along, covariance, as_activation(activation), second)

    assert error(10) == pytest.approx(error(1), abs=1e-6)


@pytest.mark.parametrize(("mean", "deviation"), [(0.0, 1e3), (50.0, 200.0), (-1e3, 5e3)])
def test_averages_over_wide_fields(mean, deviation):
    tanh = unit_averages(as_activation("tanh"))
    values, variances, coefficients = tanh.feature_distribution(np.array([[mean]]), np.array([deviation]), 1)

    def average(function):
        near = -mean / deviation + np.array([-20.0, 0.0, 20.0]) / deviation
        return quad(lambda z: function(mean + deviation * z, z) * norm.pdf(z), -10, 10, points=near, limit=400)[0]

    expected = average(lambda x, z: np.tanh(x))
    assert values[0, 0] == pytest.approx(expected, abs=1e-8)
    assert variances[0, 0] == pytest.approx(average(lambda x, z: (np.tanh(x) - expected) ** 2), abs=1e-8)
    assert coefficients[0, 0, 0] == pytest.approx(average(lambda x, z: z * np.tanh(x)), abs=1e-8)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"hermite": True, "nodes": 1},
            tl.NotConverged,
            "all features are 0 at the nodes of the quadrature",
        ),
        ({"data": {"label_noise": 1e30}}, tl.NotConverged, "whose products overflow in float32: make the step"),
        ({"steps": tl.GradientSteps(per_unit=1e20)}, tl.NotConverged, "whose products overflow in float32: make the"),
        (
            {"data": {"input_dimension": 1, "ranks": [0], "ratios": [1]}},
            tl.ConfigError,
            "input_dimension is 1, but the steps take up to 1 directions",
        ),
    ],
)
def test_extreme_arguments_end_in_one_sentence(options, error, message):
    data = tl.SpikedData(**{"input_dimension": 30, "samples": 40} | options.pop("data", {}))
    with pytest.raises(error, match=message):
        tl.one_step_theory(data, tl.Axes(width=[0.5]), seeds=1, seed=0, activations=["tanh"], **options)


def test_a_hermite_model_of_a_high_degree():
    data = tl.SpikedData(input_dimension=30, samples=40)
    options = {"seeds": 1, "seed": 0, "activations": ["tanh"], "hermite": True, "degree": 21}
    assert 0 < float(tl.one_step_theory(data, tl.Axes(width=[0.5]), **options).hermite_theory.squeeze()) < 1


def test_a_simulation_whose_features_overflow():
    data, axes = tl.SpikedData(input_dimension=30, samples=40), tl.Axes(step_per_unit=[1e10])
    with pytest.raises(tl.NotConverged, match="products of features overflow in float32"):
        tl.one_step_simulation(data, axes, seeds=2, activations=["tanh"])

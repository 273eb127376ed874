"""Giant steps: independent simulations, limits and symmetries of the theories, and the functions of the library."""

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.activations import ERF, RELU, TANH, Activation, as_activation
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.theory.one_step import giant_step
from twolayer.theory.one_step.frozen_features import marchenko_pastur
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.giant_step import drawn_layer_outputs, spike_directions
from twolayer.theory.one_step.label_averages import conditional_labels, normal_average
from twolayer.theory.one_step.second_step import second_step

ISOTROPIC = {"ranks": [0], "ratios": [1]}
EQUAL = {"second_layer": "equal"}


def two_index(s):
    return s[..., 0] * s[..., 1] + np.tanh(s[..., 0])


def textbook(n, k, m0, m, rate, penalty, phi, slope, teacher, seed, steps=1):
    """Mean squared error of a network after giant steps on fresh samples, written without the library."""
    rng = np.random.default_rng(seed)
    F, theta = rng.standard_normal((k, n)) / np.sqrt(n), np.linalg.qr(rng.standard_normal((n, 2)))[0].T
    for _ in range(steps):
        X = rng.standard_normal((m0, n))
        z = X @ F.T
        r = teacher(X @ theta.T) - phi(z).mean(axis=1)
        F = F + rate / m0 * (slope(z) * r[:, None]).T @ X
    X, fresh = rng.standard_normal((m, n)), rng.standard_normal((4000, n))
    features, y = phi(X @ F.T) / np.sqrt(k), teacher(X @ theta.T)
    w = np.linalg.solve(features.T @ features + penalty * np.eye(k), features.T @ y)
    return np.mean((teacher(fresh @ theta.T) - phi(fresh @ F.T) @ w / np.sqrt(k)) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "phi", "slope", "function", "directions"),
    [
        ("tanh", np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda s: np.sin(s[..., 0]), 1),
        ("tanh", np.tanh, lambda x: 1 - np.tanh(x) ** 2, two_index, 2),
        ("relu", lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0), lambda s: np.tanh(s[..., 0]), 1),
    ],
    ids=["sin", "two_index", "relu"],
)
def test_drawn_layers_against_an_independent_simulation(name, phi, slope, function, directions):
    n, k, m0, m, rate = 120, 100, 240, 250, 2.0
    simulated = [textbook(n, k, m0, m, rate, 0.1, phi, slope, function, seed) for seed in range(24)]
    given = function if directions > 1 else lambda x: function(x[..., None])
    data = tl.SpikedData(n, m, step_samples=m0, teacher_function=given, teacher_directions=directions, **ISOTROPIC)
    options = {"width": k / m, "ridge": 0.1 / m, "activations": [name], "steps": EQUAL, "seeds": 8, "seed": 0}
    theory = 2 * tl.one_step_theory(data, tl.Axes(step_per_unit=[rate]), **options).theory.squeeze()
    error = np.hypot(np.std(simulated, ddof=1) / np.sqrt(24), theory.std(ddof=1) / np.sqrt(8))
    assert abs(np.mean(simulated) - theory.mean()) < 3.5 * error + 0.03 * theory.mean()


@pytest.mark.slow
def test_several_steps_against_an_independent_simulation():
    n, k, m0, m = 120, 100, 240, 250
    problem = np.tanh, lambda x: 1 - np.tanh(x) ** 2, lambda s: np.sin(s[..., 0])
    simulated = [textbook(n, k, m0, m, 1.0, 0.1, *problem, seed, steps=3) for seed in range(24)]
    data = tl.SpikedData(n, m, step_samples=m0, teacher_function="sin", **ISOTROPIC)
    options = {"width": k / m, "ridge": 0.1 / m, "activations": ["tanh"], "seeds": 6, "seed": 0}
    steps = EQUAL | {"count": 3, "per_unit": 1.0}
    theory = 2 * tl.one_step_theory(data, tl.Axes(width=[k / m]), steps=steps, **options).theory.squeeze()
    error = np.hypot(np.std(simulated, ddof=1) / np.sqrt(24), theory.std(ddof=1) / np.sqrt(6))
    assert abs(np.mean(simulated) - theory.mean()) < 3.5 * error + 0.03 * theory.mean()


@pytest.mark.slow
def test_the_limit_is_the_mean_theory_of_drawn_layers():
    n = 200
    data = tl.SpikedData(n, 2 * n, step_samples=n, teacher_function="tanh", label_noise=0.2, **ISOTROPIC)
    axes, options = tl.Axes(step_per_unit=[3.0]), {"width": 0.5, "ridge": 0.1 / (2 * n), "activations": ["tanh"]}
    drawn = tl.one_step_theory(data, axes, steps=EQUAL, seeds=16, seed=1, **options).theory.squeeze()
    limit = float(tl.giant_step_limit(data, axes, **options).theory.squeeze())
    assert abs(drawn.mean() - limit) < 3.5 * drawn.std(ddof=1) / 4 + 0.01 * limit


@pytest.mark.slow
def test_without_a_step_the_limit_is_that_of_random_features():
    """Replica theory of Gaussian features with the eigenvalues of Marchenko and Pastur."""
    ratio, width = 2.0, 0.8
    step = GiantStep(TANH, LabelFunction.of("tanh", 1), 0.0, 1.0)
    outputs = giant_step_limit(step, width_ratio=width, sample_ratio=ratio, penalty=0.05)
    z, weights = normal_average(1)
    power, linear = (weights @ np.tanh(z[:, 0]) ** 2, step.h1)
    x, share = marchenko_pastur(width)
    nodes = np.interp((np.arange(4000) + 0.5) / 4000, np.cumsum(share[::-1]) - share[::-1] / 2, x[::-1])
    spectrum = tl.FeatureCovariances.from_spectrum(
        linear**2 * nodes + power - linear**2, width * linear**2 * nodes, power=1.0
    )
    noise = np.sqrt(power / linear**2 - 1)  # labels are linear * (s + noise), with the power of tanh
    problem = tl.ConvexProblem([ratio], [0.05], ["square"], labels="linear", noise=float(noise))
    theory = tl.replica(spectrum, problem).squeeze()
    assert 2 * outputs.losses.test_loss == pytest.approx(2 * linear**2 * float(theory.test_loss), rel=2e-3)


def drawn_problem(seed=0, n=40, k=20, directions=2):
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((k, n)) / np.sqrt(n)
    change = np.outer(rng.standard_normal(k) + 2, rng.standard_normal(n)) / np.sqrt(n)
    return start + change, spike_directions(change, 1), np.linalg.qr(rng.standard_normal((n, directions)))[0].T


def errors(layer, spikes, directions, function=two_index, activation=TANH):
    labels = LabelFunction.of(function, len(directions))
    return drawn_layer_outputs(layer, spikes, activation, labels, directions, samples=50, penalty=0.1).losses


def test_symmetries_of_drawn_layers():
    layer, spikes, directions = drawn_problem()
    expected = errors(layer, spikes, directions)
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((40, 40)))[0]
    same = {
        "rotation": (layer @ rotation, rotation.T @ spikes, directions @ rotation),
        "permutation": (layer[::-1], spikes, directions),
        "sign of the spike": (layer, -spikes, directions),
        "sign of odd units": (layer * np.where(np.arange(20) % 2, 1, -1)[:, None], spikes, directions),
    }
    for name, problem in same.items():
        found = errors(*problem)
        assert found.test_loss == pytest.approx(expected.test_loss, rel=1e-7), name
        assert found.training_loss == pytest.approx(expected.training_loss, rel=1e-7), name
    flipped = errors(layer, spikes, directions, lambda s: -two_index(s))
    assert flipped.test_loss == pytest.approx(expected.test_loss, rel=1e-9)
    turned = errors(layer, spikes, directions[::-1], lambda s: two_index(s[..., ::-1]))
    assert turned.test_loss == pytest.approx(expected.test_loss, rel=1e-7)


@pytest.mark.slow
def test_two_spike_directions_contain_one():
    """A second direction without a spike changes only what is Gaussian anyway."""
    layer, spikes, directions = drawn_problem(n=200, k=40, directions=1)
    second = np.linalg.qr(np.column_stack([spikes, np.random.default_rng(5).standard_normal(200)]))[0]
    one, two = (errors(layer, V, directions, np.tanh).test_loss for V in (spikes, second))
    assert two == pytest.approx(one, rel=0.02)


def test_symmetries_of_the_limit():
    def loss(function, directions=1, **options):
        step = GiantStep(ERF, LabelFunction.of(function, directions), 2.0, 1.5, **options)
        return giant_step_limit(step, width_ratio=0.7, sample_ratio=1.2, penalty=0.1).losses

    one = loss(np.tanh)
    assert loss(lambda x: -np.tanh(x)).test_loss == pytest.approx(one.test_loss, rel=1e-9)
    for function in (lambda s: np.tanh(s[..., 0]), lambda s: np.tanh(0.6 * s[..., 0] - 0.8 * s[..., 1])):
        several = loss(function, 2)  # the function uses one direction of the plane
        assert several.test_loss == pytest.approx(one.test_loss, rel=1e-6)
        assert several.training_loss == pytest.approx(one.training_loss, rel=1e-6)
    assert loss(np.tanh, label_noise=0.3).test_loss > one.test_loss + 0.3**2 / 2


def limit_loss(activation=TANH, rate=1.0, *, width=1.0, ratio=1.0, penalty=0.1):
    step = GiantStep(activation, LabelFunction.of("sign", 1), rate, 1.0)
    return giant_step_limit(step, width_ratio=width, sample_ratio=ratio, penalty=penalty).losses.test_loss


@pytest.mark.parametrize("rate", [0.0, 1e-3, 1.0])
def test_vanishing_ridges(rate):
    """With as many samples as units the error rises as ridge^(-1/2), and with fewer or more it has a limit."""
    errors = [limit_loss(rate=rate, penalty=penalty) for penalty in (1e-12, 1e-20, 1e-28)]
    np.testing.assert_allclose(np.array(errors[1:]) / errors[:-1], 1e4, rtol=1e-4)
    for ratio in (0.5, 2.0):
        limit = limit_loss(rate=rate, ratio=ratio, penalty=1e-9)
        assert limit_loss(rate=rate, ratio=ratio, penalty=1e-28) == pytest.approx(limit, rel=1e-6)


def test_large_ridges():
    """The output falls as 1 / ridge; its part along the mean of the features stays."""
    errors = [limit_loss(rate=0.0, penalty=penalty) for penalty in (1e10, 1e20, 1e32)]
    np.testing.assert_allclose(errors, 0.5, rtol=1e-9)


@pytest.mark.parametrize("size", [1e-5, 1e5])
def test_the_size_of_an_activation_is_a_unit(size):
    """A factor of the features changes nothing if the step and the ridge have the corresponding factors."""
    scaled = Activation.of(lambda x: size * np.tanh(x), lambda x: size / np.cosh(x) ** 2, "scaled")
    expected = limit_loss(rate=2.0)
    assert limit_loss(scaled, 2.0 / size, penalty=0.1 * size**2) == pytest.approx(expected, rel=1e-7)


def test_small_ridges_take_more_nodes(monkeypatch):
    """Far out along the spike units saturate, and the error for a small ridge depends on the place."""
    usual = limit_loss(ERF, 50.0, penalty=4e-10)
    monkeypatch.setattr(giant_step, "NODES", {1: (400, 0)})
    assert usual == pytest.approx(limit_loss(ERF, 50.0, penalty=4e-10), rel=2e-3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: limit_loss(rate=1e-20), tl.NotConverged, "is a rounding error: use a step with both closer to 1"),
        (lambda: limit_loss(as_activation("sin"), 50.0), tl.NotConverged, "is a rounding error"),
        (lambda: limit_loss(ERF, 1e6, penalty=1e-28), tl.NotConverged, "with twice the nodes"),
        (lambda: limit_loss(as_activation(lambda x: 1e200 * x)), tl.ConfigError, "has values of size 1.4e"),
        (lambda: limit_loss(as_activation(lambda x: 1e-200 * x)), tl.ConfigError, "has values of size 1.4e"),
    ],
)
def test_refusals_of_extreme_steps_and_units(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_conditional_labels_average_to_the_labels():
    """Averages over kappa give the mean, the power and the correlation with s of the labels."""
    labels, overlaps = LabelFunction.of(two_index, 2), np.array([[0.5], [-0.3]])
    kappa, weights = normal_average(1)
    y = conditional_labels(labels, overlaps, kappa, 0.4)
    s, own = normal_average(2)
    assert weights @ y.mean == pytest.approx(own @ two_index(s), abs=1e-9)
    assert weights @ y.power == pytest.approx(own @ two_index(s) ** 2 + 0.16, rel=1e-9)
    along = (weights * y.mean) @ kappa[:, 0]
    assert along == pytest.approx(overlaps[:, 0] @ ((own * two_index(s)) @ s), abs=1e-9)


def test_large_spikes_take_more_nodes(monkeypatch):
    """At a spike of 14 times the rest of the row, twice as many nodes change nothing."""
    step, ratios = GiantStep(ERF, LabelFunction.of("sin", 1), 50.0, 100.0), {"width_ratio": 1.0, "sample_ratio": 2.0}
    assert step.spike > 13 * np.sqrt(step.bulk)
    usual = giant_step_limit(step, penalty=0.1, **ratios).losses.test_loss
    monkeypatch.setattr(giant_step, "NODES", {1: (400, 0)})
    assert usual == pytest.approx(giant_step_limit(step, penalty=0.1, **ratios).losses.test_loss, rel=1e-6)


@pytest.mark.slow
def test_second_step_against_an_independent_simulation():
    n, m0, k, rate = 1000, 2000, 64, 2.0
    step = GiantStep(TANH, LabelFunction.of("tanh", 1), rate, m0 / n)
    for same in (True, False):
        found = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            w, F = np.sign(rng.standard_normal(k)) / np.sqrt(k), rng.standard_normal((k, n)) / np.sqrt(n)
            X = rng.standard_normal((m0, n))
            for batch in range(2):
                X = X if same or batch == 0 else rng.standard_normal((m0, n))
                z = X @ F.T
                r = np.tanh(X[:, 0]) - np.tanh(z) @ w / np.sqrt(k)
                F = F + rate * np.sqrt(k) * w[:, None] * ((1 - np.tanh(z) ** 2) * r[:, None]).T @ X / m0
            found.append(np.mean(np.sqrt(k) * w * F[:, 0]))
        overlap, _ = second_step(step, same)
        assert abs(np.mean(found) - overlap) < 4 * np.std(found, ddof=1) / np.sqrt(6) + 0.01


@pytest.mark.slow
def test_one_component_and_isotropic_inputs_are_data():
    one = tl.SpikedData(30, 40, ranks=[2], ratios=[1.0], alignments=[])
    assert one.alignments == ()
    assert not one.isotropic
    runs = tl.one_step_simulation(one, tl.Axes(beta=[0.5]), seeds=2, activations=["tanh"])
    assert np.isfinite(runs.network).all()
    isotropic = tl.SpikedData(30, 40, teacher_function="sign", **ISOTROPIC)
    runs = tl.one_step_simulation(isotropic, tl.Axes(step_per_unit=[0.0, 2.0]), seeds=2, activations=["tanh"])
    theory = tl.one_step_theory(isotropic, tl.Axes(step_per_unit=[0.0, 2.0]), seeds=2, seed=0, activations=["tanh"])
    limit = tl.giant_step_limit(isotropic, tl.Axes(step_per_unit=[2.0]), second_batches=["same", "fresh"])
    assert "network_misclassified" in runs
    assert "theory_misclassified" in set(theory) & set(limit)
    assert limit.second_overlap.sizes["batch"] == 2
    assert 0 < float(theory.theory_misclassified.max()) < 0.5


@pytest.mark.slow
def test_class_error_of_saturated_units():
    """All units saturate far out along the spike, where their outputs have no variance, up to rounding."""
    data = tl.SpikedData(200, 400, step_samples=400, teacher_function="sign", **ISOTROPIC)
    options = {"width": 0.5, "ridge": 1e-3, "activations": ["tanh"], "seeds": 2, "seed": 0, "steps": EQUAL}
    axes = tl.Axes(step_per_unit=[0, 1, 4])
    assert np.isfinite(tl.one_step_theory(data, axes, **options).theory_misclassified).all()


def test_class_error_of_drawn_layers():
    data = tl.SpikedData(150, 300, teacher_function="sign", **ISOTROPIC)
    options = {"width": 0.5, "ridge": 0.1 / 300, "activations": ["tanh"], "seeds": 12, "seed": 0, "steps": EQUAL}
    axes = tl.Axes(step_per_unit=[3.0])
    theory = tl.one_step_theory(data, axes, **options).theory_misclassified.squeeze()
    runs = tl.one_step_simulation(data, axes, **options).network_misclassified.squeeze()
    gap = runs - theory
    assert abs(gap.mean()) < 3.5 * gap.std(ddof=1) / np.sqrt(12) + 0.005


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tl.SpikedData(20, 30, ranks=[0, 1]), "some ranks are 0"),
        (lambda: tl.SpikedData(20, 30, labels="classification", **ISOTROPIC), "which are identical"),
        (lambda: tl.SpikedData(20, 30, teacher="aligned", **ISOTROPIC), "this needs spikes"),
        (
            lambda: tl.SpikedData(20, 30, teacher_directions=2, teacher_function=np.tanh, **ISOTROPIC),
            "one finite number",
        ),
        (lambda: tl.SpikedData(2, 30, teacher_directions=3, **ISOTROPIC), "teacher_directions is 3"),
        (lambda: tl.SpikedData(20, 30, teacher_function="square root", **ISOTROPIC), "choose one of"),
        (lambda: tl.SpikedData(20, 30, teacher_function=3, **ISOTROPIC), "give a function of arrays"),
        (lambda: tl.giant_step_limit(tl.SpikedData(20, 30), tl.Axes(width=[1])), "hold for isotropic inputs"),
        (
            lambda: tl.giant_step_limit(tl.SpikedData(20, 30, **ISOTROPIC), tl.Axes(beta=[1])),
            "allows only width and step_per_unit",
        ),
        (
            lambda: tl.giant_step_limit(tl.SpikedData(20, 30, **ISOTROPIC), tl.Axes(width=[1]), activations=["relu"]),
            "second Hermite coefficient",
        ),
        (
            lambda: tl.giant_step_limit(
                tl.SpikedData(20, 30, teacher_function=np.zeros_like, **ISOTROPIC), tl.Axes(width=[1])
            ),
            "all labels of teacher_function are 0",
        ),
        (lambda: second_step(GiantStep(TANH, LabelFunction.of(two_index, 2), 1.0, 1.0), True), "one direction"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(tl.ConfigError, match=message):
        call()


def test_kinks_of_activations_do_not_cost_accuracy():
    """Labels of sign have the same moments from panels at the kink as in closed form."""
    labels, overlaps = LabelFunction.of("sign", 1), np.array([[0.8]])
    kappa, _ = normal_average(1)
    y = conditional_labels(labels, overlaps, kappa, 0.0)
    density = np.exp(-((0.8 * kappa[:, 0] / 0.6) ** 2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(y.slope[:, 0], 2 * density, atol=1e-10)
    assert as_activation("relu") is RELU


def test_intervals_that_double_from_the_length_of_the_step_on(monkeypatch):
    """They give the averages of one Gauss-Legendre rule."""

    def averages():
        kappa, weights = giant_step.kappa_nodes(1, 34.0)
        field = 34 * kappa[:, 0]
        found = [weights @ values for values in (np.tanh(field) ** 2, np.exp(-(field**2)), np.tanh(field) * field)]
        return len(kappa), found

    count, found = averages()
    monkeypatch.setattr(giant_step, "NODES", {1: (400, 0)})
    one_rule, expected = averages()
    assert count != one_rule == 800
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_limit_of_a_giant_step_of_any_size():
    """Without noise of the step's samples the error has a limit for large steps."""
    isotropic = {"ranks": [0], "ratios": [1], "teacher_function": "tanh"}
    data = tl.SpikedData(input_dimension=800, samples=400, step_samples=400, **isotropic)
    theory = tl.giant_step_limit(data, tl.Axes(step_per_unit=[1e3, 1e6]), ridge=0.1, activations=["linear"])
    assert theory.theory[0].item() == pytest.approx(theory.theory[1].item(), rel=1e-5)


def test_steps_that_need_too_many_nodes_are_refused():
    isotropic = {"input_dimension": 20, "samples": 40, "ranks": [0], "ratios": [1], "teacher_function": "erf"}
    axes, linear = tl.Axes(step_per_unit=[1e6]), {"activations": ["linear"]}
    with pytest.raises(tl.NotConverged, match="lower step_per_unit, raise step_samples, or leave second_batches out"):
        tl.giant_step_limit(tl.SpikedData(**isotropic), axes, second_batches=["same"], **linear)
    with pytest.raises(tl.NotConverged, match="make the steps smaller, or make one step"):
        tl.one_step_theory(tl.SpikedData(**isotropic), axes, seeds=1, seed=0, steps=tl.GradientSteps(count=2), **linear)

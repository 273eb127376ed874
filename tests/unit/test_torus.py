"""Features on the torus and the descent by lagged projections, against dense linear algebra."""

from itertools import islice

import numpy as np
import pytest
import torch
from scipy.integrate import dblquad

import twolayer as tl
from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.feature_maps import TORUS
from twolayer.model.teachers.teacher_distributions import mean_feature, wrap
from twolayer.model.teachers.torus_problem import draw_problem
from twolayer.simulation.mean_field import variable_projection as dense
from twolayer.simulation.mean_field.autograd_features import AutogradFeatures
from twolayer.simulation.mean_field.reduced_descent import EXCESS, ReducedDescent
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.mean_field.torus_features import TorusFeatures, teacher_output

STEP = 2.0**-10


def autograd_features(*arguments):
    return AutogradFeatures(TORUS, *arguments, torch.device("cpu"))


def problem(samples=256, width=48, gamma=100.0):
    drawn = draw_problem(np.random.SeedSequence(0), gamma, 200, samples, width)
    return drawn.inputs, teacher_output(drawn.inputs, drawn.teacher), drawn.student


def descent_of(kind, precision="double", ridge=1e-3, offset=1.0, step=STEP, **sizes):
    inputs, targets, student = problem(**sizes)
    features = kind(inputs, targets, len(student), precision)
    return ReducedDescent(features, student, ridge, offset, step, EXCESS[precision])


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
def test_products_are_those_of_the_feature_matrix(kind, precision):
    inputs, targets, weights = problem()
    inputs[0] += 40  # the same point of the torus
    rng, tolerance = np.random.default_rng(1), {"single": 2e-5, "double": 1e-12}[precision]
    outer, direction = rng.standard_normal((2, 48))
    features = kind(inputs, targets, 48, precision)
    misfit, pull = features.evaluate(features.place(weights), features.array(outer))
    image, curvature = features.product(features.array(direction))
    inverse = features.shifted_inverse(1e-2)
    tensor = torch.tensor(weights, requires_grad=True)
    graph = TORUS.features(torch.tensor(inputs), tensor)
    phi = graph.detach().numpy()
    matrix = phi.T @ phi / (256 * 48)
    error = targets - phi @ outer / 48
    (slopes,) = torch.autograd.grad(graph, tensor, torch.tensor(error)[:, None].expand_as(graph))
    pairs = [
        (misfit, error),
        (pull, phi.T @ error / 256),
        (image, phi @ direction / 48),
        (curvature, matrix @ direction),
        (inverse, np.linalg.inv(matrix + 1e-2 * np.eye(48))),
        (features.slopes(misfit), slopes.numpy()),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(features.numpy(ours), theirs, rtol=0, atol=tolerance * abs(theirs).max())


@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
def test_a_feature_on_an_input_is_not_moved_by_it(kind):
    features = kind(np.array([[0.5, -1.0]]), np.array([3.0]), 1, "double")
    misfit, _ = features.evaluate(features.place(np.array([[4.5, -1.0]])), features.array(np.ones(1)))
    assert float(misfit[0]) == pytest.approx(3 - 8)
    np.testing.assert_array_equal(features.numpy(features.slopes(misfit)), [[0, 0]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
@pytest.mark.parametrize(("ridge", "offset"), [(1e-1, 0.0), (1e-3, 1.0)])
def test_a_hundred_iterations_agree_with_the_dense_ones(kind, ridge, offset):
    inputs, targets, student = problem()
    tensors = torch.tensor(inputs), torch.tensor(targets)[:, None], torch.tensor(student)
    states = islice(dense.descend(TORUS, Risk(ridge, offset), *tensors, STEP), 101)
    descent = descent_of(kind, ridge=ridge, offset=offset)
    for state in states:
        assert descent.project() == pytest.approx(state.risk, rel=1e-9)
        np.testing.assert_allclose(wrap(np.asarray(descent.weights) - state.weights.numpy()), 0, atol=1e-8)
        descent.move()
    assert descent.inverses < 100  # most iterations use an earlier inverse


def test_more_features_than_inputs():
    descent, states = descent_of(TorusFeatures, samples=20), None
    inputs, targets, student = problem(samples=20)
    tensors = torch.tensor(inputs), torch.tensor(targets)[:, None], torch.tensor(student)
    states = dense.descend(TORUS, Risk(1e-3, 1.0), *tensors, STEP)
    assert descent.project() == pytest.approx(next(states).risk, rel=1e-9)


def test_single_precision_stays_close():
    single, double = descent_of(TorusFeatures, "single"), descent_of(TorusFeatures, "double")
    for _ in range(300):
        risks = single.project(), double.project()
        single.move(), double.move()
    assert risks[0] == pytest.approx(risks[1], rel=1e-4)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
def test_a_resumed_descent_has_the_same_numbers(kind, precision):
    straight = descent_of(kind, precision)
    for iteration in range(60):
        if iteration == 25:
            state = {name: array.copy() for name, array in straight.state().items()}
        risk = straight.project()
        straight.move()
    resumed = descent_of(kind, precision)
    resumed.resume(state)
    while resumed.iteration < 60:
        resumed_risk = resumed.project()
        resumed.move()
    assert resumed_risk == risk
    for name, array in straight.state().items():
        np.testing.assert_array_equal(resumed.state()[name], array)


def test_the_mean_of_a_feature_is_that_of_a_teacher():
    def feature(y, x):
        return 8 * np.exp(-2 * np.hypot(x, y))

    assert mean_feature() == pytest.approx(4 * dblquad(feature, 0, 2, 0, 2)[0] / 16, rel=1e-7)
    inputs = np.random.default_rng(0).uniform(-2, 2, (40_000, 2))
    output = teacher_output(inputs, np.array([[0.3, 1.9], [-1.5, 0.2]]))
    assert abs(output.mean() - mean_feature()) < 4 * output.std() / 200


@pytest.mark.parametrize(
    ("inputs", "targets", "width", "words"),
    [
        (np.zeros((5, 3)), np.zeros(5), 2, r"inputs \(5, 3\) and targets \(5,\) do not fit"),
        (np.zeros((5, 2)), np.zeros(4), 2, r"inputs \(5, 2\) and targets \(4,\) do not fit"),
        (np.zeros((5, 2)), np.zeros(5), 0, "width is 0"),
    ],
)
def test_bad_features(inputs, targets, width, words):
    with pytest.raises(ConfigError, match=words):
        TorusFeatures(inputs, targets, width)


@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
def test_what_cannot_be_projected(kind):
    with pytest.raises(ConfigError, match="ridge is 0: variable projection needs a positive ridge"):
        descent_of(kind, ridge=0)
    descent = descent_of(kind, "single", ridge=1e-12, samples=20)
    with pytest.raises(NotConverged, match=r"not positive definite in .*32 at ridge 1e-12: use a larger"):
        descent.project()


def test_an_unstable_descent_is_stopped():
    descent = descent_of(TorusFeatures, step=10.0)

    def run():
        for _ in range(100):
            descent.project()
            descent.move()

    with pytest.raises(NotConverged, match=r"unstable at ridge 0\.001 and step 10: .*a larger ridge or a smaller step"):
        run()


def test_a_rise_of_the_risk_in_the_first_step_is_no_instability():
    found = tl.torus_descent(
        gamma=100.0, ridge=1e-3, width=32, samples=4096, teacher_width=4096, seed=11000, precision="single",
        descent=tl.Descent(iterations=20, step=2**-10, every=1),
    )  # fmt: skip
    assert float(found.risk[1]) > 2 * float(found.risk[0]) > 4 * float(found.risk[-1])

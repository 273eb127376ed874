"""Error messages of theories and simulations that no other test provokes."""

import ast
import dataclasses
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from refusals import assert_refused, table

from twolayer import errors
from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.model.networks.activations import RELU, TANH, as_activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.simulation.convex.convex_learning import learn
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.theory.classes.softmax_regression import softmax_errors, softmax_overlaps
from twolayer.theory.mean_field import mean_field_flow
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.one_step import giant_step
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.teacher_student.scaling_limits import Scaling, limiting_path
from twolayer.theory.teacher_student.signal_averages import Signals

CLASSES = Clusters(np.eye(3), np.ones((3, 3)), np.arange(3), np.full(3, 1 / 3))
STEP = GiantStep(TANH, LabelFunction.of("tanh", 1), 2.0, 1.0)
RNG = np.random.default_rng(0)


def flow(teacher, ridge, power):
    return mean_field_flow.MeanFieldFlow.of(CircleTeacher(teacher), ridge, 1.0, 32, power).solve(np.array([0, 1.0]), 16)


def uncertain_outputs():
    overlaps = softmax_overlaps(CLASSES, 2.0, 0.1)
    return softmax_errors(CLASSES, dataclasses.replace(overlaps, Q=1e8 * overlaps.Q))


def growing_norms():
    """Units whose noise grows with the square of their norm."""
    square, order = as_activation("hermite2"), OrderParameters(np.eye(1), np.zeros((1, 1)), np.eye(1))
    return limiting_path(Signals(square, square), order, np.ones(1), Scaling(-0.25, 2.0), np.array([0.0, 1e4]), 1e-6)


def paths(Q, R, dimension):
    state = SimpleNamespace(Q=Q, R=R, v=np.ones(4))
    options = {"activation": RELU, "dimension": dimension, "times": [0, 1], "rng": RNG}
    return order_parameter_paths(xor(0.1), [state], Learning(0.1, 0.1), **options)


def projection():
    features, targets = (torch.tensor(RNG.standard_normal(shape)) for shape in ((5, 6), (5, 1)))
    return Risk(1e-12, 1.0, 1.5).project(features, 1e3 * targets)


@table(
    (lambda: flow(1e3, 1e-12, 1.2), NotConverged, "projection of the mean-field flow did not converge at ridge 1e-12"),
    (uncertain_outputs, NotConverged, " needs more than 200000 nodes: raise ridges"),
    (
        lambda: giant_step_limit(STEP, width_ratio=1.0, sample_ratio=1.0, penalty=-0.5),
        NotConverged,
        "the equations of a giant step do not converge at lambda m = -0.5: raise ridge",
    ),
    (growing_norms, NotConverged, "the norms diverge before the scaled time 10000: lower times"),
    (
        lambda: stationary_state(SimpleNamespace(learning=Learning(0.1, 0.1, False)), xor_start(4), 1.0),
        ConfigError,
        "train_second_layer is false: the stationary state of both layers needs it to be true",
    ),
)
def test_theory(provoke, error, message):
    assert_refused(provoke, error, message)


@table(
    (
        lambda: paths(np.eye(3), np.zeros((2, 4)), 20),
        ConfigError,
        "initial Q and R have shapes (3, 3) and (2, 4), but 4 hidden units and means in 2 dimensions need (4, 4)",
    ),
    (
        lambda: paths(np.eye(4), np.zeros((2, 4)), 6),
        ConfigError,
        "dimension is 6, but 4 hidden units and means in 2 dimensions need at least 7: raise the dim",
    ),
    (
        lambda: online_sgd(
            xor(0.1).embed(2), Network(np.zeros((4, 9)), np.ones(4), RELU), Learning(0.1, 0.1), times=[0], rng=RNG
        ),
        ConfigError,
        "initial weights have shape (4, 9), but 4 hidden units and 2 inputs need (4, 2)",
    ),
    (projection, NotConverged, "the projection did not converge at ridge 1e-12: use a larger ridge"),
)
def test_simulation(provoke, error, message):
    assert_refused(provoke, error, message)


def test_a_model_of_scikit_learn_that_stops_early():
    inputs = RNG.standard_normal((40, 50))
    with pytest.raises(NotConverged, match="the square loss at ridge 1e-09 did not converge "):
        learn(inputs, np.sign(inputs[:, 0]), "square", 1e-9, penalty="l1")


def test_a_flow_that_the_integration_does_not_follow(monkeypatch):
    stopped = SimpleNamespace(success=False, message="the step is too small")
    monkeypatch.setattr(mean_field_flow, "solve_ivp", lambda *_, **__: stopped)
    with pytest.raises(
        NotConverged, match=r"the mean-field flow stopped \(the step is too small\): use a larger ridge"
    ):
        flow(10.0, 0.01, 2.0)


def drawn_layer():
    layer, direction = RNG.standard_normal((4, 30)) / np.sqrt(30), np.eye(30)[:1]
    labels = LabelFunction.of("tanh", 1)
    return giant_step.drawn_layer_outputs(layer, direction.T, TANH, labels, direction, samples=50, penalty=0.1)


@pytest.mark.parametrize(
    ("solver", "result", "message"),
    [
        ("accelerated", (np.zeros(1), 1.0), "the equations of a giant step do not converge at lambda m = 0.1"),
        ("gmres", (None, 1), "errors of ridge regression do not converge: raise ridge, so that lambda m > 0.1"),
    ],
)
def test_a_layer_that_the_solvers_fail_at(solver, result, message, monkeypatch):
    monkeypatch.setattr(giant_step, solver, lambda *_, **__: result)
    with pytest.raises(NotConverged, match=message):
        drawn_layer()


def test_every_message_names_an_action():
    """A user of a solver that stops reads what to change: the argument and the direction."""
    actions = r"\b(raise|lower|use|change|make|give|set|take|leave|reduce|remedy|_explain)\b"
    texts = [
        (path.name, call.lineno, ast.unparse(call))
        for path in Path(errors.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("NotConverged") and call.args
    ]
    assert len(texts) > 40
    assert [text for text in texts if not re.search(actions, text[2])] == []

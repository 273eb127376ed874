"""Six models after one gradient step, sharing their products, against the textbook: n = m = 500, four widths.

The textbook evaluates every model on its own, in the form that its formulas have.
"""

import math

import numpy as np
import pytest
from numpy.polynomial import hermite_e

from twolayer.experiments.one_step import one_step_simulation, one_step_theory
from twolayer.experiments.one_step.one_step_data import draw_data
from twolayer.experiments.one_step.parameters import Axes, OneStepSweep, OneStepTheory, SpikedData
from twolayer.model.networks.activations import RELU, SIGMOID, TANH
from twolayer.model.networks.hermite_expansion import hermite_expansion
from twolayer.model.random.streams import Stream
from twolayer.simulation.one_step.gradient_step import draw_network, one_step_errors

SIZE, STEP, RIDGE, DEGREE = 500, 500**0.37, 1e-4, 3
ACTIVATIONS = (RELU, TANH, SIGMOID)


def textbook_errors(data, network, activation, features, new_features):
    X, y, k = data.gradient.inputs, data.gradient.labels[:, None], len(network.F)
    F, w, m = network.F, network.w[:, None], len(X)
    residual = y - activation.value(F @ X.T).T @ w / math.sqrt(k)
    gradient = ((w @ residual.T) * activation.slope(F @ X.T)) @ X / (m * math.sqrt(k))
    moved = F + STEP * gradient
    Phi = features(moved @ data.train.inputs.T) / math.sqrt(k)
    w_hat = np.linalg.solve(Phi @ Phi.T + RIDGE * m * np.eye(k), Phi @ data.train.labels)
    outputs = (new_features(moved @ data.test.inputs.T) / math.sqrt(k)).T @ w_hat
    return np.mean((data.test.labels - outputs) ** 2) / 2


def textbook(data, networks, expansions, stream):
    errors = []
    for network in networks:
        for activation, expansion in zip(ACTIVATIONS, expansions, strict=True):

            def noisy(z, expansion=expansion):
                polynomial = hermite_e.hermeval(z / expansion.scale, expansion.coefficients)
                return polynomial + expansion.rest * stream.normal(*z.shape)

            errors.append(textbook_errors(data, network, activation, activation.value, activation.value))
            errors.append(textbook_errors(data, network, activation, noisy, noisy))
    return errors


def shared(data, networks, expansions, stream):
    return [
        error.test_loss
        for network in networks
        for pair in one_step_errors(
            data, network, ACTIVATIONS, expansions=expansions, step=STEP, ridge=RIDGE, stream=stream
        )
        for error in pair
    ]


@pytest.fixture(scope="module")
def problem():
    stream = Stream(np.random.default_rng(0))
    data = draw_data(SpikedData(SIZE, SIZE), stream)
    networks = [draw_network(stream, width, SIZE, data.trace) for width in (250, 500, 1000, 2000)]
    expansions = [hermite_expansion(activation.value, data.scale, DEGREE) for activation in ACTIVATIONS]
    return data, networks, expansions


def test_the_two_agree(problem):
    """The network exactly; the Hermite model, with noise of its own, within what one draw of it changes."""
    data, networks, expansions = problem
    small = data, networks[:1], expansions
    ours, plain = (np.array(way(*small, Stream(np.random.default_rng(1)))) for way in (shared, textbook))
    np.testing.assert_allclose(ours[::2], plain[::2], rtol=1e-8)
    np.testing.assert_allclose(ours[1::2], plain[1::2], rtol=0.2)


@pytest.mark.benchmark(group="one gradient step, six models, n=m=500, k=250 to 2000")
@pytest.mark.parametrize("way", [shared, textbook])
def test_six_models(benchmark, problem, way):
    data, networks, expansions = problem
    networks = networks if benchmark.enabled else networks[:1]
    stream = Stream(np.random.default_rng(2))
    benchmark.pedantic(way, (data, networks, expansions, stream), rounds=2, warmup_rounds=1)


@pytest.mark.benchmark(
    group="one point, three activations, n=m=k=1000: theory of two first layers, and two simulated trials"
)
@pytest.mark.parametrize("way", ["theory", "trial"])
def test_theory_against_a_trial(benchmark, way):
    size, axes = 1000 if benchmark.enabled else 200, Axes(beta=(0.74,))
    data = SpikedData(size, size)
    if way == "theory":
        benchmark.pedantic(
            one_step_theory.run, (OneStepTheory(data, axes, seeds=2, seed=0),), rounds=5, warmup_rounds=1
        )
    else:
        sweep = OneStepSweep(data, axes, seeds=2, seed=0)
        benchmark.pedantic(one_step_simulation.run, (sweep,), rounds=2, warmup_rounds=1)


@pytest.mark.benchmark(group="data of one draw, n=m=1000")
def test_data(benchmark):
    benchmark(draw_data, SpikedData(1000, 1000), Stream(np.random.default_rng(0)))

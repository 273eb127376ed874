"""Networks as they start, and the errors of outputs that are zero."""

import numpy as np
import pytest

from twolayer.experiments.learned_features.mixture_networks import test_errors as errors_of_trial
from twolayer.experiments.learned_features.mixture_networks import trials
from twolayer.experiments.learned_features.parameters import MixtureProblem
from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.model.networks.activations import RELU, as_activation
from twolayer.model.networks.hermite_expansion import hermite_expansion
from twolayer.model.networks.learning import Learning, wrong_signs
from twolayer.model.networks.two_layer_networks import LocalFields, Network, initial_weights
from twolayer.model.random.streams import Stream
from twolayer.simulation.convex.convex_learning import perform
from twolayer.simulation.features.kernel_regression import errors
from twolayer.simulation.mixtures.data_set_sgd import data_set_sgd
from twolayer.simulation.one_step.gradient_step import fitted_errors
from twolayer.theory.averages.mixture_averages import classification_error
from twolayer.theory.averages.nodes import sobol_nodes


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_the_weights_of_both_layers_have_the_scale_as_standard_deviation(scale):
    """A sum of n squared weights is chi-squared: its relative standard error is sqrt(2 / n)."""
    for weights in initial_weights(np.random.default_rng(0), 20_000, 3, scale):
        assert weights.var() == pytest.approx(scale**2, rel=4 * np.sqrt(2 / weights.size))
        assert abs(weights.mean()) < 4 * scale / np.sqrt(weights.size)


def test_a_zero_is_half_an_error():
    np.testing.assert_array_equal(
        wrong_signs(np.array([2.0, -1e-200, 0.0, -0.0]), np.array([1, 1e-200, 1, -1])), [0, 1, 0.5, 0.5]
    )
    assert np.isnan(wrong_signs(np.nan, 1.0))


INPUTS, LABELS = np.random.default_rng(0).standard_normal((40, 3)), np.repeat([-1.0, 1.0], 20)


def convex():
    """Both class errors of a linear readout without weights, for labels and a field."""
    found = perform(np.zeros(3), INPUTS[:, 0], INPUTS, LABELS, "logistic")
    return found.class_error, found.class_error_clean


def kernel():
    """The class error of kernel regression whose output is zero."""
    return errors(np.zeros(40), LABELS)[1:]


def data_set(activation=RELU):
    """The class error of a network whose second layer is zero."""
    network, times = Network(np.ones((2, 3)), np.zeros(2), activation), np.array([0.0])
    return data_set_sgd((INPUTS, LABELS), (INPUTS, LABELS), network, Learning(0.1), times=times).class_error


def one_step():
    """The class error of relu units that are off at all inputs."""
    sets = {"train": Samples(INPUTS, LABELS), "test": Samples(np.abs(INPUTS), LABELS)}
    first_layer, expansion = -np.ones((2, 3)), hermite_expansion(RELU, 1.0, 3)
    return [
        fitted_errors(first_layer, RELU, expansion, **sets, ridge=0.1, stream=Stream(np.random.default_rng(0)))[
            0
        ].class_error
    ]


def learned_features():
    """The class error of a network with zero outputs on a mixture."""
    trial = next(trials(MixtureProblem(sigma=[0.5], sample_ratios=[1], input_dimension=10, seeds=2, test_samples=40)))
    return errors_of_trial(trial, np.zeros(40))[1:]


@pytest.mark.parametrize("class_errors", [convex, kernel, data_set, one_step, learned_features])
def test_a_network_without_outputs_has_a_class_error_of_one_half(class_errors):
    np.testing.assert_array_equal(list(class_errors()), 0.5)


@pytest.mark.parametrize("name", ["relu", "erf", "tanh", "sign", "linear", "swish"])
def test_averages_over_inputs_count_zero_outputs_as_simulations_do(name):
    fields = LocalFields(np.ones((4, 2)), np.eye(2), np.zeros(2), as_activation(name))
    assert classification_error(fields, xor(0.25), sobol_nodes(2, 6, 0)) == (0.5, 1.0)

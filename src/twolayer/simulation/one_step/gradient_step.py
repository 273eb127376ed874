"""A two-layer network with one gradient step of the first layer and a ridge fit of the second layer.

The network is f(x) = w . phi(F x) / sqrt k. In its equivalent Hermite model, a polynomial and noise replace phi. Both
share the first layer, the step and every product with the data.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.networks.hermite_expansion import HermiteExpansion
from twolayer.model.networks.learning import Losses, wrong_signs
from twolayer.model.random.streams import Stream

SecondLayer = Literal["normal", "equal", "signs"]  # initial weights of the second layer
_BLOCK = 500  # number of test inputs whose features are in memory at a time


@dataclass(frozen=True)
class Data:
    """The data of one network: three independent data sets with the same distribution.

    Attributes:
        gradient: data of the first step. train: m samples for the fit of the second layer. test: test samples.
        trace: trace of the covariance of an input; the first layer starts with variance 1 / trace.
        scale: b, the standard deviation of its pre-activations outside of the spikes.
        further: data of each further step.
    """

    gradient: Samples
    train: Samples
    test: Samples
    trace: float
    scale: float
    further: tuple[Samples, ...] = ()

    def astype(self, dtype: type) -> "Data":
        """Return the data in another precision."""
        sets = (sample.astype(dtype) for sample in (self.gradient, self.train, self.test))
        return Data(*sets, self.trace, self.scale, tuple(batch.astype(dtype) for batch in self.further))


@dataclass(frozen=True, eq=False)
class StartingNetwork:
    """Weights at initialisation: F (k, n) with variance 1 / trace, and w (k,) with variance 1 / k."""

    F: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class FitErrors(Losses):
    """Half the mean squared errors of a fitted second layer. The training loss includes the ridge penalty.

    Attributes:
        class_error: fraction of the test set for which output and label have different signs; a zero is half an error.
    """

    class_error: float


def draw_network(
    stream: Stream, width: int, dimension: int, trace: float, second_layer: SecondLayer = "normal"
) -> StartingNetwork:
    """Return weights of k = `width` hidden units.

    Args:
        second_layer: N(0, 1 / k), or of equal size 1 / sqrt k: all positive, or with random signs.
    """
    F = stream.normal(width, dimension) / math.sqrt(trace)
    if second_layer == "equal":
        return StartingNetwork(F, np.full(width, 1 / math.sqrt(width), F.dtype))
    w = stream.normal(width)
    return StartingNetwork(F, (np.sign(w) if second_layer == "signs" else w) / math.sqrt(width))


def gradient_steps(
    network: StartingNetwork,
    data: Samples,
    activations: Sequence[Activation],
    *,
    step: float,
    further: Sequence[Samples] = (),
) -> Iterator[np.ndarray]:
    """Return first layers (k, n) after steps along the gradient of sum_j (y_j - f(x_j))^2 / 2m, one for each
    activation.

    Args:
        data: data of the first step. further: data of each further step; the second layer does not change.
        step: eta, the step size.

    Raises:
        ConfigError: the slope of an activation is zero, or it returns NaN or infinity.
        NotConverged: products of weights after the steps overflow.

    Source: demir2025, the gradient step.
    """
    fields = data.inputs @ network.F.T  # (m, k)
    for activation in map(as_activation, activations):
        activation.require_slope("a gradient step of the first layer")
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            first_layer = network.F + _change(fields, network.w, data, activation, step)
            for batch in further:
                moved = batch.inputs @ first_layer.T
                first_layer = first_layer + _change(moved, network.w, batch, activation, step)
        _check_range(first_layer, step)
        yield first_layer


def _change(fields, w, data, activation, step):
    """Return the change of a first layer with these fields (m, k) by a step."""
    (samples, width), w = fields.shape, w.astype(fields.dtype, copy=False)
    residuals = data.labels - activation.value(fields) @ w / math.sqrt(width)
    _check_finite(residuals, activation)
    pull = activation.slope(fields)
    pull *= w
    pull *= (residuals * (step / (samples * math.sqrt(width))))[:, None]
    return pull.T @ data.inputs


def ridge_readout(features: np.ndarray, labels: np.ndarray, ridge: float) -> np.ndarray:
    """Return the v (K,) that minimises |labels - features v|^2 + ridge |v|^2, in the smaller of the primal and dual
    form.

    One step of refinement in double precision removes most of the rounding error of normal equations in single
    precision.

    Args:
        features: (M, K), in either precision.

    Raises:
        ConfigError: the normal equations are singular in floating point.
        NotConverged: products of features overflow.
    """
    samples, width = features.shape
    wide = features.astype(float, copy=False)
    if width <= samples:
        solve = _solver(_product(features.T, features), ridge)
        v = solve(wide.T @ labels)
        return v + solve(wide.T @ (labels - wide @ v) - ridge * v)
    solve = _solver(_product(features, features.T), ridge)
    u = solve(labels)
    return wide.T @ (u + solve(labels - wide @ (wide.T @ u) - ridge * u))


def _product(one, other):
    with np.errstate(over="ignore", invalid="ignore"):  # `_solver` checks the product
        return one @ other


def _solver(gram, ridge):
    """Return a function that multiplies by (gram + ridge I)^-1, by Cholesky; gram is overwritten."""
    if not np.isfinite(gram).all():
        raise NotConverged(
            f"products of features overflow in {gram.dtype}: make the step, the spikes, the degree or the activation "
            "smaller"
        )
    gram.flat[:: len(gram) + 1] += ridge
    try:
        factor = scipy.linalg.cho_factor(gram.T, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise ConfigError(f"ridge is {ridge:g}, too small for a singular problem: use a larger ridge") from None
    return lambda right: scipy.linalg.cho_solve(factor, right.astype(gram.dtype), check_finite=False)


def fitted_errors(
    first_layer: np.ndarray,
    activation: Activation,
    expansion: HermiteExpansion,
    *,
    train: Samples,
    test: Samples,
    ridge: float,
    stream: Stream,
) -> tuple[FitErrors, FitErrors]:
    """Return errors of the network and of its Hermite model with this first layer.

    Args:
        first_layer: (k, n) after the step. ridge: lambda, in units of m.

    Source: demir2025, ridge regression of the second layer.
    """
    fields, activation = train.inputs @ first_layer.T, as_activation(activation)
    penalty = ridge * len(fields) * len(first_layer)  # features are without their factor 1 / sqrt k
    noisy = expansion(fields)
    noisy += expansion.rest * stream.feature_noise(*fields.shape)
    readouts, training = [], []
    for features in (activation.value(fields), noisy):
        v = ridge_readout(features, train.labels, penalty)
        readouts.append(v)
        training.append((np.sum((train.labels - features @ v) ** 2) + penalty * (v @ v)) / (2 * len(features)))
    noise = expansion.rest * stream.readout_noise(readouts[1], len(test.labels))
    outputs = _test_outputs(first_layer, activation, expansion, test.inputs, readouts)
    _check_finite(outputs, activation)
    outputs[1] += noise
    squares, wrong = np.mean((test.labels - outputs) ** 2, axis=1), np.mean(wrong_signs(outputs, test.labels), axis=1)
    return tuple(FitErrors(float(t), float(g) / 2, float(w)) for t, g, w in zip(training, squares, wrong, strict=True))


def _test_outputs(first_layer, activation, expansion, inputs, readouts):
    """Return outputs (2, M) of network and polynomial, block by block."""
    outputs = np.empty((2, len(inputs)))
    for start in range(0, len(inputs), _BLOCK):
        rows = slice(start, start + _BLOCK)
        fields = inputs[rows] @ first_layer.T
        outputs[1, rows] = expansion.readout(fields, readouts[1])
        outputs[0, rows] = activation.value(fields) @ readouts[0]
    return outputs


def one_step_errors(
    data: Data,
    network: StartingNetwork,
    activations: Sequence[Activation],
    *,
    expansions: Sequence[HermiteExpansion],
    step: float,
    ridge: float,
    stream: Stream,
) -> list[tuple[FitErrors, FitErrors]]:
    """Return errors of the network and of its Hermite model, for each activation, from the same initial weights.

    Args:
        expansions: expansion of each activation, at the scale of the data. step: eta. ridge: lambda.
    """
    first_layers = gradient_steps(network, data.gradient, activations, step=step, further=data.further)
    common = {"train": data.train, "test": data.test, "ridge": ridge, "stream": stream}
    return [
        fitted_errors(first_layer, activation, expansion, **common)
        for first_layer, activation, expansion in zip(first_layers, activations, expansions, strict=True)
    ]


def _check_range(first_layer, step):
    largest = float(np.abs(first_layer).max())
    if not largest**2 * first_layer.size < float(np.finfo(first_layer.dtype).max):
        raise NotConverged(
            f"gradient steps of the size {step:.3g} lead to weights of {largest:.3g}, whose products overflow in "
            f"{first_layer.dtype}: make the step, the labels and their noise, or the activation smaller"
        )


def _check_finite(values, activation):
    if not np.isfinite(values).all():
        raise ConfigError(f"activation {activation.name!r} returns NaN or infinity on the data: it must be finite")

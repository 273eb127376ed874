"""Online SGD of a two-layer network at finite input dimension, at a cost that does not depend on the dimension.

Inputs from clusters N(mean, variance * identity) look the same in all directions outside the space of the means. The
order parameters are then a Markov chain by themselves, with exactly the law that they have in N dimensions: a step
needs the coordinates of the input in the space of the means (P of them) and along the parts of the K weight vectors
outside it, and of all other coordinates the sum of squares alone, which is chi-squared.

The chain keeps w_k / sqrt N in these P + K coordinates, from which Q and R follow. A step of SGD leads outside, to a
further dimension; turning the coordinates takes it back. Q updated by itself would have to be factorised in every
step, which fails where rounding makes Q - R^T R indefinite; as a product it cannot become so.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.activations import Activation, as_activation, compiled_slope, compiled_value
from twolayer.model.learning import Learning
from twolayer.model.mixtures import IsotropicMixture
from twolayer.model.networks import LocalFields
from twolayer.simulation.stepping import (
    OUTPUT_LIMIT,
    compiled_clusters,
    draw_cluster,
    measurement_steps,
    output_error,
    train,
)
from twolayer.theory.mixture_equations import IsotropicState

_ROUNDING = 1e-12  # of Q and R when they are sums over many coordinates, relative to Q
_SQUARE_UNDERFLOWS = 1e-140


@dataclass(frozen=True)
class OverlapsPath:
    """Order parameters of a network along its training.

    Attributes:
        times: (T,) steps / N.
        Q: (T, K, K) overlaps w_k . w_l / N.
        R: (T, P, K) coordinates of w_k / sqrt N in the orthonormal basis in which the mixture states its means.
        v: (T, K) second-layer weights.
        activation: of the hidden units.
    """

    times: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray
    activation: Activation

    def local_fields(self, mixture: IsotropicMixture) -> list[LocalFields]:
        """Law of the local fields at each of the times."""
        return [
            IsotropicState(Q, R, v).local_fields(mixture, self.activation)
            for Q, R, v in zip(self.Q, self.R, self.v, strict=True)
        ]


@njit(cache=True)
def _draw_input(rng, mean, deviation, constant, freedom, x):
    """Coordinates of an input among the means, then along the weights outside, then the length of all the rest."""
    for i in range(x.size - 1):
        x[i] = deviation * rng.standard_normal()
    if constant:
        x[mean.size - 1] = 0.0
    for i in range(mean.size):
        x[i] += mean[i]
    x[-1] = deviation * math.sqrt(rng.chisquare(freedom))


@njit(cache=True)
def _local_fields(W, x, fields):
    for k in range(W.shape[0]):
        fields[k] = 0.0
        for i in range(x.size):
            fields[k] += W[k, i] * x[i]


@njit(cache=True)
def _rotate(W, k, at, cosine, sine):
    """Turns coordinates `at` and at + 1 of vector k into each other."""
    first, second = W[k, at], W[k, at + 1]
    W[k, at] = cosine * first + sine * second
    W[k, at + 1] = cosine * second - sine * first


@njit(cache=True)
def _angle(first, second):
    """Cosine and sine of the rotation that takes (first, second) to (length, 0), and the length."""
    length = math.sqrt(first * first + second * second)
    if length < _SQUARE_UNDERFLOWS:
        return 1.0, 0.0, first
    scale = 1 / length
    return scale * first, scale * second, length


@njit(cache=True)
def _step_outside(W, plane, x, signals, decay, rotations):
    """Adds signals * x to the coordinates of W outside the plane, so that vector k again has none there after the k-th.

    They are turned twice: until x has one coordinate alone, which leaves vector k one after the k-th; and once it is
    added, back. So a step costs K^2, and each vector keeps its relative accuracy, however short.
    """
    hidden, length = len(W), x[-1]
    for i in range(hidden - 1, -1, -1):
        rotations[i, 0], rotations[i, 1], length = _angle(x[plane + i], length)
    for k in range(hidden):
        for i in range(k, -1, -1):
            _rotate(W, k, plane + i, rotations[i, 0], rotations[i, 1])
        for i in range(plane, min(plane + k + 2, W.shape[1])):
            W[k, i] *= decay
        W[k, plane] += signals[k] * length
    for k in range(hidden):
        for i in range(k):
            _rotate(W, k, plane + i, rotations[i, 0], rotations[i, 1])
        rotations[k, 0], rotations[k, 1], W[k, plane + k] = _angle(W[k, plane + k], W[k, plane + k + 1])
        W[k, plane + k + 1] = 0.0


@njit(cache=True)
def _take_steps(
    count, rng, means, labels, cumulative, deviations, constant, freedom, W, v, activation, rate, decay, train_second
):
    """Updates W and v in place; returns the number of steps taken, less than `count` if the output left its limit."""
    K, P = len(v), means.shape[1]
    x, fields, signals, rotations = np.empty(P + K + 1), np.empty(K), np.empty(K), np.empty((K, 2))
    for step in range(count):
        cluster = draw_cluster(rng, cumulative)
        _draw_input(rng, means[cluster], deviations[cluster], constant, freedom, x)
        _local_fields(W, x, fields)
        error = output_error(labels[cluster], v, activation, fields)
        if not abs(error) < OUTPUT_LIMIT:
            return step
        for k in range(K):
            signals[k] = rate * error * v[k] * compiled_slope(activation, fields[k])
            for i in range(P):
                W[k, i] = decay * W[k, i] + signals[k] * x[i]
            if train_second:
                v[k] = decay * v[k] + rate * error * compiled_value(activation, fields[k])
        _step_outside(W, P, x, signals, decay, rotations)
    return count


def check_arguments(mixture: IsotropicMixture, Q: np.ndarray, R: np.ndarray, v: np.ndarray, dimension: int) -> None:
    """Refuse initial Q, R and v of shapes that do not go together, and dimensions that cannot hold them.

    Raises:
        ConfigError: naming the shapes, or the least dimension.
    """
    K, P = len(v), mixture.means.shape[1]
    if Q.shape != (K, K) or R.shape != (P, K):
        raise ConfigError(
            f"initial Q and R have shapes {Q.shape} and {R.shape} where {K} hidden units and means in {P} dimensions "
            f"need {(K, K)} and {(P, K)}"
        )
    if dimension <= P + K:
        raise ConfigError(
            f"dimension is {dimension}, but {K} hidden units and means in {P} dimensions need at least {P + K + 1}: "
            "raise the dimension, or simulate the weights themselves"
        )


def coordinates(Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Weights w_k / sqrt N (K, P + K + 1) with these order parameters; the last coordinate is free.

    Raises:
        ConfigError: no weights have them.
    """
    P, K = R.shape
    outside, rounding = Q - R.T @ R, _ROUNDING * np.max(np.abs(Q))
    if not np.all(np.abs(outside - outside.T) <= rounding):
        raise ConfigError("initial Q is not symmetric, or Q or R is not finite: make Q the overlaps of weight vectors")
    eigenvalues, eigenvectors = np.linalg.eigh(outside)
    if eigenvalues[0] < -rounding:
        raise ConfigError(
            f"initial Q - R^T R has the eigenvalue {eigenvalues[0]:.3g}, which no weights have: "
            "take Q and R from the same weights"
        )
    W = np.zeros((K, P + K + 1))
    W[:, :P] = R.T
    root = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))  # what is left below zero is rounding
    triangle = np.linalg.qr(root.T, mode="r").T
    W[:, P:-1] = triangle * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return W


def order_parameter_chain(
    mixture: IsotropicMixture,
    start: IsotropicState,
    learning: Learning,
    *,
    activation: Activation,
    dimension: int,
    times: np.ndarray,
    rng: np.random.Generator,
) -> OverlapsPath:
    """Trains the network of `online_sgd`, on the same inputs and by the same rule, through its order parameters.

    Q, R and v have the same joint law at all times as in a simulation of the weights, for means of any length.

    Args:
        mixture: of the inputs. start: of the network; its Q - R^T R may be singular.
        dimension: input dimension N, at least P + K + 1.
        times: (T,) when to measure, in units of N steps, rounded to whole steps; none decreases.
        rng: drawn from once for the cluster, P + K times and once more for the input of every step.

    Raises:
        ConfigError: shapes, dimension, times or activation do not fit, or no weights have these Q and R.
        NotConverged: the network's output diverged.

    Source: refinetti2021, online SGD of the two-layer network.
    """
    Q, R, v, activation = *(np.array(part, float) for part in (start.Q, start.R, start.v)), as_activation(activation)
    activation.require_slope("online SGD")
    check_arguments(mixture, Q, R, v, dimension)
    steps = measurement_steps(times, dimension)
    W, P = coordinates(Q, R), len(R)
    freedom = dimension - P - len(v)
    inputs = *compiled_clusters(mixture), np.sqrt(mixture.variances), mixture.constant_input, freedom
    rate = learning.learning_rate / dimension
    rules = activation.compiled, rate, 1 - rate * learning.weight_decay, learning.train_second_layer
    paths = train(
        steps,
        lambda count: _take_steps(count, rng, *inputs, W, v, *rules),
        lambda: (W @ W.T, W[:, :P].T.copy(), v.copy()),
        dimension=dimension,
        learning=learning,
        activation=activation,
    )
    return OverlapsPath(steps / dimension, *paths, activation)

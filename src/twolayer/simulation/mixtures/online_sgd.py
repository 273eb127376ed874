"""Online SGD of a two-layer network at finite input dimension, on a Gaussian mixture in its eigenbasis.

A step costs O(N K): the input is drawn in the eigenbasis, where its coordinates are independent. If the covariances of
the clusters do not commute, rotating the noise to common coordinates costs O(N^2).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import LocalFields, Network
from twolayer.simulation.mixtures.stepping import (
    Training,
    compiled_clusters,
    draw_cluster,
    learn_from,
    measurement_steps,
    train,
)


@dataclass(frozen=True, eq=False)
class WeightsPath:
    """Order parameters of a network during its training.

    Attributes:
        times: (T,) steps / N.
        M: (T, C, K) mean of the pre-activation w_k.x / sqrt N in each cluster.
        Q: (T, K, K) covariance of the pre-activations within a cluster; or (T, C, K, K), one for each cluster.
        v: (T, K) second-layer weights.
        end: the network at the last time.
    """

    times: np.ndarray
    M: np.ndarray
    Q: np.ndarray
    v: np.ndarray
    end: Network

    def local_fields(self) -> list[LocalFields]:
        """Return the distribution of the pre-activations at each of the times."""
        return [
            LocalFields(*distribution, self.end.activation) for distribution in zip(self.M, self.Q, self.v, strict=True)
        ]


@njit(cache=True)
def _draw_input(rng, mean, deviations, x):
    """Fill x with an input."""
    for i in range(x.size):
        x[i] = mean[i] + deviations[i] * rng.standard_normal()


@njit(cache=True)
def _draw_rotated_input(rng, mean, deviations, basis, noise, x):
    """Fill x with an input whose noise is rotated by a basis."""
    for i in range(x.size):
        noise[i] = deviations[i] * rng.standard_normal()
    np.dot(basis, noise, x)
    for i in range(x.size):
        x[i] += mean[i]


@njit(cache=True)
def _take_steps(
    count,
    rng,
    means,
    labels,
    cumulative,
    deviations,
    bases,
    W,
    v,
    activation,
    learning_rate,
    weight_decay,
    train_second,
):
    """Update W and v in place, and return the number of steps, less than `count` if the output exceeds its limit.

    Without bases (None), the code for rotations is not compiled.
    """
    K, N = W.shape
    x, noise, fields = np.empty(N), np.empty(N), np.empty(K)
    for step in range(count):
        cluster = draw_cluster(rng, cumulative)
        if bases is None:
            _draw_input(rng, means[cluster], deviations[cluster], x)
        else:
            _draw_rotated_input(rng, means[cluster], deviations[cluster], bases[cluster], noise, x)
        if not learn_from(x, labels[cluster], W, v, fields, activation, learning_rate, weight_decay, train_second):
            return step
    return count


def _check_weights(mixture, W, v):
    if W.shape != (len(v), mixture.dimension):
        raise ConfigError(
            f"initial weights have shape {W.shape}, but {len(v)} hidden units and {mixture.dimension} inputs "
            f"need ({len(v)}, {mixture.dimension})"
        )


def _measure(mixture, W):
    """Return M and Q of the weights."""
    N = mixture.dimension
    M = mixture.means @ W.T / np.sqrt(N)
    if mixture.one_covariance:
        return M, (W * mixture.eigenvalues) @ W.T / N
    seen = (mixture.seen_through(cluster, W.T) for cluster in range(len(M)))
    return M, np.stack([fields.T @ fields for fields in seen]) / N


def online_sgd(
    mixture: SpectralMixture,
    start: Network,
    learning: Learning,
    *,
    times: np.ndarray,
    rng: np.random.Generator,
    state: Mapping[str, np.ndarray] | None = None,
    keep: Callable[[dict[str, np.ndarray]], None] = lambda state: None,
) -> WeightsPath:
    """Train f(x) = sum_k v_k g(w_k.x / sqrt N) on (y - f)^2 / 2, with a fresh input in each step.

    The first layer learns at the learning rate, the second layer at the learning rate over N. Both follow the gradient
    at the weights before the step. Each step also subtracts learning rate * weight decay / N times the weights.

    Args:
        mixture: mixture of the inputs, in the coordinates of its means. start: the network, with weights in these
            coordinates.
        times: (T,) times of measurement, in units of N steps, rounded to whole steps, never decreasing.
        rng: draws one number for the cluster and N numbers for the input of every step.
        state: state of an interrupted training with the same arguments, which continues to the same numbers.
        keep: function that receives the state after each measurement.

    Raises:
        ConfigError: shapes, times or activation are not allowed.
        NotConverged: the network's output diverges.

    Source: refinetti2021, online SGD of the two-layer network.
    """
    activation = start.activation
    training = Training(np.array(start.W, float, order="C"), np.array(start.v, float), rng)
    activation.require_slope("online SGD")
    _check_weights(mixture, training.W, training.v)
    training.resume(state)
    W, v = training.W, training.v
    steps = measurement_steps(times, mixture.dimension)
    bases = None if mixture.bases is None else np.ascontiguousarray(mixture.bases)
    inputs = *compiled_clusters(mixture), np.ascontiguousarray(np.sqrt(mixture.spectra)), bases
    rules = activation.compiled, learning.learning_rate, learning.weight_decay, learning.train_second_layer
    paths = train(
        steps,
        lambda count: _take_steps(count, rng, *inputs, W, v, *rules),
        lambda: (*_measure(mixture, W), v.copy()),
        dimension=mixture.dimension,
        learning=learning,
        activation=activation,
        records=training.records,
        keep=lambda records: keep(training.state(records)),
    )
    return WeightsPath(steps / mixture.dimension, *paths, Network(W, v, activation))

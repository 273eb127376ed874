"""Random features at finite dimension: readouts that are tested, or trained online, on fresh inputs."""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture, draw_inputs
from twolayer.model.networks.activations import RELU, Activation, as_activation
from twolayer.model.networks.learning import Learning, wrong_signs
from twolayer.simulation.mixtures.stepping import OUTPUT_LIMIT, diverged, measurement_steps
from twolayer.theory.mixtures.random_features import (
    FeatureMoments,
    Readout,
    evaluate_readout,
    feature_moments,
    noise_overlaps,
    readout_covariances,
)

_CHUNK = 1024  # inputs whose features are computed at a time


@dataclass(frozen=True)
class SimulatedErrors:
    """Errors of a readout on fresh inputs, each with its standard error."""

    pmse: float
    pmse_error: float
    class_error: float
    class_error_error: float


@dataclass(frozen=True, eq=False)
class FeatureCloud:
    """Random features of fresh inputs, in the space that their cluster means span.

    Attributes:
        points: (C, n, R) features of n inputs of each cluster, projected on R orthonormal axes. The origin is the mean
            over the mixture, and the first axis is the direction of the largest difference of the clusters.
        means: (C, R) and covariances: (C, R, R) of the points, in closed form.
        moments: moments of every feature, in closed form.
        sampled_mean, sampled_variance: (C, F) moments of every feature from samples.
    """

    points: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    moments: FeatureMoments
    sampled_mean: np.ndarray
    sampled_variance: np.ndarray


@dataclass(frozen=True, eq=False)
class ReadoutPath:
    """A readout during its training.

    Attributes:
        times: (T,) steps / D.
        pmse: (T,) E (y - f)^2 / 2. class_error: (T,), for f Gaussian within a cluster. Both in closed form.
        weights: (F,) at the last time, in f = weights.z / sqrt F.
    """

    times: np.ndarray
    pmse: np.ndarray
    class_error: np.ndarray
    weights: np.ndarray


def draw_features(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    clusters: np.ndarray,
    *,
    rng: np.random.Generator,
    activation: Activation,
) -> np.ndarray:
    """Return features (n, F) of fresh inputs from the n given clusters, by a projection (D, F)."""
    D = len(projection)
    return activation(draw_inputs(mixture, clusters, D, rng) @ projection / math.sqrt(D))


def simulate_readout(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    readout: Readout,
    *,
    samples: int,
    rng: np.random.Generator,
    activation: Activation = RELU,
) -> SimulatedErrors:
    """Measure a readout on fresh inputs, at the dimension of the projection; f = 0 counts as half an error.

    Args:
        projection: (D, F). samples: number of inputs, at least 2.
    """
    activation = as_activation(activation)
    clusters = rng.choice(len(mixture.weights), size=samples, p=mixture.weights)
    squares, wrong = np.empty(samples), np.empty(samples)
    for start in range(0, samples, _CHUNK):
        chunk = clusters[start : start + _CHUNK]
        features = draw_features(mixture, projection, chunk, rng=rng, activation=activation)
        f = readout.offset + (features - readout.feature_mean) @ readout.weights
        labels = mixture.labels[chunk]
        squares[start : start + _CHUNK] = 0.5 * (labels - f) ** 2
        wrong[start : start + _CHUNK] = wrong_signs(f, labels)
    pmse, class_error = float(squares.mean()), float(wrong.mean())
    pmse_error, class_error_error = (float(values.std(ddof=1)) / math.sqrt(samples) for values in (squares, wrong))
    return SimulatedErrors(pmse, pmse_error, class_error, class_error_error)


def _axes_of_means(mixture, mean):
    """Return orthonormal axes (F, R) of the span of the clusters' mean features, by falling variance of the means."""
    centred = mean - mixture.weights @ mean
    _, lengths, axes = np.linalg.svd(np.sqrt(mixture.weights)[:, None] * centred, full_matrices=False)
    rank = np.sum(lengths > max(mean.shape) * np.finfo(float).eps * np.max(np.abs(mean)))
    if rank == 0:
        raise ConfigError(
            "all clusters have the same mean features: give a mixture with different means, or more features"
        )
    return axes[:rank].T


def feature_cloud(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    samples_per_cluster: int,
    *,
    rng: np.random.Generator,
    activation: Activation = RELU,
) -> FeatureCloud:
    """Return the mixture after random features: a cloud of features around each cluster's mean.

    Args:
        projection: (D, F). samples_per_cluster: n, at least 2.

    Raises:
        ConfigError: projection or activation are not allowed, or the clusters' mean features coincide.

    Source: refinetti2021, random features.
    """
    activation = as_activation(activation)
    moments = feature_moments(mixture, projection, overlap_order=4, activation=activation)
    axes, centre = _axes_of_means(mixture, moments.mean), mixture.weights @ moments.mean
    points, sampled_mean, sampled_variance = [], [], []
    for cluster in range(len(mixture.means)):
        members = np.full(samples_per_cluster, cluster)
        features = draw_features(mixture, projection, members, rng=rng, activation=activation)
        points.append((features - centre) @ axes)
        sampled_mean.append(features.mean(axis=0))
        sampled_variance.append(features.var(axis=0, ddof=1))
    overlaps = noise_overlaps(mixture, projection)
    covariances = readout_covariances(overlaps, moments.coefficients, moments.variance, np.ascontiguousarray(axes))
    means = (moments.mean - centre) @ axes
    return FeatureCloud(
        np.stack(points), means, covariances, moments, np.stack(sampled_mean), np.stack(sampled_variance)
    )


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _learn(features, labels, w, learning_rate, weight_decay):
    """Update w in place, and return the number of steps, which is smaller if the output exceeds its limit."""
    F = w.size
    gain, decay = learning_rate / np.sqrt(F), 1 - learning_rate * weight_decay / F
    for step in range(labels.size):
        z = features[step]
        output = 0.0
        for i in range(F):
            output += w[i] * z[i]
        error = labels[step] - output / np.sqrt(F)
        if not abs(error) < OUTPUT_LIMIT:
            return step
        for i in range(F):
            w[i] = decay * w[i] + gain * error * z[i]
    return labels.size


def _check_weights(w, F):
    if w.shape != (F,):
        raise ConfigError(f"initial weights have shape {w.shape}, but {F} features need ({F},)")


def _check_learning(learning, moments, mixture):
    if not learning.train_second_layer:
        raise ConfigError("train_second_layer is false, but the readout is the only trained layer: set it to true")
    F = moments.mean.shape[1]
    squared_length = mixture.weights @ np.sum(moments.variance + moments.mean**2, axis=1)
    limit = 2 * F / (squared_length + learning.weight_decay)
    if not 0 < learning.learning_rate < limit:
        raise ConfigError(
            f"learning rate is {learning.learning_rate:g}: training {F} random features of mean squared length "
            f"{squared_length:.3g} is stable only above 0 and below {limit:.3g}"
        )


def _train(mixture, projection, w, learning, steps, rng, activation):
    """Train w in place, and yield after each of the given numbers of steps."""
    done = 0
    for target in steps:
        while done < target:
            first = done % _CHUNK
            if first == 0:  # whole chunks, so that the random numbers do not depend on the times of measurement
                clusters = rng.choice(len(mixture.weights), size=_CHUNK, p=mixture.weights)
                features = draw_features(mixture, projection, clusters, rng=rng, activation=activation)
            part = slice(first, min(_CHUNK, first + target - done))
            rates = learning.learning_rate, learning.weight_decay
            taken = _learn(features[part], mixture.labels[clusters[part]], w, *rates)
            done += taken
            if taken < part.stop - part.start:
                raise diverged("online training of random features", done, len(projection), learning)
        yield


def train_readout(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    learning: Learning,
    *,
    initial_weights: np.ndarray,
    times: np.ndarray,
    rng: np.random.Generator,
    activation: Activation = RELU,
    overlap_order: int = 4,
) -> ReadoutPath:
    """Train f = w.z / sqrt F on (y - f)^2 / 2, with a fresh input in each step.

    Features are not centred, and f has no offset.

    A step adds learning_rate / sqrt F times (y - f) z to w, and subtracts learning_rate * weight_decay / F times w. The
    average of w tends to sqrt F times the weights of `optimal_readout` with weight_decay as ridge and without offset.

    Args:
        projection: (D, F), columns of any norm.
        learning: learning rate and weight decay; the trained layer is the readout.
        initial_weights: (F,).
        times: (T,) times of measurement, in units of D steps, rounded to whole steps, never decreasing.
        overlap_order: order of the feature covariances for the measured errors.

    Raises:
        ConfigError: the learning rate is beyond the limit of stability, the readout is not trained, or shapes or times
            do not fit.
        NotConverged: the output diverges in spite of that; the limit is lower if clusters differ in length.

    Source: refinetti2021, online training of random features.
    """
    w, activation = np.array(initial_weights, float), as_activation(activation)
    moments = feature_moments(mixture, projection, overlap_order=overlap_order, activation=activation)
    _check_weights(w, projection.shape[1])
    steps = measurement_steps(times, len(projection))
    _check_learning(learning, moments, mixture)
    overlaps = noise_overlaps(mixture, projection)
    errors = []
    for _ in _train(mixture, projection, w, learning, steps, rng, activation):
        readout = evaluate_readout(mixture, moments, overlaps, weights=w / math.sqrt(w.size))
        errors.append((readout.pmse, readout.class_error))
    pmse, class_error = np.array(errors).T
    return ReadoutPath(steps / len(projection), pmse, class_error, w)

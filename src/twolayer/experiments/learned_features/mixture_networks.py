"""Networks on a mixture, and their samples, which all training methods share."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.learned_features.parameters import MixtureProblem
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.networks.feature_count import count_of, feature_count
from twolayer.model.networks.learning import wrong_signs
from twolayer.progress import track
from twolayer.simulation.one_step.gradient_step import StartingNetwork, ridge_readout
from twolayer.theory.mixtures.random_features import random_projection


@dataclass(frozen=True)
class Trial:
    """A network, and its samples of a mixture.

    Attributes:
        place: index of its results in arrays over noise, sample ratio and seed.
        gradient, train: m samples each. test: fresh samples.
    """

    place: tuple[int, int, int]
    mixture: IsotropicMixture
    network: StartingNetwork
    gradient: Samples
    train: Samples
    test: Samples

    def labels(self, problem: MixtureProblem) -> dict[str, float]:
        """Return noise, sample ratio and seed."""
        axes = coordinates(problem).items()
        return {name: values[place] for (name, values), place in zip(axes, self.place, strict=True)}


def trials(problem: MixtureProblem) -> Iterator[Trial]:
    """Yield one trial for every noise level, sample ratio and seed; trials with the same seed share one network."""
    dimension, axes = problem.input_dimension, (problem.sigma, problem.sample_ratios)
    features = feature_count(problem.features_per_dimension, dimension)
    if dimension < (plane := build(problem.geometry, axes[0][0], dimension).means.shape[1]):
        raise ConfigError(f"input_dimension is {dimension}, but the means span {plane} dimensions: raise it")
    for number in track(range(problem.seeds), "networks"):
        rng = np.random.default_rng(problem.seed + number)
        projection = random_projection(rng, dimension, features)
        network = StartingNetwork(projection.T / math.sqrt(dimension), rng.normal(size=features) / math.sqrt(features))
        streams = rng.spawn(len(axes[0]) * len(axes[1]))
        places = itertools.product(*(range(len(axis)) for axis in axes))
        for (level, ratio), stream in zip(places, streams, strict=True):
            mixture = build(problem.geometry, axes[0][level], dimension)
            m = count_of(axes[1][ratio], dimension, "sample_ratios", "sample")
            sets = [_draw(stream, mixture, dimension, size) for size in (m, m, problem.test_samples)]
            yield Trial((level, ratio, number), mixture, network, *sets)


def _draw(rng, mixture, dimension, size):
    clusters, plane = rng.choice(len(mixture.weights), size=size, p=mixture.weights), mixture.means.shape[1]
    inputs = mixture.noise_of(clusters, rng.standard_normal((size, dimension)))
    inputs[:, :plane] += mixture.means[clusters]
    return Samples(inputs, mixture.labels[clusters])


def fitted_errors(trial: Trial, features, ridge: float) -> tuple[float, float]:
    """Return half the mean square and the fraction of misclassified test inputs, of ridge regression with an offset.

    Args:
        features: function of inputs. ridge: lambda, in units of m.
    """
    known, fresh = features(trial.train.inputs), features(trial.test.inputs)
    centre, offset, size = known.mean(axis=0), trial.train.labels.mean(), known.size
    readout = ridge_readout(known - centre, trial.train.labels - offset, ridge * size)
    return test_errors(trial, (fresh - centre) @ readout + offset)


def test_errors(trial: Trial, outputs: np.ndarray) -> tuple[float, float]:
    """Return half the mean square and the fraction of misclassified test inputs, for these outputs."""
    return np.mean((trial.test.labels - outputs) ** 2) / 2, np.mean(wrong_signs(outputs, trial.test.labels))


def coordinates(problem: MixtureProblem) -> dict[str, list]:
    """Return labels of the dimensions that all results share."""
    return {
        "sigma": list(problem.sigma),
        "sample_ratio": list(problem.sample_ratios),
        "seed": list(range(1, problem.seeds + 1)),
    }


def to_dataset(problem: MixtureProblem, names: tuple[str, ...], values: np.ndarray, **axes: list) -> xr.Dataset:
    """Return a result of variables over noise, sample ratio, seed, and further axes.

    Args:
        values: (variables, noise levels, sample ratios, seeds, ...).
    """
    labels = coordinates(problem) | axes
    return xr.Dataset({name: ([*labels], array) for name, array in zip(names, values, strict=True)}, labels).assign(
        input_dimension=problem.input_dimension
    )

"""Learning curves of online SGD on the samples of a set."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.data.parameters import DataSGD
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.start import first_network
from twolayer.progress import track
from twolayer.results.covariates import dataset_set
from twolayer.simulation.gaussian_equivalence import sliced_distances
from twolayer.simulation.set_sgd import set_sgd
from twolayer.simulation.stepping import log_times


def run(config: DataSGD, data: xr.Dataset, mixture: xr.Dataset) -> xr.Dataset:
    """Errors at each time, and how far the local fields are from Gaussian ones at the last, in every order."""
    samples, student, schedule = dataset_set(data), config.student, config.schedule
    dimension = agreed_dimension(mixture, student)
    inputs = samples.features @ mixture.modes.values
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    _check_size(config, len(inputs), times[-1] * dimension)
    start = first_network(student, dimension, np.random.default_rng(student.seed))
    results = []
    for rng in track(np.random.default_rng(config.seed).spawn(config.seeds), "orders"):
        order = rng.permutation(len(inputs))
        test, known = order[: config.test_samples], order[config.test_samples :]
        parts = [(inputs[part], samples.labels[part]) for part in (known, test)]
        path = set_sgd(*parts, start, learning_of(schedule), times=times)
        curves = {"pmse": ("time", path.pmse), "class_error": ("time", path.class_error)}
        shape = _shape(inputs @ path.end.W.T / np.sqrt(dimension), samples.labels, config.directions, rng)
        results.append(xr.Dataset(curves | shape, coords={"time": times}))
    return xr.concat(results, "seed")


def _check_size(config, available, steps):
    if steps + config.test_samples > available:
        most = (available - config.test_samples) / (steps / config.schedule.last_time)
        raise ConfigError(
            f"last_time {config.schedule.last_time:g} takes {steps:.0f} samples, and test_samples "
            f"{config.test_samples}, of a set of {available}: theory is of samples that come once, "
            f"set last_time to at most {most:.3g}"
        )


def _shape(fields, labels, directions, rng):
    """Distance and kurtosis within a label, of the local fields (n, K) and of as many Gaussian ones."""
    fields = fields - np.where(labels[:, None] > 0, *(fields[labels == sign].mean(axis=0) for sign in (1, -1)))
    covariance = fields.T @ fields / len(fields)
    gaussian = rng.multivariate_normal(np.zeros(len(covariance)), covariance, size=len(fields), method="cholesky")
    found = {}
    for name, sample in (("", fields), ("floor_", gaussian)):
        slices = sliced_distances(sample, covariance, directions, rng)
        found |= {f"{name}distance": slices.distance.mean(), f"{name}kurtosis": np.abs(slices.kurtosis).mean()}
    return found

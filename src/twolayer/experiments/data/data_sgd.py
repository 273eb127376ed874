"""Learning curves of online SGD on the samples of a set."""

import logging

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.data.parameters import DataSGD
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.initial_network import first_network
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.progress import track
from twolayer.results.feature_covariances import dataset_labelled_data
from twolayer.simulation.mixtures.data_set_sgd import data_set_sgd
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.simulation.teacher_student.equivalence_distance import sliced_distances

log = logging.getLogger("twolayer")

_TEST_SHARE = 4  # size of the set divided by the smallest number of test samples


def run(config: DataSGD, data: xr.Dataset, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors at each time, and the distance of the last pre-activations from Gaussian ones, for every order."""
    samples, student, schedule = dataset_labelled_data(data), config.student, config.schedule
    dimension = agreed_dimension(mixture, student)
    inputs = samples.features @ mixture.modes.values
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    times, kept_for_test = _fitted(config, len(inputs), times, dimension)
    start = first_network(student, dimension, np.random.default_rng(student.seed))
    results = []
    for rng in track(np.random.default_rng(config.seed).spawn(config.seeds), "orders"):
        order = rng.permutation(len(inputs))
        test, known = order[:kept_for_test], order[kept_for_test:]
        parts = [(inputs[part], samples.labels[part]) for part in (known, test)]
        path = data_set_sgd(*parts, start, learning_of(schedule), times=times)
        curves = {"pmse": ("time", path.pmse), "class_error": ("time", path.class_error)}
        shape = _shape(inputs @ path.end.W.T / np.sqrt(dimension), samples.labels, config.directions, rng)
        results.append(xr.Dataset(curves | shape, coords={"time": times}))
    return xr.concat(results, "seed")


def _fitted(config, available, times, dimension):
    """Return the times for which there are enough samples, and the number of test samples."""
    last, test = config.schedule.last_time, config.test_samples
    if config.fit_to_data:
        test = min(test, max(available // _TEST_SHARE, available - round(times[-1] * dimension)))
    reached = times[np.rint(times * dimension) + test <= available]
    if config.fit_to_data and len(reached) > 1:
        if len(reached) < len(times):
            log.warning("%d samples are enough for online SGD up to time %.3g", available, reached[-1])
        return reached, test
    if len(reached) == len(times):
        return times, test
    if test + config.schedule.first_time * dimension > available:
        remedy = "give more samples" if config.fit_to_data else "lower test_samples, or give more samples"
    else:
        remedy = f"set last_time to at most {(available - test) / dimension:.3g}"
    raise ConfigError(
        f"last_time {last:g} needs {times[-1] * dimension:.0f} samples, and test_samples {test}, but the set has "
        f"{available}, and each sample is used once: {remedy}"
    )


def _shape(fields, labels, directions, rng):
    """Return distance and kurtosis within a label, of the pre-activations (n, K) and of an equal number of Gaussian
    ones.
    """
    fields = fields - np.where(labels[:, None] > 0, *(fields[labels == sign].mean(axis=0) for sign in (1, -1)))
    covariance = fields.T @ fields / len(fields)
    gaussian = _normal_numbers(rng, covariance, len(fields))
    found = {}
    for name, sample in (("", fields), ("null_", gaussian)):
        slices = sliced_distances(sample, covariance, directions, rng)
        found |= {f"{name}distance": slices.distance.mean(), f"{name}kurtosis": np.abs(slices.kurtosis).mean()}
    return found


def _normal_numbers(rng, covariance, count):
    """Return normal numbers (count, K). Their covariance is singular if there are more units than features."""
    mean = np.zeros(len(covariance))
    try:
        return rng.multivariate_normal(mean, covariance, size=count, method="cholesky")
    except np.linalg.LinAlgError:
        return rng.multivariate_normal(mean, covariance, size=count, method="eigh", check_valid="ignore")

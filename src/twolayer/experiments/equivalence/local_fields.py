"""The distance of the pre-activations of generic weights from Gaussian ones."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.equivalence.parameters import LocalFieldShape
from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.teachers.teacher_student import initial_teacher_student, order_parameters
from twolayer.progress import track
from twolayer.results.generator import latent_generator
from twolayer.results.moments import dataset_moments
from twolayer.simulation.teacher_student.equivalence_distance import sliced_distances
from twolayer.simulation.teacher_student.winograd_convolution import fastest
from twolayer.theory.teacher_student.teacher_averages import field_covariance

_SAMPLING = 0.01  # largest sampling error of an eigenvalue, in units of the largest eigenvalue


def run(config: LocalFieldShape, generator: xr.Dataset | LatentGenerator, moments: xr.Dataset) -> xr.Dataset:
    """Return distance and kurtosis along random directions, of the pre-activations and of Gaussian samples, for each
    draw.
    """
    network = fastest(latent_generator(generator))
    known = dataset_moments(moments, network)
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    result = xr.concat([_draw(config, network, known, rng) for rng in streams], "seed")
    return result.assign(variance_score=result.variance_score.max())


def _draw(config, network, known, rng):
    N, D = known.Phi.shape
    networks = initial_teacher_student(rng, config.hidden_units, config.teacher_units, N, D)
    batches = sampled_batches(network, config.samples, rng)
    fields = [
        np.hstack([(x - known.mean) @ networks.W.T / np.sqrt(N), (c - known.latent_mean) @ networks.B.T / np.sqrt(D)])
        for c, x in batches
    ]
    covariance = field_covariance(order_parameters(networks, known))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    least, largest = eigenvalues[0], eigenvalues[-1]
    if least < -_SAMPLING * largest:
        raise ConfigError(
            f"the covariance of pre-activations has the eigenvalue {least:.3g} and the largest {largest:.3g}, because "
            "Omega and Phi of the moments have sampling errors: estimate moments from more samples"
        )
    if least < 0:  # zero within its sampling error
        covariance = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    gaussian = rng.multivariate_normal(np.zeros(len(covariance)), covariance, config.samples, check_valid="ignore")
    slices, floor = (
        sliced_distances(one, covariance, config.directions, rng) for one in (np.concatenate(fields), gaussian)
    )
    found = {"variance_score": np.abs(slices.variance_score).max()}
    for prefix, one in (("", slices), ("null_", floor)):
        found |= {f"{prefix}distance": one.distance.mean(), f"{prefix}kurtosis": np.abs(one.kurtosis).mean()}
        found[f"{prefix}largest_distance"] = one.distance.max()
    return xr.Dataset(found)

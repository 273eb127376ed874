"""Distances of pre-activations from a Gaussian against the input dimension, for generic weights and for exceptions."""

import itertools

import numpy as np
import xarray as xr

from twolayer.experiments.equivalence.parameters import EquivalenceDistance
from twolayer.model.teachers.equivalence_cases import draw_case
from twolayer.model.teachers.teacher_student import order_parameters
from twolayer.progress import track
from twolayer.simulation.teacher_student.equivalence_distance import case_fields, decay_exponent, sliced_distances
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.teacher_averages import field_covariance


def run(config: EquivalenceDistance) -> xr.Dataset:
    """Return distances averaged over directions, for every draw of the weights, and their rate of decay.

    `null_...` is the distance of an equal number of samples of the Gaussian distribution.
    """
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    result = xr.concat([measure_draw(config, stream) for stream in streams], "seed")
    squares, floor = result.squared_kurtosis, result.null_squared_kurtosis.values
    fits = [decay_exponent(result["dimension"].values, squares.sel(case=case).values, floor) for case in config.cases]
    decay, error = np.transpose(fits)
    return result.assign(
        variance_score=result.variance_score.max("seed"), decay=("case", decay), decay_sem=("case", error)
    )


def measure_draw(config, rng):
    """Return distances and kurtoses of the pre-activations of one draw of all weights, and of Gaussian fields."""
    axes = {"case": list(config.cases), "dimension": list(config.sizes)}
    shape = [len(values) for values in axes.values()]
    rows = [_measure(config, case, N, stream) for (case, N), stream in _with_streams(axes, rng)]
    variables = {name: (list(axes), np.reshape([row[name] for row in rows], shape)) for name in rows[0]}
    fields = rng.standard_normal((config.samples, config.hidden_units + config.teacher_units))
    floor = _averages(sliced_distances(fields, np.eye(fields.shape[1]), config.directions, rng))
    return xr.Dataset(variables | {f"null_{name}": value for name, value in floor.items()}, coords=axes)


def _with_streams(axes, rng):
    points = list(itertools.product(*axes.values()))
    return zip(points, rng.spawn(len(points)), strict=True)


def _measure(config, name, N, rng):
    case = draw_case(name, rng, N, config.latent_ratio, config.hidden_units, config.teacher_units)
    covariance = field_covariance(order_parameters(case.networks, exact_sign_moments(case.F)))
    slices = sliced_distances(case_fields(case, config.samples, rng), covariance, config.directions, rng)
    return _averages(slices) | {"variance_score": np.abs(slices.variance_score).max()}


def _averages(slices):
    return {
        "distance": slices.distance.mean(),
        "kurtosis": np.abs(slices.kurtosis).mean(),
        "squared_kurtosis": np.mean(slices.kurtosis**2),
        "largest_distance": slices.distance.max(),
        "largest_kurtosis": np.abs(slices.kurtosis).max(),
    }

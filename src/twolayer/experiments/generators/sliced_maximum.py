"""Maximum-sliced distances of pre-activations from their Gaussian distribution, against the input dimension."""

import math
from itertools import product

import numpy as np
import xarray as xr
from scipy.special import expit

from twolayer.experiments.generators.parameters import SlicedMaximum
from twolayer.model.teachers.equivalence_cases import SMOOTH, draw_case
from twolayer.progress import track
from twolayer.simulation.teacher_student.equivalence_distance import case_fields
from twolayer.simulation.teacher_student.maximum_sliced import maximum_sliced_distance, poincare_bound, whitening


def smooth(z: np.ndarray) -> np.ndarray:
    """Return softplus(2 z) / 2."""
    return np.logaddexp(0, 2 * z) / 2


def _slope(z):
    return expit(2 * z)


def _curvature(z):
    return 2 * expit(2 * z) * expit(-2 * z)


def run(config: SlicedMaximum) -> xr.Dataset:
    """Return distances and scaling quantities of every draw of the weights, and distances of Gaussian samples."""
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    draws = [_draw(config, stream) for stream in streams]
    return xr.concat(draws, "seed").assign_coords(seed=np.arange(1, config.seeds + 1))


def _draw(config, rng):
    """Return the distances of one draw of all weights."""
    axes = {"case": list(config.cases), "dimension": list(config.sizes)}
    points = list(product(*axes.values()))
    rows = [_measure(config, *point, stream) for point, stream in zip(points, rng.spawn(len(points)), strict=True)]
    shape = [len(values) for values in axes.values()]
    variables = {name: (list(axes), np.reshape([row[name] for row in rows], shape)) for name in rows[0]}
    normal = rng.standard_normal((config.samples, config.hidden_units + config.teacher_units))
    floor = maximum_sliced_distance(_white(normal)[0], rng).distance
    return xr.Dataset(variables, coords=axes).assign(null_distance=floor)


def _white(fields):
    """Return whitened fields, and the matrix that whitens them."""
    matrix = whitening(fields)
    return (fields - fields.mean(axis=0)) @ matrix, matrix


def _measure(config, name, N, rng):
    """Return the largest distance in one case, and the quantities that bound it."""
    case = draw_case(name, rng, N, config.latent_ratio, config.hidden_units, config.teacher_units)
    is_smooth, networks = name in SMOOTH, case.networks
    fields = case_fields(case, config.samples, rng, smooth if is_smooth else np.sign)
    white, matrix = _white(fields)
    found = maximum_sliced_distance(white, rng)
    combination, (D, K) = matrix @ found.direction, (case.F.shape[1], config.hidden_units)
    a = combination[:K] @ networks.W / math.sqrt(N)
    b = combination[K:] @ networks.B / math.sqrt(D)
    return {
        "distance": found.distance,
        "skewness": found.skewness,
        "kurtosis": found.kurtosis,
        "generator_term": np.linalg.norm(networks.B @ case.F.T / math.sqrt(D), 2) ** 2 / math.sqrt(N),
        "largest_weight": np.abs(a).max(),
        "bound": poincare_bound(case.F, a, b, _slope, _curvature, rng) if is_smooth else math.inf,
    }

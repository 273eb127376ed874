"""The ridge with the least error of an estimator, in theory."""

import itertools
import math
from dataclasses import asdict

import xarray as xr
from scipy.optimize import minimize_scalar

from twolayer.errors import NotConverged
from twolayer.experiments.replica.convex_results import points_to_dataset
from twolayer.experiments.replica.finite_sets import check_field, check_penalty
from twolayer.experiments.replica.parameters import OptimalRidge
from twolayer.experiments.replica.replica import theory_of
from twolayer.experiments.replica.spectra import dataset_spectrum
from twolayer.experiments.sweeps import sweep

_TOLERANCE = 1e-5  # tolerance of log ridge; the minimum is flat


def run(config: OptimalRidge, feature_covariances: xr.Dataset) -> xr.Dataset:
    """Return ridge, errors and overlaps of every loss and sample ratio."""
    problem = config.problem
    check_field(feature_covariances, problem)
    spectrum = dataset_spectrum(feature_covariances)
    check_penalty(feature_covariances, problem)
    axes = {"loss": list(problem.losses), "sample_ratio": list(problem.sample_ratios)}
    rows = {}
    with sweep() as point:
        for loss, ratio in itertools.product(*axes.values()):
            with point(loss=loss, sample_ratio=ratio):
                rows[loss, ratio] = _optimum(theory_of(problem, spectrum, loss), ratio, config)
    return points_to_dataset(axes, rows)


def _optimum(theory, sample_ratio, config):
    known, ends = None, [bound(config.problem.ridges) for bound in (min, max)]

    def error(log_ridge):
        nonlocal known
        try:
            known = theory.solve(sample_ratio, math.exp(log_ridge), known)
        except NotConverged as failure:
            raise NotConverged(
                f"the search between ridges {ends[0]:g} and {ends[1]:g} stops, so give closer ridges: {failure}"
            ) from None
        return getattr(theory.errors(known), config.minimise)

    found = minimize_scalar(
        error, bounds=[math.log(end) for end in ends], method="bounded", options={"xatol": _TOLERANCE}
    )
    ridge = math.exp(found.x)
    overlaps = theory.solve(sample_ratio, ridge, known)
    return {"optimal_ridge": ridge} | asdict(theory.errors(overlaps)) | asdict(overlaps)

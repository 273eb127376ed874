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
_NEGLIGIBLE = 1e-30  # variance of the output that changes no error, in units of the variance of the field
_NEAR = 0.01  # largest error of the log ridge at which the weights end


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

    def solution(log_ridge):
        nonlocal known
        try:
            known = theory.solve(sample_ratio, math.exp(log_ridge), known)
        except NotConverged as failure:
            raise NotConverged(
                f"the search between ridges {ends[0]:g} and {ends[1]:g} stops, so give closer ridges: {failure}"
            ) from None
        return known

    low, high = (math.log(end) for end in ends)
    if theory.penalty == "l1":
        high = _end_of_weights(theory.spectrum.power, solution, low, high)
    found = minimize_scalar(
        lambda log_ridge: getattr(theory.errors(solution(log_ridge)), config.minimise),
        bounds=[low, high],
        method="bounded",
        options={"xatol": _TOLERANCE},
    )
    ridge = math.exp(found.x)
    overlaps = theory.solve(sample_ratio, ridge, known)
    return {"optimal_ridge": ridge} | asdict(theory.errors(overlaps)) | asdict(overlaps)


def _end_of_weights(power, solution, low, high):
    """Return the log ridge beyond which the penalty leaves no weight, so that errors are constant, or `high`.

    The search itself may avoid a ridge at which the equations do not converge.
    """
    try:
        if solution(high).q > _NEGLIGIBLE * power:
            return high
    except NotConverged:
        return high
    smallest = low
    while high - low > _NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if solution(middle).q > _NEGLIGIBLE * power else (low, middle)
    if low == smallest:
        raise NotConverged(f"the penalty at ridge {math.exp(low):g} makes all weights 0, up to rounding: lower ridges")
    return low

"""The mean-field limit of the descent on the circle, at finite ridge."""

import numpy as np
import xarray as xr

from twolayer.experiments.circle.parameters import MeanFieldFlows
from twolayer.experiments.sweeps import sweep
from twolayer.model.networks.descent import OFFSETS
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.progress import track
from twolayer.theory.mean_field import mean_field_flow


def run(config: MeanFieldFlows) -> xr.Dataset:
    """Return quantiles of the feature distribution and reduced risk at the iterations of the descent."""
    teacher, measured = CircleTeacher(config.gamma), config.descent.measured
    names, ridges = config.regularization, config.ridge
    angles = np.full((len(names), len(ridges), len(measured), config.quantiles), np.nan)
    risk, converged = np.full(angles.shape[:-1], np.nan), np.zeros(angles.shape[:2])
    with sweep() as point:
        for place in track(list(np.ndindex(converged.shape)), "flows"):
            name, ridge = names[place[0]], ridges[place[1]]
            with point(regularization=name, ridge=ridge):
                flow = mean_field_flow.MeanFieldFlow.of(teacher, ridge, OFFSETS[name], config.harmonics, config.power)
                angles[place], risk[place] = flow.solve(measured * config.descent.step, config.quantiles)
                converged[place] = 1.0
    along = ("regularization", "ridge", "iteration")
    coordinates = {"regularization": list(names), "ridge": list(ridges), "iteration": measured}
    coordinates |= {"gamma": config.gamma, "power": config.power, "step": config.descent.step}
    variables = {"quantile": ((*along, "order"), angles), "risk": (along, risk), "converged": (along[:2], converged)}
    return xr.Dataset(variables, coords=coordinates)

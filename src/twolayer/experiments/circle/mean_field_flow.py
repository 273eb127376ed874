"""The mean-field limit of the descent on the circle, at finite ridge."""

import numpy as np
import xarray as xr

from twolayer.experiments.circle.parameters import MeanFieldFlows
from twolayer.model.networks.descent import OFFSETS
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.progress import track
from twolayer.theory.mean_field import mean_field_flow


def run(config: MeanFieldFlows) -> xr.Dataset:
    """Return quantiles of the feature distribution and reduced risk at the iterations of the descent."""
    teacher, measured = CircleTeacher(config.gamma), config.descent.measured
    names, ridges = config.regularization, config.ridge
    angles = np.empty((len(names), len(ridges), len(measured), config.quantiles))
    risk = np.empty(angles.shape[:-1])
    for place in track(list(np.ndindex(risk.shape[:2])), "flows"):
        offset, ridge = OFFSETS[names[place[0]]], ridges[place[1]]
        flow = mean_field_flow.MeanFieldFlow.of(teacher, ridge, offset, config.harmonics, config.power)
        angles[place], risk[place] = flow.solve(measured * config.descent.step, config.quantiles)
    along = ("regularization", "ridge", "iteration")
    coordinates = {"regularization": list(names), "ridge": list(ridges), "iteration": measured}
    coordinates |= {"gamma": config.gamma, "power": config.power, "step": config.descent.step}
    return xr.Dataset({"quantile": ((*along, "order"), angles), "risk": (along, risk)}, coords=coordinates)

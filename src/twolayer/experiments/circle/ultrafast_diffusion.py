"""The ultra-fast diffusion of the feature distribution."""

import math

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.circle.parameters import UltrafastDiffusion
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion, slowest_mode


def run(config: UltrafastDiffusion) -> xr.Dataset:
    """Return densities at the iterations of the descent, the conserved mass, and the amplitude of the slowest mode."""
    teacher, measured = CircleTeacher(config.gamma), config.descent.measured
    if config.cells < (needed := math.pi * math.sqrt(config.gamma)):
        raise ConfigError(
            f"cells is {config.cells}: the peaks of a teacher with gamma {config.gamma:g} need at least "
            f"{math.ceil(needed)} cells, or a smaller gamma"
        )
    diffusion = Diffusion.of(teacher, config.cells, config.power)
    density = diffusion.solve(measured * config.descent.step)
    rate, mode = slowest_mode(teacher, diffusion.centres)
    return xr.Dataset(
        {
            "density": (("iteration", "angle"), density),
            "teacher_density": ("angle", diffusion.target),
            "relaxation_rate": ((), rate),
            "mode_amplitude": ("iteration", abs((density - diffusion.target) @ mode) * 2 * np.pi / config.cells),
            "mass_error": ("iteration", abs(density.mean(axis=1) * 2 * np.pi - 1)),
            "lowest_density": ("iteration", density.min(axis=1)),
        },
        coords={
            "iteration": measured,
            "angle": diffusion.centres,
            "gamma": config.gamma,
            "power": config.power,
            "step": config.descent.step,
        },
    )

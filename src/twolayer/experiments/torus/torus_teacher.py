"""A teacher on the torus: its features, and its outputs on a grid."""

import numpy as np
import xarray as xr

from twolayer.experiments.torus.parameters import TorusTeacher
from twolayer.model.teachers.teacher_distributions import (
    HALF_PERIOD,
    TORUS_CENTRES,
    mean_feature,
    wrap,
    wrapped_cauchy_spread,
)
from twolayer.model.teachers.torus_problem import draw_problem
from twolayer.simulation.mean_field.torus_features import teacher_output


def run(config: TorusTeacher) -> xr.Dataset:
    """Return the teacher of the runs with the same seed, and its exact properties.

    The median distance of a feature's coordinate from its centre is a quantile of the wrapped Cauchy
    distribution; the mean output over the torus equals the mean of a single feature.
    """
    teacher = draw_problem(np.random.SeedSequence(config.seed), config.gamma, config.teacher_width, 1, 1).teacher
    around = wrap(teacher - np.resize(TORUS_CENTRES, teacher.shape))
    spread, error = wrapped_cauchy_spread(config.gamma, len(around[::2]))
    axis = np.linspace(-HALF_PERIOD, HALF_PERIOD, config.points, endpoint=False)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    signal = teacher_output(grid.reshape(-1, 2), teacher).reshape(grid.shape[:2])
    peak = axis[list(np.unravel_index(signal.argmax(), signal.shape))]
    scale = 2 / np.pi  # from angles to coordinates
    return xr.Dataset(
        {
            "feature": (("index", "axis"), teacher),
            "spread": (("centre", "axis"), [np.median(np.abs(around[place::2]), axis=0) for place in range(2)]),
            "spread_sem": (("centre", "axis"), np.full((2, 2), scale * error)),
            "theory_spread": ((), scale * spread),
            "signal": (("x", "y"), signal),
            "mean_signal": ((), signal.mean()),
            "theory_mean_signal": ((), mean_feature()),
            "peak_distance": ((), np.linalg.norm(wrap(peak - TORUS_CENTRES), axis=1).min()),
        },
        coords={"x": axis, "y": axis, "axis": ["x", "y"], "gamma": config.gamma},
    )

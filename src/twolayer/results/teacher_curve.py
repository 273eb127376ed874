"""Learning curves of a student and its teacher as a result."""

import numpy as np
import xarray as xr

from twolayer.model.teachers.teacher_student import OrderParameters


def path_to_dataset(times: np.ndarray, order: OrderParameters, v: np.ndarray, pmse: np.ndarray) -> xr.Dataset:
    """Return order parameters, second layer (T, K) and error (T,) at the (T,) times as a dataset."""
    variables = {
        "pmse": ("time", pmse),
        "Q": (("time", "unit", "other_unit"), order.Q),
        "R": (("time", "unit", "teacher_unit"), order.R),
        "T": (("teacher_unit", "other_teacher_unit"), order.T),
        "v": (("time", "unit"), v),
    }
    return xr.Dataset(variables, coords={"time": times})

"""Learning curves of a student and its teacher: where they start, and as a result."""

import numpy as np
import xarray as xr

from twolayer.experiments.generators.parameters import TeacherLearning
from twolayer.model.teachers.teacher_student import (
    InputMoments,
    OrderParameters,
    TeacherStudent,
    initial_teacher_student,
)
from twolayer.simulation.mixtures.stepping import log_times


def learning_start(learning: TeacherLearning, moments: InputMoments) -> tuple[TeacherStudent, np.ndarray]:
    """Initial weights, the same for equations and simulation, and the times (T,) of measurement."""
    N, D = moments.Phi.shape
    rng = np.random.default_rng(learning.seed)
    networks = initial_teacher_student(rng, learning.hidden_units, learning.teacher_units, N, D)
    return networks, log_times(learning.first_time, learning.last_time, learning.measurements, N)


def path_to_dataset(times: np.ndarray, order: OrderParameters, v: np.ndarray, pmse: np.ndarray) -> xr.Dataset:
    """Order parameters, second layer (T, K) and error (T,) at the (T,) times."""
    variables = {
        "pmse": ("time", pmse),
        "Q": (("time", "unit", "other_unit"), order.Q),
        "R": (("time", "unit", "teacher_unit"), order.R),
        "T": (("teacher_unit", "other_teacher_unit"), order.T),
        "v": (("time", "unit"), v),
    }
    return xr.Dataset(variables, coords={"time": times})

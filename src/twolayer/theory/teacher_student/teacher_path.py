"""The solution of the equations of motion of a student and its teacher."""

from dataclasses import dataclass

import numpy as np

from twolayer.model.teachers.teacher_student import OrderParameters


@dataclass(frozen=True, eq=False)
class TeacherPath:
    """Order parameters, second layer v (T, K) and pmse (T,) at the (T,) times."""

    times: np.ndarray
    order: OrderParameters
    v: np.ndarray
    pmse: np.ndarray

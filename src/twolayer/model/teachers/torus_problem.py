"""The random initial condition of a run on the torus: a teacher, a training set, and a student."""

from dataclasses import dataclass

import numpy as np

from twolayer.model.teachers.teacher_distributions import HALF_PERIOD, sample_torus_teacher


@dataclass(frozen=True, eq=False)
class TorusProblem:
    """A teacher, data and an initial student.

    Attributes:
        teacher: (M*, 2) features. inputs: (N, 2), standard normal, not wrapped.
        student: (M, 2) initial features, uniform on the torus.
    """

    teacher: np.ndarray
    inputs: np.ndarray
    student: np.ndarray


def draw_problem(
    seed: np.random.SeedSequence, gamma: float, teacher_width: int, samples: int, width: int
) -> TorusProblem:
    """Return a problem from independent streams for the teacher, the inputs and the student.

    Networks of all widths share teacher and inputs.
    """
    teacher, inputs, student = (np.random.default_rng(child) for child in seed.spawn(3))
    return TorusProblem(
        sample_torus_teacher(teacher.random((2, teacher_width)), gamma),
        inputs.standard_normal((samples, 2)),
        student.uniform(-HALF_PERIOD, HALF_PERIOD, (width, 2)),
    )

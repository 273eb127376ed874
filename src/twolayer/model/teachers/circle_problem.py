"""The random initial condition of a run on the circle: a teacher, a training set, and students."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twolayer.model.teachers.teacher_distributions import CircleTeacher


@dataclass(frozen=True, eq=False)
class CircleProblem:
    """A teacher, data and initial students.

    Attributes:
        teacher: (M*,) angles of the teacher's features. inputs: (N, 2), standard normal.
        students: one (M,) of initial angles, uniform on the circle, for each width M.
    """

    teacher: np.ndarray
    inputs: np.ndarray
    students: tuple[np.ndarray, ...]


def draw_problem(
    seed: np.random.SeedSequence, teacher: CircleTeacher, teacher_width: int, samples: int, widths: Sequence[int]
) -> CircleProblem:
    """Return a problem from independent streams for the teacher, the inputs and each student."""
    features, inputs, *students = (np.random.default_rng(child) for child in seed.spawn(2 + len(widths)))
    return CircleProblem(
        teacher.sample(features.random(teacher_width)),
        inputs.standard_normal((samples, 2)),
        tuple(rng.uniform(-np.pi, np.pi, width) for rng, width in zip(students, widths, strict=True)),
    )

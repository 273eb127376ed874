"""Initial weights and times of measurement of a student that learns from a teacher."""

import numpy as np

from twolayer.experiments.equivalence.parameters import TeacherLearning
from twolayer.model.teachers.teacher_student import InputMoments, TeacherStudent, initial_teacher_student
from twolayer.simulation.mixtures.stepping import log_times


def learning_start(learning: TeacherLearning, moments: InputMoments) -> tuple[TeacherStudent, np.ndarray]:
    """Return initial weights, which equations and simulation share, and the times (T,) of measurement."""
    N, D = moments.Phi.shape
    rng = np.random.default_rng(learning.seed)
    networks = initial_teacher_student(rng, learning.hidden_units, learning.teacher_units, N, D)
    return networks, log_times(learning.first_time, learning.last_time, learning.measurements, N)

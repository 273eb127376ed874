"""The units of a student and its teacher."""

from twolayer.experiments.teacher_student.parameters import TeacherStudentCurve, TeacherStudentSGD
from twolayer.theory.teacher_student.signal_averages import Signals


def signals(config: TeacherStudentCurve | TeacherStudentSGD) -> Signals:
    """Return units and label noise. Points are added later if they are necessary."""
    noise = getattr(config, "gradient_noise", "full")
    return Signals(config.student.activation, config.teacher.activation, config.teacher.noise, noise)

"""Variables of learning curves of a student of a teacher: of equations, and of simulations with a dimension `seed`."""

CURVE = {
    "time": "pmse pmse_compression pmse_sem",
    "time unit other_unit": "Q",
    "time unit teacher_unit": "R",
    "teacher_unit other_teacher_unit": "T",
    "time unit": "v",
}
RUNS = {
    "seed time unit other_unit": "Q",
    "seed time unit teacher_unit": "R",
    "teacher_unit other_teacher_unit": "T",
    "seed time unit": "v",
}
OVERLAPS = {
    "Q": "covariance of the student's pre-activations",
    "R": "covariance of the student's and the teacher's pre-activations",
}
CURVE_MEANINGS = OVERLAPS | {"pmse_sem": "change of pmse with twice the points; 0 in closed form"}

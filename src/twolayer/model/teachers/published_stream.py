"""The random numbers behind the published curves on the circle, in the order in which they were drawn.

The numbers are single precision, as they were; what is computed with them here is double.

Source: barboni2025, its published experiments.
"""

from collections.abc import Sequence

import numpy as np
import torch

from twolayer.model.teachers.circle_problem import CircleProblem
from twolayer.model.teachers.teacher_distributions import CircleTeacher


def replay_problem(
    seed: int, teacher: CircleTeacher, teacher_width: int, samples: int, widths: Sequence[int]
) -> CircleProblem:
    """The published problem of a seed; each width is a run of its own there, with the same teacher and inputs."""
    uniform = np.random.RandomState(seed).rand(teacher_width)
    students = []
    for width in widths:
        stream = torch.Generator().manual_seed(seed)
        _skip_network(teacher_width, stream)
        inputs = torch.randn(samples, 2, generator=stream, dtype=torch.float32)
        _skip_network(width, stream)
        x, y = torch.randn(width, 2, generator=stream, dtype=torch.float32).double().numpy().T
        students.append(np.arctan2(y, x))
    return CircleProblem(teacher.sample(uniform), inputs.double().numpy(), tuple(students))


def _skip_network(width, stream):
    """The initial weights of a network, which its run overwrites: features, then outer weights."""
    torch.randn(width, 2, generator=stream, dtype=torch.float32)
    torch.rand(width, generator=stream, dtype=torch.float32)

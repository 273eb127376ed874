"""The random numbers of the published curves on the circle, in their original order.

The numbers have single precision, as in the published runs. The computations here have double precision.

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
    """Return the published problem of a seed.

    In the published experiments, each width is a separate run with the same teacher and inputs.
    """
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
    """Draw and drop the initial weights of a network, features and then outer weights, which its run overwrites."""
    torch.randn(width, 2, generator=stream, dtype=torch.float32)
    torch.rand(width, generator=stream, dtype=torch.float32)

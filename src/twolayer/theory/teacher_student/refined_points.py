"""Solutions that use quasi-random points: the number of points is doubled until the solution stays the same."""

from collections.abc import Callable

import numpy as np

from twolayer.errors import NotConverged
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.teacher_path import TeacherPath

_LARGEST_CHANGE = 0.01  # largest relative change of pmse when the number of points doubles
_MOST_POINTS = 16  # largest binary logarithm of the number of points


def refined(
    solve: Callable[[Signals], tuple[TeacherPath, np.ndarray]],
    signals: Signals,
    fields: int,
    log2_points: int,
    seed: int,
) -> tuple[TeacherPath, np.ndarray, np.ndarray]:
    """Return a solution, its second error, and the relative change of pmse (T,) with half the points; 0 in closed form.

    Args:
        solve: maps signals with points to the solution, and another error of it.
        fields: number K + M of pre-activations.
        log2_points: binary logarithm of the first number of points. seed: seed of the points.

    Raises:
        NotConverged: twice as many points still change pmse by more than 1 %.
    """
    if not signals.needs_points:
        path, error = solve(signals)
        return path, error, np.zeros(len(path.times))
    path, _ = solve(signals.with_points(sobol_nodes(fields, log2_points, seed)))
    for log2_size in range(log2_points + 1, max(log2_points + 1, _MOST_POINTS) + 1):
        finer, error = solve(signals.with_points(sobol_nodes(fields, log2_size, seed)))
        change = np.abs(finer.pmse - path.pmse)
        largest = np.max(change / np.maximum(np.abs(finer.pmse), np.finfo(float).tiny))
        if largest <= _LARGEST_CHANGE:
            return finer, error, change
        path = finer
    raise NotConverged(
        f"the averages of this activation have no closed form, and 2^{log2_size} points change pmse by {largest:.1%}: "
        "lower learning_rate or last_time, or use erf, relu or polynomial units"
    )

"""The states of several simulations in one checkpoint."""

import time
from collections.abc import Mapping

import numpy as np

from twolayer.storage.checkpoint import Checkpoint

_KEPT_EVERY = 30.0  # seconds between two checkpoints


class KeptRuns:
    """The simulated states of an interrupted task. Each run continues from its own state.

    Args:
        checkpoint: checkpoint of the task.
    """

    def __init__(self, checkpoint: Checkpoint):
        self._checkpoint, self._states, self._written = checkpoint, checkpoint.read() or {}, time.monotonic()

    def state(self, run: int) -> dict[str, np.ndarray]:
        """Return the arrays of a run by name, or an empty dictionary before the run begins."""
        return {name.partition(".")[2]: array for name, array in self._states.items() if name.startswith(f"{run}.")}

    @property
    def due(self) -> bool:
        """Return whether the next call of `keep` writes the checkpoint. This happens every half minute."""
        return time.monotonic() - self._written > _KEPT_EVERY

    def keep(self, run: int, state: Mapping[str, np.ndarray]) -> None:
        """Replace the arrays of a run, and write the checkpoint if it is due.

        Args:
            run: number of the run. state: its arrays by name, which do not change later.
        """
        self._states.update({f"{run}.{name}": array for name, array in state.items()})
        if self.due:
            self._checkpoint.write(self._states)
            self._written = time.monotonic()

"""What lets an interrupted task go on: a file of arrays beside its result, until there is the result."""

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from twolayer.errors import ResultError
from twolayer.io import replacing

log = logging.getLogger("twolayer")


class Checkpoint:
    """The last state that a task has kept.

    The file is no output of its rule: Snakemake deletes the outputs of a job that fails, and this is what it left.

    Args:
        result: file that the task will write at its end.
        origin: what makes the state, to the letter: another task, parameter or program does not go on from it.
    """

    def __init__(self, result: Path, origin: str):
        self._path = Path(result).with_suffix(".checkpoint.safetensors")
        self._origin = origin

    def read(self) -> dict[str, np.ndarray] | None:
        """The arrays of that state; None where nothing is kept, or the state of something else.

        Raises:
            ResultError: the file is damaged.
        """
        if not self._path.exists():
            return None
        from safetensors import SafetensorError, safe_open  # comes with torch, as an extra

        try:
            with safe_open(self._path, framework="numpy") as file:
                if (file.metadata() or {}).get("origin") != self._origin:
                    log.warning("%s is of other parameters or another program: starting anew", self._path)
                    return None
                names = file.keys()
                return {name: file.get_tensor(name) for name in names}
        except (SafetensorError, OSError) as error:
            raise ResultError(f"checkpoint {self._path} cannot be read ({error}): delete it to start anew") from None

    def write(self, state: Mapping[str, np.ndarray]) -> None:
        """Keep a state in place of the one before, at once or not at all."""
        from safetensors.numpy import save_file

        with replacing(self._path) as temporary:
            arrays = {name: np.asarray(array, order="C") for name, array in state.items()}
            save_file(arrays, temporary, metadata={"origin": self._origin})

    def remove(self) -> None:
        """There is a result now."""
        self._path.unlink(missing_ok=True)


class NoCheckpoint(Checkpoint):
    """In the place of a checkpoint where nothing is to be kept."""

    def __init__(self):
        pass

    def read(self) -> None:
        """Nothing."""

    def write(self, state: Mapping[str, np.ndarray]) -> None:
        """Forget it."""

    def remove(self) -> None:
        """There is none."""

"""The checkpoint of a task: a file of arrays next to its result, which is removed when the result exists."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from twolayer.errors import ResultError
from twolayer.io import read_bytes, write_with_checksum
from twolayer.storage.checksums import without_checksum

log = logging.getLogger("twolayer")


class Checkpoint:
    """The last state that a task has kept.

    The file is no output of its rule: Snakemake deletes the outputs of a job that fails, and this is what it left.

    Args:
        result: file that the task will write at its end.
        origin: what makes the state, to the letter: another task, parameter, program, library or input does not go on
            from it.
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
        name, remedy = f"checkpoint {self._path}", "delete it to start from the beginning"
        from safetensors import SafetensorError  # comes with torch, as an extra
        from safetensors.numpy import load

        contents = without_checksum(read_bytes(self._path, "checkpoint"), name, remedy)
        try:
            if _origin_of(contents) == self._origin:
                return load(contents)
        except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ResultError(f"{name} cannot be read ({error}): {remedy}") from None
        log.warning(
            "%s is of other parameters, inputs or libraries, or another program: starting from the beginning",
            self._path,
        )
        return None

    def write(self, state: Mapping[str, np.ndarray]) -> None:
        """Keep a state in place of the one before, at once or not at all."""
        from safetensors.numpy import save

        arrays = {name: np.asarray(array, order="C") for name, array in state.items()}
        write_with_checksum(save(arrays, metadata={"origin": self._origin}), self._path)

    def remove(self) -> None:
        """There is a result now."""
        self._path.unlink(missing_ok=True)


def _origin_of(contents: bytes) -> str:
    """The content of the header of a safetensors file: its length in eight bytes, then JSON."""
    length = int.from_bytes(contents[:8], "little")
    return json.loads(contents[8 : 8 + length])["__metadata__"]["origin"]


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

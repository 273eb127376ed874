"""The checkpoint of a task: a file of arrays next to its result, which is removed after the result is written."""

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
    """The last state that a task has stored.

    The file is not an output of its rule, because Snakemake deletes the outputs of a job that fails.

    Args:
        result: file that the task will write at its end.
        origin: everything on which the state depends. A task continues only from a state with exactly the same task,
            parameters, program, libraries and inputs.
    """

    def __init__(self, result: Path, origin: str):
        path = Path(result)
        name = path.stem if path.suffix == ".nc" else path.name  # "run_0.5" and "run_0.7" have files of their own
        self._path = path.with_name(f"{name}.checkpoint.safetensors")
        self._origin = origin

    def read(self) -> dict[str, np.ndarray] | None:
        """Return the arrays of the stored state, or None if there is none or if it has another origin.

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
            if safetensors_metadata(contents)["origin"] == self._origin:
                return load(contents)
        except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ResultError(f"{name} cannot be read ({error}): {remedy}") from None
        log.warning(
            "%s belongs to other parameters, inputs or libraries, or another program: starting from the beginning",
            self._path,
        )
        return None

    def write(self, state: Mapping[str, np.ndarray]) -> None:
        """Replace the stored state, completely or not at all."""
        from safetensors.numpy import save

        arrays = {name: np.asarray(array, order="C") for name, array in state.items()}
        write_with_checksum(save(arrays, metadata={"origin": self._origin}), self._path)

    def remove(self) -> None:
        """Remove the checkpoint after the result was written."""
        self._path.unlink(missing_ok=True)


def safetensors_metadata(contents: bytes) -> dict[str, str]:
    """Return the metadata in the header of a safetensors file: its length in eight bytes, then JSON."""
    length = int.from_bytes(contents[:8], "little")
    return json.loads(contents[8 : 8 + length])["__metadata__"]


class NoCheckpoint(Checkpoint):
    """A replacement for a checkpoint if nothing is to be stored."""

    def __init__(self):
        pass

    def read(self) -> None:
        """Return None."""

    def write(self, state: Mapping[str, np.ndarray]) -> None:
        """Ignore the state."""

    def remove(self) -> None:
        """Do nothing."""

"""The location of features and labels in a file of samples, and the blocks in which all formats are read.

A block consists of the features (b, N) and the labels (b,), numbers or texts.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Blocks = Iterator[tuple[np.ndarray, np.ndarray]]

BLOCK = 4096  # number of samples in a block


@dataclass(frozen=True)
class Layout:
    """Location of the features and the labels in a file.

    Attributes:
        features, labels: names of arrays (npz, HDF5 and NetCDF), or of the column of labels (tables). For an npy file
            `labels` is another file, relative to its folder. None means the arrays `features` and `labels`, and the
            last column of files without names.
        leave_out: columns of a table that are not features.
        size: height and width to which images are resized, 28 if None.
    """

    features: str | None = None
    labels: str | None = None
    leave_out: Sequence[str] = ()
    size: int | None = None


def expanded(name: str | Path) -> Path:
    """Return a path in which `~` is the home folder."""
    return Path(os.path.expanduser(name))  # keeps the tilde of an unknown user

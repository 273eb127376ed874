"""Make the image subsets of workflow/resources/ from a data root, in the same files and format.

    python workflow/scripts/embed_images.py ROOT

ROOT holds mnist/ and fashion-mnist/ with their publishers' files. Of each split, the first images of every class
are taken, and stay in file order. The same root gives the same bytes; it takes a few seconds.
"""

import argparse
import gzip
from pathlib import Path

import numpy as np

from twolayer.model.images import CLASSES, image_files, load

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
PER_CLASS = {"mnist": {"train": 200, "test": 40}, "fashion-mnist": {"train": 75, "test": 15}}


def first_of_each_class(labels: np.ndarray, count: int) -> np.ndarray:
    """Indices, ascending, of the first `count` images of every class."""
    return np.sort(np.concatenate([np.flatnonzero(labels == label)[:count] for label in range(CLASSES)]))


def idx_bytes(array: np.ndarray) -> bytes:
    """A uint8 array as a gzipped IDX file."""
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return gzip.compress(header + array.tobytes(), compresslevel=9, mtime=0)


def embed(root: Path, target: Path) -> None:
    """Write the subsets of all image sets in `root` to the data root `target`."""
    for dataset, counts in PER_CLASS.items():
        (target / dataset).mkdir(parents=True, exist_ok=True)
        for split, count in counts.items():
            images, labels = load(root, dataset, split)
            chosen = first_of_each_class(labels, count)
            for name, array in zip(image_files(dataset, split), (images, labels), strict=True):
                (target / dataset / name).write_bytes(idx_bytes(array[chosen]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, help="a data root")
    embed(parser.parse_args().root, RESOURCES)

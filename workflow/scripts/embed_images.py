"""Make the image subsets of workflow/resources/ from a data root.

    python workflow/scripts/embed_images.py ROOT

ROOT holds mnist/, fashion-mnist/ and cifar-10-batches-bin/ with their publishers' files. Of each split, the first
images of every class are taken. MNIST and Fashion-MNIST stay in file order, in the same files and format. CIFAR-10
becomes cifar-10-subset/, a picture for each split with a row of images for each class: its own format is large, and of
lossless formats WebP makes photographs smallest. The same root gives the same bytes; it takes a few seconds.
"""

import argparse
import gzip
import hashlib
from pathlib import Path

import numpy as np
from PIL import Image

from twolayer.model.data.images import CLASSES, image_files, load
from twolayer.storage.checksums import LIST

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
PER_CLASS = {"mnist": {"train": 200, "test": 40}, "fashion-mnist": {"train": 75, "test": 15}}
COLOUR_PER_CLASS = {"train": 100, "test": 20}


def first_of_each_class(labels: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the first `count` images of every class, in ascending order."""
    return np.sort(np.concatenate([np.flatnonzero(labels == label)[:count] for label in range(CLASSES)]))


def idx_bytes(array: np.ndarray) -> bytes:
    """Return the bytes of a gzipped IDX file with a uint8 array."""
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return gzip.compress(header + array.tobytes(), compresslevel=9, mtime=0)


def embed_colour(root: Path, target: Path) -> None:
    """Write the subset of CIFAR-10 in `root` to the data root `target`, without loss, and the digests of its files."""
    folder = target / "cifar-10-subset"
    folder.mkdir(parents=True, exist_ok=True)
    digests = []
    for split, count in COLOUR_PER_CLASS.items():
        images, labels = load(root, "cifar-10-batches-bin", split)
        rows = [np.hstack(images[labels == label][:count]) for label in range(CLASSES)]
        path = folder / image_files("cifar-10-subset", split)[0]
        Image.fromarray(np.vstack(rows)).save(path, lossless=True, quality=100, method=6)
        digests.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    (folder / LIST).write_text("".join(sorted(digests, key=lambda line: line.split()[1])))


def embed(root: Path, target: Path) -> None:
    """Write the subsets of MNIST and Fashion-MNIST in `root` to the data root `target`."""
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
    root = parser.parse_args().root
    embed(root, RESOURCES)
    embed_colour(root, RESOURCES)

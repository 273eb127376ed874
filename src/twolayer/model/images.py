"""Image sets in their publishers' own format: MNIST and Fashion-MNIST, gzipped IDX files.

A data root holds `mnist/train-images-idx3-ubyte.gz`, ..., `fashion-mnist/t10k-labels-idx1-ubyte.gz`.
"""

import gzip
import zlib
from math import prod
from pathlib import Path
from typing import Literal

import numpy as np

from twolayer.errors import ConfigError, DataError

DATASETS = ("mnist", "fashion-mnist")
CLASSES = 10

_PREFIXES = {"train": "train", "test": "t10k"}
_IMAGE_SHAPE = (28, 28)
_UNSIGNED_BYTE = 8  # IDX code of the data type
_REMEDY = "replace it by its publisher's file"


def image_files(dataset: Literal["mnist", "fashion-mnist"], split: Literal["train", "test"]) -> tuple[str, str]:
    """Names of a split's files, images first, in the folder of the data root that is called like the set.

    Raises:
        ConfigError: there is no such set or split.
    """
    _check_choice("image set", dataset, DATASETS)
    _check_choice("split", split, tuple(_PREFIXES))
    return f"{_PREFIXES[split]}-images-idx3-ubyte.gz", f"{_PREFIXES[split]}-labels-idx1-ubyte.gz"


def load(
    folder: Path, dataset: Literal["mnist", "fashion-mnist"], split: Literal["train", "test"]
) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of one split, in file order.

    Args:
        folder: a data root.

    Returns: images (n, 28, 28), uint8, 0 is the background; labels (n,), uint8, each of 0..9 present.

    Raises:
        ConfigError: there is no such set or split.
        DataError: a file is missing or damaged, or the two do not fit together.
    """
    images_path, labels_path = (Path(folder) / dataset / name for name in image_files(dataset, split))
    images, labels = _read_idx(images_path, _IMAGE_SHAPE), _read_idx(labels_path, ())
    if len(images) != len(labels):
        raise DataError(
            f"{labels_path} has {len(labels)} labels for the {len(images)} images of {images_path.name}: "
            "replace both by their publisher's files"
        )
    present = set(np.unique(labels).tolist())
    if unknown := sorted(present - set(range(CLASSES))):
        raise DataError(f"{labels_path} has the label {unknown[0]}, outside 0..{CLASSES - 1}: {_REMEDY}")
    if missing := sorted(set(range(CLASSES)) - present):
        raise DataError(f"{labels_path} has no image of class {missing[0]}: {_REMEDY}")
    return images, labels


def cluster_labels(dataset: Literal["mnist", "fashion-mnist"]) -> np.ndarray:
    """The two-class task on an image set: odd digits, and the first five fashion classes, are labelled -1.

    Returns: (10,) label -1 or +1 of each class.

    Raises:
        ConfigError: there is no such set.

    Source: refinetti2021, mixtures of MNIST and Fashion-MNIST.
    """
    _check_choice("image set", dataset, DATASETS)
    classes = np.arange(CLASSES)
    positive = classes % 2 == 0 if dataset == "mnist" else classes >= CLASSES // 2
    return np.where(positive, 1.0, -1.0)


def _check_choice(what, value, allowed):
    if value not in allowed:
        raise ConfigError(f"{what} is {value!r}: use one of {', '.join(allowed)}")


def _read_idx(path, item_shape):
    """Items (n, *item_shape) of an IDX file: magic 0 0 type rank, rank big-endian sizes, then the bytes."""
    content = _decompress(path)
    rank = 1 + len(item_shape)
    magic = bytes([0, 0, _UNSIGNED_BYTE, rank])
    if content[:4] != magic:
        raise DataError(
            f"{path} begins with the bytes '{content[:4].hex(' ')}' where an IDX file of unsigned bytes "
            f"in {rank} dimensions has '{magic.hex(' ')}': {_REMEDY}"
        )
    data = 4 + 4 * rank
    shape = tuple(int.from_bytes(content[start : start + 4], "big") for start in range(4, data, 4))
    if shape[1:] != item_shape:
        raise DataError(f"{path} holds items of shape {shape[1:]} where {item_shape} is expected: {_REMEDY}")
    if len(content) != data + prod(shape):
        raise DataError(
            f"{path} unpacks to {len(content)} bytes where its header announces {data + prod(shape)}: {_REMEDY}"
        )
    return np.frombuffer(content, np.uint8, offset=data).reshape(shape).copy()  # the buffer itself is read-only


def _decompress(path):
    try:
        return gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise DataError(
            f"image file {path} is missing: set data_root in config/config.yaml, or TWOLAYER_DATA, to a folder "
            f"that has {path.parent.name}/{path.name}"
        ) from None
    except EOFError:
        raise DataError(f"{path} ends before its gzip stream does, it is truncated: {_REMEDY}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is not a sound gzip file ({error}): {_REMEDY}") from None
    except OSError as error:
        raise DataError(f"image file {path} cannot be read ({error.strerror}): check the data root") from None

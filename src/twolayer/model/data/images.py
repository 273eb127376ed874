"""Image sets: MNIST and Fashion-MNIST (gzipped IDX files), CIFAR-10 (binary version), and a small subset of CIFAR-10.

The files are the publishers' files. The subset has one picture for each split.

A data root contains `mnist/train-images-idx3-ubyte.gz`, ..., `fashion-mnist/t10k-labels-idx1-ubyte.gz`, ...,
`cifar-10-batches-bin/data_batch_1.bin`, ..., `cifar-10-subset/train.webp`, `cifar-10-subset/test.webp`. The published
generator of a data set is in the folder of its images, see `published_files`.
"""

import gzip
import zlib
from math import prod
from pathlib import Path
from typing import Literal

import numpy as np

from twolayer.errors import ConfigError, DataError
from twolayer.model.data.foreign_files import read_picture
from twolayer.model.data.published_images import warn_if_changed
from twolayer.model.generators.published_files import published_file
from twolayer.storage.checksums import LIST, as_listed
from twolayer.storage.files import decompress_gzip, read_regular

TITLES = {
    "mnist": "MNIST",
    "fashion-mnist": "Fashion-MNIST",
    "cifar-10-batches-bin": "CIFAR-10",
    "cifar-10-subset": "CIFAR-10",
}
DATASETS = tuple(TITLES)
SPLITS = ("train", "test")
GENERATOR = "generator"  # replaces a split for the published generator of a set
CLASSES = 10

_PREFIXES = {"train": "train", "test": "t10k"}
_IMAGE_SHAPE = (28, 28)
_UNSIGNED_BYTE = 8  # IDX code of the data type
_VEHICLES = (0, 1, 8, 9)  # classes of CIFAR-10
_LUMINANCE = np.array([0.299, 0.587, 0.114])  # weights of red, green and blue
_COLOUR_SIZE = 32  # height and width of the colour images
_RECORD = 1 + 3 * _COLOUR_SIZE**2  # a label, then the red, the green and the blue plane
_RECORDS = 10_000  # number of records in a file
_REMEDY = "replace it by its publisher's file"


def image_files(dataset: str, split: Literal["train", "test", "generator"]) -> tuple[str, ...]:
    """Return the names of a split's files in the folder of the data root with the name of the set.

    Args:
        dataset: one of `DATASETS`.

    Raises:
        ConfigError: the set or the split is unknown.
    """
    _check_choice("image set", dataset, DATASETS)
    if split == GENERATOR:
        return (published_file(dataset).name,)
    _check_choice("split", split, SPLITS)
    if dataset == "cifar-10-subset":
        return (f"{split}.webp",)
    if dataset == "cifar-10-batches-bin":
        return tuple(f"data_batch_{number}.bin" for number in range(1, 6)) if split == "train" else ("test_batch.bin",)
    return f"{_PREFIXES[split]}-images-idx3-ubyte.gz", f"{_PREFIXES[split]}-labels-idx1-ubyte.gz"


def load(folder: Path, dataset: str, split: Literal["train", "test"]) -> tuple[np.ndarray, np.ndarray]:
    """Return images and labels of one split, in file order.

    A warning is logged if a complete set differs from the publisher's.

    Args:
        folder: a data root. dataset: one of `DATASETS`.

    Returns: images (n, 28, 28) or (n, 32, 32, 3), uint8, 0 is black; labels (n,), uint8, each of 0..9 present.

    Raises:
        ConfigError: the set or the split is unknown.
        DataError: a file is missing or damaged, or two files do not fit together.
    """
    paths = [Path(folder) / dataset / name for name in image_files(dataset, split)]
    if dataset == "cifar-10-subset":
        return _read_picture(*paths)
    if dataset == "cifar-10-batches-bin":
        images, labels = map(np.concatenate, zip(*map(_read_records, paths), strict=True))
    else:
        images, labels = _read_idx_pair(*paths)
    warn_if_changed(images, labels, dataset, split, folder)
    return images, labels


def cluster_labels(dataset: str) -> np.ndarray:
    """Return the two-class task on an image set: odd digits, the first five fashion classes, and vehicles have label
    -1.

    Args:
        dataset: one of `DATASETS`.

    Returns: (10,) label -1 or +1 of each class.

    Raises:
        ConfigError: the set is unknown.

    Source: refinetti2021, mixtures of MNIST and Fashion-MNIST; own choice for CIFAR-10.
    """
    _check_choice("image set", dataset, DATASETS)
    classes = np.arange(CLASSES)
    if dataset == "mnist":
        positive = classes % 2 == 0
    elif dataset == "fashion-mnist":
        positive = classes >= CLASSES // 2
    else:
        positive = ~np.isin(classes, _VEHICLES)
    return np.where(positive, 1.0, -1.0)


def grey_images(pixels: np.ndarray) -> np.ndarray:
    """Convert images from `load` to grey images (n, N), where 0 is black and 1 is white."""
    brightness = pixels @ _LUMINANCE if pixels.ndim == 4 else pixels
    return brightness.reshape(len(pixels), -1) / 255


def _check_choice(what, value, allowed):
    if value not in allowed:
        raise ConfigError(f"{what} is {value!r}: use one of {', '.join(allowed)}")


def _read_records(path):
    """Return images and labels of a file in CIFAR-10's binary version."""
    content = _read(path)
    if len(content) != _RECORDS * _RECORD:
        raise DataError(
            f"{path} has {len(content)} bytes (expected {_RECORDS} records of {_RECORD} bytes), "
            f"so it is truncated or not a file of CIFAR-10's binary version: {_REMEDY}"
        )
    records = np.frombuffer(content, np.uint8).reshape(-1, _RECORD)
    labels, planes = records[:, 0], records[:, 1:].reshape(-1, 3, _COLOUR_SIZE, _COLOUR_SIZE)
    _check_labels(labels, path)
    return planes.transpose(0, 2, 3, 1), labels


def _read_picture(path):
    """Return images and labels of a picture with a row of images for each class."""
    remedy = "restore it from the repository"
    content = _read(path)
    if not as_listed(content, path):
        raise DataError(f"{path} does not have the digest in {LIST} of its folder, so it is damaged: {remedy}")
    pixels = read_picture(path, lambda picture: np.asarray(picture.convert("RGB")), remedy, content)
    height, width, colours = pixels.shape
    if height != CLASSES * _COLOUR_SIZE or width % _COLOUR_SIZE:
        raise DataError(
            f"{path} has {width} x {height} pixels (expected {CLASSES} rows of images of "
            f"{_COLOUR_SIZE} x {_COLOUR_SIZE} pixels): {remedy}"
        )
    tiles = pixels.reshape(CLASSES, _COLOUR_SIZE, -1, _COLOUR_SIZE, colours).swapaxes(1, 2)
    images = np.ascontiguousarray(tiles.reshape(-1, *tiles.shape[2:]))
    return images, np.repeat(np.arange(CLASSES, dtype=np.uint8), tiles.shape[1])


def _read_idx_pair(images_path, labels_path):
    images, labels = _read_idx(images_path, _IMAGE_SHAPE), _read_idx(labels_path, ())
    if len(images) != len(labels):
        raise DataError(
            f"{labels_path} has {len(labels)} labels for the {len(images)} images of {images_path.name}: "
            "replace both by their publisher's files"
        )
    _check_labels(labels, labels_path)
    return images, labels


def _check_labels(labels, path):
    present = set(np.unique(labels).tolist())
    if unknown := sorted(present - set(range(CLASSES))):
        raise DataError(f"{path} has the label {unknown[0]}, outside 0..{CLASSES - 1}: {_REMEDY}")
    if missing := sorted(set(range(CLASSES)) - present):
        raise DataError(f"{path} has no image of class {missing[0]}: {_REMEDY}")


def _read_idx(path, item_shape):
    """Return items (n, *item_shape) of an IDX file: magic 0 0 type rank, rank big-endian sizes, then the bytes."""
    content = _decompress(path)
    rank = 1 + len(item_shape)
    magic = bytes([0, 0, _UNSIGNED_BYTE, rank])
    if content[:4] != magic:
        raise DataError(
            f"{path} begins with the bytes '{content[:4].hex(' ')}', but an IDX file of unsigned bytes "
            f"in {rank} dimensions begins with '{magic.hex(' ')}': {_REMEDY}"
        )
    data = 4 + 4 * rank
    shape = tuple(int.from_bytes(content[start : start + 4], "big") for start in range(4, data, 4))
    if shape[1:] != item_shape:
        raise DataError(f"{path} has items of shape {shape[1:]} (expected {item_shape}): {_REMEDY}")
    if len(content) != data + prod(shape):
        raise DataError(
            f"{path} unpacks to {len(content)} bytes, but its header requires {data + prod(shape)}: {_REMEDY}"
        )
    return np.frombuffer(content, np.uint8, offset=data).reshape(shape).copy()  # the buffer itself is read-only


def _decompress(path):
    content = _read(path)
    try:
        return decompress_gzip(content, path)
    except EOFError:
        raise DataError(f"{path} ends before its gzip stream does, so it is truncated: {_REMEDY}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is not a valid gzip file ({error}): {_REMEDY}") from None


def _read(path):
    try:
        return read_regular(path)
    except FileNotFoundError:
        raise DataError(
            f"image file {path} is missing: set data_root in config/config.yaml, or TWOLAYER_DATA, to a folder "
            f"that has {path.parent.name}/{path.name}"
        ) from None
    except OSError as error:
        raise DataError(f"image file {path} cannot be read ({error.strerror}): check the data root") from None


SIZE = 32  # height and width of the largest images; smaller images get a black frame


def square_images(pixels: np.ndarray, size: int, grey: bool = False) -> np.ndarray:
    """Return averages of the pixels over squares, and over the colours for grey images, rounded.

    Args:
        pixels: (n, H, W) or (n, H, W, 3) uint8, H and W at most `SIZE`. size: size of the result, a divisor of `SIZE`.

    Returns: (n, colours, size, size) uint8.
    """
    planes = np.moveaxis(pixels.reshape(*pixels.shape[:3], -1), -1, 1)
    if grey:
        planes = planes.mean(1, keepdims=True, dtype=np.float32)
    frame = [((SIZE - length) // 2,) * 2 for length in planes.shape[2:]]
    framed = np.pad(planes, [(0, 0), (0, 0), *frame])
    square = SIZE // size
    means = framed.reshape(*framed.shape[:2], size, square, size, square).mean((3, 5), dtype=np.float32)
    return np.rint(means, out=means).astype(np.uint8)

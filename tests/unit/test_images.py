import gzip
import hashlib
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from twolayer.errors import ConfigError, DataError
from twolayer.model.data.images import cluster_labels, grey_images, image_files, load
from twolayer.model.data.published_images import COMPLETE

PROJECT = Path(__file__).parents[2]
RESOURCES = PROJECT / "workflow" / "resources"
IMAGES, LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
COLOUR, SUBSET = "cifar-10-batches-bin", "cifar-10-subset"
TRAINING_FILES = [f"data_batch_{number}.bin" for number in range(1, 6)]
EMBEDDED_PER_CLASS = {
    ("mnist", "train"): 200,
    ("mnist", "test"): 40,
    ("fashion-mnist", "train"): 75,
    ("fashion-mnist", "test"): 15,
}


def idx(array, data_type=8):
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, data_type, array.ndim]) + sizes + array.tobytes()


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(0, 256, size=(20, 28, 28), dtype=np.uint8)


@pytest.fixture
def classes():
    return np.tile(np.arange(10, dtype=np.uint8), 2)


@pytest.fixture
def root(tmp_path, pixels, classes):
    """A data root with a training set of twenty MNIST images."""
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / IMAGES).write_bytes(gzip.compress(idx(pixels)))
    (tmp_path / "mnist" / LABELS).write_bytes(gzip.compress(idx(classes)))
    return tmp_path


@pytest.fixture(scope="module")
def records():
    """10,000 records of CIFAR-10: image n is of class n mod 10, its planes hold n, n + 1, n + 2."""
    numbers = np.arange(10_000)[:, None]
    planes = np.repeat((numbers + np.arange(3)).astype(np.uint8), 1024, axis=1)
    return np.hstack([(numbers % 10).astype(np.uint8), planes])


@pytest.fixture(scope="module")
def whole_colour_root(tmp_path_factory, records):
    """A data root with all files of CIFAR-10, in each of which another image is the first one."""
    root = tmp_path_factory.mktemp("root")
    (root / COLOUR).mkdir()
    for shift, name in enumerate([*TRAINING_FILES, "test_batch.bin"]):
        (root / COLOUR / name).write_bytes(np.roll(records, -shift, axis=0).tobytes())
    return root


@pytest.fixture
def colour_root(tmp_path, whole_colour_root):
    """The same, to play with: `rewrite` puts another file in the place of one."""
    (tmp_path / COLOUR).mkdir()
    for path in (whole_colour_root / COLOUR).iterdir():
        (tmp_path / COLOUR / path.name).symlink_to(path)
    return tmp_path


def rewrite(path, content):
    path.unlink()
    path.write_bytes(content)


def assert_refused(root, name, *words, dataset="mnist"):
    """Loading fails with one sentence that names the file, these words and a remedy."""
    with pytest.raises(DataError) as caught:
        load(root, dataset, "train")
    message = str(caught.value)
    for word in (str(root / dataset / name), *words, ": "):
        assert word in message
    assert "\n" not in message


def test_images_and_labels_are_read_in_file_order(root, pixels, classes):
    images, labels = load(root, "mnist", "train")
    assert images.dtype == labels.dtype == np.uint8
    np.testing.assert_array_equal(images, pixels)
    np.testing.assert_array_equal(labels, classes)


def test_images_can_be_written_to(root):
    images, _ = load(root, "mnist", "train")
    images[0] = 0


@pytest.mark.parametrize("part", ["pixels", "labels", "order", "none"])
def test_a_complete_set_that_differs_from_the_publishers_gives_a_warning(
    root, pixels, classes, part, monkeypatch, caplog
):
    known = hashlib.sha256(pixels.tobytes() + classes.tobytes()).hexdigest()
    monkeypatch.setitem(COMPLETE, ("mnist", "train"), (20, known))
    if part == "pixels":
        pixels[7, 3, 4] ^= 1
    if part == "labels":
        classes[:2] = 1, 0
    order = np.arange(20)[::-1] if part == "order" else np.arange(20)
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(idx(pixels[order])))
    (root / "mnist" / LABELS).write_bytes(gzip.compress(idx(classes[order])))
    load(root, "mnist", "train")
    assert ("does not have the publisher's train images" in caplog.text) == (part != "none")


def test_a_smaller_set_is_not_compared(root, caplog):
    load(root, "mnist", "train")
    assert not caplog.records


def test_the_colours_of_a_complete_set_are_compared(whole_colour_root, caplog):
    load(whole_colour_root, COLOUR, "test")
    assert f"{whole_colour_root / COLOUR} does not have the publisher's test images" in caplog.text


def test_the_test_split_has_its_publishers_name(root, pixels):
    for name in (IMAGES, LABELS):
        (root / "mnist" / name).rename(root / "mnist" / name.replace("train", "t10k"))
    np.testing.assert_array_equal(load(root, "mnist", "test")[0], pixels)


@pytest.mark.parametrize("name", [IMAGES, LABELS])
def test_missing_file(root, name):
    (root / "mnist" / name).unlink()
    assert_refused(root, name, "missing", "config/config.yaml", "TWOLAYER_DATA", f"mnist/{name}")


@pytest.mark.parametrize("name", [IMAGES, LABELS])
@pytest.mark.parametrize("kept", [0.05, 0.5, 0.99])
def test_truncated_gzip(root, name, kept):
    path = root / "mnist" / name
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    assert_refused(root, name, "truncated", "publisher's file")


def test_not_gzip(root, pixels):
    (root / "mnist" / IMAGES).write_bytes(idx(pixels))
    assert_refused(root, IMAGES, "not a valid gzip file", "publisher's file")


def test_damaged_gzip(root):
    path = root / "mnist" / IMAGES
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    assert_refused(root, IMAGES, "not a valid gzip file", "publisher's file")


def test_folder_in_place_of_a_file(root):
    path = root / "mnist" / IMAGES
    path.unlink()
    path.mkdir()
    assert_refused(root, IMAGES, "cannot be read", "data root")


def test_labels_in_place_of_images(root):
    labels = (root / "mnist" / LABELS).read_bytes()
    (root / "mnist" / IMAGES).write_bytes(labels)
    assert_refused(root, IMAGES, "'00 00 08 01'", "'00 00 08 03'")


def test_wrong_data_type(root, pixels):
    content = idx(pixels.astype(">f4"), data_type=0x0D)
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(content))
    assert_refused(root, IMAGES, "'00 00 0d 03'", "unsigned bytes")


def test_empty_file(root):
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(b""))
    assert_refused(root, IMAGES, "''", "'00 00 08 03'")


def test_truncated_header(root, pixels):
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(idx(pixels)[:10]))
    assert_refused(root, IMAGES, "shape", "(28, 28)")


def test_wrong_image_shape(root, pixels):
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(idx(pixels[:, :14])))
    assert_refused(root, IMAGES, "(14, 28)", "(28, 28)")


@pytest.mark.parametrize("extra", [-100, -1, 1, 784])
def test_missing_or_trailing_bytes(root, pixels, extra):
    content = idx(pixels)
    changed = content[:extra] if extra < 0 else content + bytes(extra)
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(changed))
    assert_refused(root, IMAGES, str(len(changed)), f"requires {len(content)}")


def test_one_label_for_each_image(root, classes):
    (root / "mnist" / LABELS).write_bytes(gzip.compress(idx(classes[:19])))
    assert_refused(root, LABELS, "19 labels", "20 images", IMAGES)


def test_label_out_of_range(root, classes):
    (root / "mnist" / LABELS).write_bytes(gzip.compress(idx(np.append(classes[:-1], np.uint8(17)))))
    assert_refused(root, LABELS, "label 17", "0..9")


def test_missing_class(root, classes):
    (root / "mnist" / LABELS).write_bytes(gzip.compress(idx(np.where(classes == 4, 5, classes).astype(np.uint8))))
    assert_refused(root, LABELS, "class 4")


def test_no_images_at_all(root, pixels, classes):
    (root / "mnist" / IMAGES).write_bytes(gzip.compress(idx(pixels[:0])))
    (root / "mnist" / LABELS).write_bytes(gzip.compress(idx(classes[:0])))
    assert_refused(root, LABELS, "class 0")


@pytest.mark.slow
def test_colour_images(colour_root):
    images, labels = load(colour_root, COLOUR, "train")
    assert images.shape == (50_000, 32, 32, 3)
    assert labels[[0, 1, 10_000, 49_999]].tolist() == [0, 1, 1, 3]
    for number, first in enumerate(images[::10_000]):
        np.testing.assert_array_equal(first, np.broadcast_to([number, number + 1, number + 2], (32, 32, 3)))
    images, labels = load(colour_root, COLOUR, "test")
    assert len(images) == len(labels) == 10_000
    assert images[0, 0, 0].tolist() == [5, 6, 7]


def test_rows_of_a_colour_image_come_before_its_columns(colour_root, records):
    changed = records.copy()
    changed[0, 1 : 1 + 32] = 200  # the first row of the red plane
    rewrite(colour_root / COLOUR / TRAINING_FILES[0], changed.tobytes())
    image = load(colour_root, COLOUR, "train")[0][0]
    assert (image[0, :, 0] == 200).all()
    assert (image[1:, :, 0] == 0).all()


@pytest.mark.parametrize("name", [TRAINING_FILES[0], TRAINING_FILES[4]])
def test_missing_colour_file(colour_root, name):
    (colour_root / COLOUR / name).unlink()
    assert_refused(colour_root, name, "missing", "TWOLAYER_DATA", f"{COLOUR}/{name}", dataset=COLOUR)


@pytest.mark.parametrize("size", [0, 3073 * 9_999, 3073 * 10_000 - 1, 3073 * 10_000 + 1])
def test_truncated_colour_file(colour_root, records, size):
    path = colour_root / COLOUR / TRAINING_FILES[2]
    rewrite(path, (records.tobytes() + b"\0")[:size])
    assert_refused(colour_root, path.name, f"{size} bytes", "10000 records of 3073 bytes", "truncated", dataset=COLOUR)


def test_colour_label_out_of_range(colour_root, records):
    changed = records.copy()
    changed[7, 0] = 10
    rewrite(colour_root / COLOUR / TRAINING_FILES[1], changed.tobytes())
    assert_refused(colour_root, TRAINING_FILES[1], "label 10", "0..9", dataset=COLOUR)


def test_a_file_of_one_class_only(colour_root, records):
    changed = records.copy()
    changed[:, 0] = 0
    rewrite(colour_root / COLOUR / TRAINING_FILES[1], changed.tobytes())
    assert_refused(colour_root, TRAINING_FILES[1], "class 1", dataset=COLOUR)


@pytest.fixture
def picture_root(tmp_path):
    """The embedded subset in a root of its own, without the digests of its files."""
    shutil.copytree(RESOURCES / SUBSET, tmp_path / SUBSET, ignore=shutil.ignore_patterns("SHA256SUMS"))
    return tmp_path


def test_a_picture_with_another_pixel(tmp_path):
    shutil.copytree(RESOURCES / SUBSET, tmp_path / SUBSET)
    with Image.open(tmp_path / SUBSET / "train.webp") as picture:
        picture.putpixel((0, 0), (1, 2, 3))
        picture.save(tmp_path / SUBSET / "train.webp", lossless=True, quality=0, method=0)
    assert_refused(tmp_path, "train.webp", "does not have the digest in SHA256SUMS of its folder", dataset=SUBSET)


def test_missing_picture(picture_root):
    (picture_root / SUBSET / "train.webp").unlink()
    assert_refused(picture_root, "train.webp", "missing", dataset=SUBSET)


@pytest.mark.parametrize("kept", [0, 10, 1000, -1000])
def test_truncated_picture(picture_root, kept):
    path = picture_root / SUBSET / "train.webp"
    path.write_bytes(path.read_bytes()[:kept])
    assert_refused(picture_root, "train.webp", "not a valid picture", "repository", dataset=SUBSET)


@pytest.mark.parametrize("size", [(320, 319), (31, 320), (320, 640)])
def test_picture_of_another_size(picture_root, size):
    Image.new("RGB", size).save(picture_root / SUBSET / "train.webp")
    assert_refused(picture_root, "train.webp", f"{size[0]} x {size[1]} pixels", dataset=SUBSET)


@pytest.mark.parametrize(("dataset", "split"), [("cifar10", "train"), ("mnist", "t10k"), ("../mnist", "train")])
def test_unknown_choices_name_the_known_ones(root, dataset, split):
    with pytest.raises(ConfigError, match=r"use one of (mnist, fashion-mnist, cifar-10|train, test)"):
        load(root, dataset, split)


def test_cluster_labels():
    assert cluster_labels("mnist").tolist() == [1, -1] * 5
    assert cluster_labels("fashion-mnist").tolist() == [-1] * 5 + [1] * 5
    assert cluster_labels("mnist").dtype == float
    vehicles = ["airplane", "automobile", "ship", "truck"]
    names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    for dataset in (SUBSET, "cifar-10-batches-bin"):
        assert cluster_labels(dataset).tolist() == [-1 if name in vehicles else 1 for name in names]
    with pytest.raises(ConfigError, match="image set is 'digits': use one of mnist, fashion-mnist"):
        cluster_labels("digits")


def test_grey_images():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 4, 3, 3), dtype=np.uint8)
    grey = grey_images(pixels)
    red, green, blue = (pixels[2, 1, 2, colour] / 255 for colour in range(3))
    assert grey.shape == (5, 12)
    assert grey[2, 5] == pytest.approx(0.299 * red + 0.587 * green + 0.114 * blue)
    assert grey_images(np.full((2, 4, 3), 255, np.uint8)) == pytest.approx(1)
    assert grey_images(np.full((2, 4, 3, 3), 255, np.uint8)) == pytest.approx(1)


@pytest.mark.parametrize(("dataset", "split"), EMBEDDED_PER_CLASS)
def test_embedded_subsets_have_the_stated_counts(dataset, split):
    count = EMBEDDED_PER_CLASS[dataset, split]
    images, labels = load(RESOURCES, dataset, split)
    assert images.shape == (10 * count, 28, 28)
    assert np.bincount(labels).tolist() == [count] * 10
    assert len(np.unique(images, axis=0)) == len(images)


def test_embedded_subsets_are_small_and_have_the_stated_hashes():
    readme = (RESOURCES / "README.md").read_text(encoding="utf-8")
    files = [
        RESOURCES / dataset / name for dataset, split in EMBEDDED_PER_CLASS for name in image_files(dataset, split)
    ]
    assert sum(path.stat().st_size for path in files) < 1.3e6
    for path in files:
        assert hashlib.sha256(path.read_bytes()).hexdigest() in readme


@pytest.mark.slow
def test_embedding_keeps_the_first_of_each_class(tmp_path):
    script = runpy.run_path(str(PROJECT / "workflow" / "scripts" / "embed_images.py"))
    chosen = script["first_of_each_class"](np.array([3, *range(10), *range(9, -1, -1), 3]), 2)
    assert chosen.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20]
    script["embed"](RESOURCES, tmp_path)  # a subset of itself
    for dataset in ("mnist", "fashion-mnist"):
        for split in ("train", "test"):
            for again, committed in zip(load(tmp_path, dataset, split), load(RESOURCES, dataset, split), strict=True):
                np.testing.assert_array_equal(again, committed)


@pytest.mark.parametrize(("split", "count"), [("train", 100), ("test", 20)])
def test_embedded_colour_subset(split, count):
    images, labels = load(RESOURCES, SUBSET, split)
    assert images.shape == (10 * count, 32, 32, 3)
    assert np.bincount(labels).tolist() == [count] * 10
    assert len(np.unique(images, axis=0)) == len(images)
    path = RESOURCES / SUBSET / f"{split}.webp"
    assert hashlib.sha256(path.read_bytes()).hexdigest() in (RESOURCES / "README.md").read_text(encoding="utf-8")
    assert path.stat().st_size < 1.7e6


@pytest.mark.slow
def test_embedding_colour_loses_nothing(tmp_path, whole_colour_root):
    script = runpy.run_path(str(PROJECT / "workflow" / "scripts" / "embed_images.py"))
    script["embed_colour"](whole_colour_root, tmp_path)
    images, labels = load(tmp_path, SUBSET, "train")
    everything, classes = load(whole_colour_root, COLOUR, "train")
    for label in range(10):
        np.testing.assert_array_equal(images[labels == label], everything[classes == label][:100])


def test_import_is_light():
    code = "import sys, twolayer.model.data.images; print({'torch', 'scipy', 'xarray', 'PIL'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"

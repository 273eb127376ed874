"""Data from elsewhere: only regular files of documented formats, which take their numbers from nowhere else."""

import gzip
import io
import json
import os
import shutil
import struct
import sys
import time
import tracemalloc
import warnings
import zipfile
import zlib

import h5py
import numpy as np
import pandas as pd
import pytest
from forged import (
    MIXTURE,
    VICTIM,
    altered,
    assert_sentence,
    forge,
    with_attribute,
    with_long_note,
    with_packed_texts,
)
from PIL import Image
from safetensors.numpy import save
from small_project import ROOT

from twolayer import io as results
from twolayer.errors import DataError, ResultError, TwolayerError
from twolayer.experiments.generators.parameters import TrainedGenerator
from twolayer.model.data import images
from twolayer.model.data.data_files import sample_blocks
from twolayer.model.data.foreign_files import hdf5_array, hdf5_heaps
from twolayer.model.data.sample_layout import Layout
from twolayer.parameters import to_json
from twolayer.storage import lzf
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.files import TooLarge, limited_to
from twolayer.storage.stored_trainings import stored_training

FEATURES, LABELS = np.arange(24.0).reshape(8, 3), np.arange(8) % 2
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nshowpage\n%%EOF\n"


def read(path):
    return list(sample_blocks(path, Layout()))


def refuse(path, error=DataError, match=None):
    with pytest.raises(error, match=match) as caught:
        read(path)
    assert_sentence(caught.value)
    assert VICTIM.decode() not in str(caught.value)


def hdf5(path, features, labels=LABELS):
    with h5py.File(path, "w") as file:
        features(file)
        file["labels"] = labels


def test_no_bytes_of_other_files(tmp_path, victim):
    def virtual(file):
        layout = h5py.VirtualLayout((8, 3), "f8")
        layout[:] = h5py.VirtualSource(str(victim), "x", (8, 3))
        file.create_virtual_dataset("features", layout)

    ways = [
        lambda file: file.create_dataset("features", (8, 3), "u1", external=[(str(victim), 0, 24)]),
        virtual,
        lambda file: file.__setitem__("features", h5py.ExternalLink(str(victim), "/x")),
        lambda file: file.__setitem__("features", h5py.SoftLink("/labels")),
        lambda file: file.create_dataset("features", (8, 3), "f8"),  # announced, not stored
        lambda file: file.create_dataset("features", (8, 3), "f8", chunks=(4, 3)),
        lambda file: file.create_dataset("features", data=np.zeros((8, 3), [("a", "f8")])),
        lambda file: file.create_group("features"),
    ]
    for features in ways:
        hdf5(tmp_path / "a.h5", features)
        refuse(tmp_path / "a.h5")


def test_external_storage_that_is_a_fifo_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    hdf5(tmp_path / "a.h5", lambda file: file.create_dataset("features", (8, 3), "u1", external=[("fifo", 0, 24)]))
    refuse(tmp_path / "a.h5")


def test_an_honest_file_is_read(tmp_path):
    hdf5(tmp_path / "a.h5", lambda file: file.create_dataset("features", data=FEATURES, chunks=(4, 3), compression=9))
    ((features, labels),) = read(tmp_path / "a.h5")
    np.testing.assert_array_equal(features, FEATURES)
    np.testing.assert_array_equal(labels, LABELS)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.csv", "a.h5", "a.nc"])
@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_only_regular_files(tmp_path, name, kind):
    os.mkfifo(tmp_path / name) if kind == "fifo" else (tmp_path / name).symlink_to("/dev/zero")
    refuse(tmp_path / name)


def test_labels_in_a_fifo(tmp_path):
    np.save(tmp_path / "a.npy", FEATURES)
    os.mkfifo(tmp_path / "b.npy")
    with pytest.raises(DataError) as caught:
        list(sample_blocks(tmp_path / "a.npy", Layout(labels="b.npy")))
    assert_sentence(caught.value)


@pytest.mark.parametrize("field", [b"1" * 50_000 + b"x", b"1" * 100_000, b"1," + b"1" * 50_000 + b"x"])
def test_long_fields_take_no_longer_than_short_ones(tmp_path, field):
    for delimiter in (b",", b";"):
        (tmp_path / "a.csv").write_bytes(b"a" + delimiter + b"b\n" + (field + delimiter + b"2\n") * 3)
        start = time.process_time()
        try:
            read(tmp_path / "a.csv")
        except DataError as error:
            assert_sentence(error)
        assert time.process_time() - start < 2


def test_tables_of_many_columns(tmp_path):
    """A line is longer than the largest field that Python's csv allows."""
    (tmp_path / "a.csv").write_bytes(table_of(2000, b"x" * 80 + b"%d"))
    ((features, labels),) = read(tmp_path / "a.csv")
    assert features.shape == (2, 1999)
    np.testing.assert_array_equal(features[:, -1], 1998)
    assert list(labels) == ["1999"] * 2


@pytest.mark.parametrize("names", [b"column%d", b"c"])
def test_tables_of_too_many_columns(tmp_path, names):
    (tmp_path / "a.csv").write_bytes(table_of(10**5 if names == b"column%d" else 40_000, names))
    start = time.process_time()
    refuse(tmp_path / "a.csv", match="has 100,000 columns|has two columns 'c'")
    assert time.process_time() - start < 5


def table_of(columns, name=b"column%d"):
    names = (name % number if b"%" in name else name for number in range(columns))
    return b",".join(names) + b"\n" + (b",".join(b"%d" % number for number in range(columns)) + b"\n") * 2


def test_lines_that_fill_the_memory(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"1" * 20_000_000))
    refuse(tmp_path / "a.csv.gz", match="has a line of more than")


def test_a_long_label_does_not_take_its_place_in_each_sample(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\n" + b"1,x\n" * 4000 + b"1," + b"y" * 100_000 + b"\n")
    refuse(tmp_path / "a.csv", match="sample 4000 has a label of more than 10,000 characters")


@pytest.mark.parametrize("label", ["\x1b[31mx", "\u202ex", "x\ny", "x\u200f", "\x07"])
def test_labels_have_no_invisible_characters(tmp_path, label):
    """They become names of classes, in consoles, figures and pages."""
    labels = np.array([label, "b"] * 4)
    (tmp_path / "a.csv").write_text(f'a,b\n1,"{label}"\n2,b\n', newline="")
    np.savez(tmp_path / "a.npz", features=FEATURES, labels=labels)
    hdf5(tmp_path / "a.h5", lambda file: file.create_dataset("features", data=FEATURES), labels.tolist())
    for name in ("a.csv", "a.npz", "a.h5"):
        refuse(tmp_path / name, match="has the label .* with an invisible character: remove it")


@pytest.mark.parametrize(
    "content",
    [
        b"xxxx",
        gzip.compress(b"1,2\n", mtime=0)[:-1],
        gzip.compress(b"1,2\n", mtime=0).replace(b"\x08\x00", b"\x09\x00", 1),
    ],
)
def test_a_gzip_file_with_something_else_behind_it(tmp_path, content):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n") + content)
    refuse(tmp_path / "a.csv.gz", match="is not a valid gzip file")


def test_no_more_of_a_hdf5_file_is_looked_at_than_named(tmp_path):
    def chain(file):
        group = file
        for _ in range(1000):
            group = group.create_group("g")

    def crowd(file):
        for number in range(3000):
            file.create_group(f"g{number}")

    def circle(file):
        file.create_group("g")["back"] = file["/"]

    for change in (chain, crowd, circle):
        hdf5(
            tmp_path / "a.h5",
            lambda file, change=change: (file.create_dataset("features", data=FEATURES), change(file)),
        )
        start = time.process_time()
        assert len(read(tmp_path / "a.h5")) == 1
        with pytest.raises(DataError, match="has no array 'x': set features to one of") as caught:
            list(sample_blocks(tmp_path / "a.h5", Layout(features="x")))
        assert_sentence(caught.value)
        assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "packing",
    [
        {},
        {"compression": "gzip"},
        {"compression": "lzf"},
        {"shuffle": True},
        {"fletcher32": True},
        {"compression": "gzip", "shuffle": True, "fletcher32": True},
        {"compression": "lzf", "shuffle": True, "fletcher32": True},
    ],
)
def test_chunks_have_the_size_that_hdf5_reads(tmp_path, packing):
    """Otherwise HDF5 reads beyond the end of its memory, and the process may crash."""
    numbers = np.random.default_rng(0).standard_normal((8, 3))
    for values in (numbers, FEATURES):  # random numbers do not become smaller
        hdf5(tmp_path / "a.h5", lambda f, v=values: f.create_dataset("features", data=v, chunks=(4, 2), **packing))
        ((features, _),) = read(tmp_path / "a.h5")
        np.testing.assert_array_equal(features, values)

    def short(file):
        made = file.create_dataset("features", (8, 100_000), "f8", chunks=(8, 100_000), **packing)
        content = zlib.compress(b"a") if packing.get("compression") == "gzip" else b"abcdefgh"
        made.id.write_direct_chunk((0, 0), content, 0b111 if packing.get("compression") == "lzf" else 0)

    hdf5(tmp_path / "a.h5", short)
    refuse(tmp_path / "a.h5", match="chunks that do not have their size when they are unpacked")


def test_long_texts_of_one_length_are_not_unpacked(tmp_path):
    def labels(file):
        file.create_dataset("labels", (8,), "S60000000", chunks=(1,), compression=9)
        for number in range(8):
            file["labels"].id.write_direct_chunk((number,), zlib.compress(b"a"))  # stored, and no such text

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["features"] = FEATURES
        labels(file)
    refuse(tmp_path / "a.h5", match="has a text of more than")


def test_packed_texts_are_as_long_as_their_stored_parts(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["features"] = FEATURES
        with_packed_texts(file, "labels", 8)
    refuse(tmp_path / "a.h5", match="it has a text that is longer than its stored part")


@pytest.mark.parametrize("form", [{}, {"libver": "latest"}, {"userblock_size": 512}], ids=["old", "latest", "block"])
@pytest.mark.parametrize(
    "packing",
    [
        {},
        {"chunks": (3,)},
        {"chunks": (8,), "compression": 9, "shuffle": True},
        {"chunks": (8,), "compression": "lzf", "shuffle": True},
    ],
)
def test_honest_texts_are_read(tmp_path, form, packing):
    """In all forms in which HDF5 stores their lengths, also after a change."""
    texts = ["", "class b", "c" * 5000, "é"] * 2
    with h5py.File(tmp_path / "a.h5", "w", **form) as file:
        file.create_dataset("features", data=FEATURES.astype("i2")).attrs["_Unsigned"] = "false"
        file.create_dataset("labels", (8,), h5py.string_dtype(), **packing)[:] = texts
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["labels"][0] = "a"
        file["features"].attrs["_Unsigned"] = "true"
    ((features, labels),) = read(tmp_path / "a.h5")
    np.testing.assert_array_equal(features, FEATURES)
    assert labels.tolist() == ["a", *texts[1:]]


@pytest.mark.parametrize("size", [4, 100, 136, 264, 1000, 20_000])
def test_what_lzf_has_packed(tmp_path, size):
    rng = np.random.default_rng(0)
    for values in (np.arange(size), np.arange(size) // 40, np.zeros(size), rng.integers(0, 3, size)):
        values = values.astype("u1")
        with h5py.File(tmp_path / "a.h5", "w") as file:
            made = file.create_dataset("a", data=values, chunks=(size,), compression="lzf")
            mask, content = made.id.read_direct_chunk((0,))
        if mask:  # it does not become smaller
            continue
        assert lzf.unpack(content, size) == values.tobytes()
        for damaged in (content[:-1], content + b"\0", b"\xe0\0" + content):
            with pytest.raises(ValueError, match="packed by LZF"):
                lzf.unpack(damaged, size)


def test_texts_that_lzf_unpacks_to_another_size(tmp_path):
    def labels(file):
        made = file.create_dataset("labels", (8,), h5py.string_dtype(), chunks=(8,), compression="lzf")
        made.id.write_direct_chunk((0,), b"\0a")

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["features"] = FEATURES
        labels(file)
    refuse(tmp_path / "a.h5", match="chunks that do not have their size when they are unpacked")


def test_attributes_are_as_long_as_their_stored_parts(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["labels"] = LABELS
        new = h5py.h5d.create(file.id, b"features", h5py.h5t.STD_I16LE, h5py.h5s.create_simple((8, 3)))
        h5py.Dataset(new)[:] = FEATURES
        h5py.Dataset(new).attrs["_Unsigned"] = "y" * 33
    content = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(with_long_note(content, name=b"_Unsigned"))
    refuse(tmp_path / "a.h5", match="it has a text that is longer than its stored part")


@pytest.mark.parametrize("name", ["scale_factor", "add_offset"])
@pytest.mark.parametrize("value", [1j, np.inf, np.nan, "a", np.zeros(0), np.zeros(2, [("a", "f8")])])
def test_packed_numbers_are_unpacked_by_numbers(tmp_path, name, value):
    def features(file):
        file.create_dataset("features", data=FEATURES).attrs[name] = value

    hdf5(tmp_path / "a.h5", features)
    with warnings.catch_warnings(action="error"):
        refuse(tmp_path / "a.h5")


def test_large_chunks_are_unpacked_once(tmp_path):
    hdf5(tmp_path / "a.h5", lambda file: file.create_dataset("features", data=FEATURES, chunks=(8, 2), compression=1))
    with h5py.File(tmp_path / "a.h5") as file:
        heaps = hdf5_heaps(tmp_path / "a.h5")
        kept = [hdf5_array(file, "features", tmp_path / "a.h5", rows, heaps) for rows in (4, 8)]
        assert kept[0].id.get_access_plist().get_chunk_cache()[1] == 2 * 8 * 2 * 8


def test_variables_at_the_same_place_of_a_classic_file(tmp_path):
    """Each of them would be read, if all were."""

    def text(name):
        return struct.pack(">I", len(name)) + name + bytes(-len(name) % 4)

    def start(begin):
        variables = [(b"features", 6, (0, 1)), (b"labels", 4, (0,))]
        variables += [(b"more%d" % number, 6, (0, 1)) for number in range(200)]
        parts = [b"CDF\1", struct.pack(">3I", 0, 10, 2), text(b"n"), struct.pack(">I", 8), text(b"m")]
        parts += [struct.pack(">5I", 40_000, 0, 0, 11, len(variables))]
        for name, kind, sizes in variables:
            parts += [text(name), struct.pack(f">{1 + len(sizes)}I", len(sizes), *sizes)]
            parts += [struct.pack(">5I", 0, 0, kind, 8 * 40_000 * 8, begin)]
        return b"".join(parts)

    (tmp_path / "a.nc").write_bytes(start(len(start(0))) + bytes(8 * 40_000 * 8))
    tracemalloc.start()
    try:
        ((features, _),) = read(tmp_path / "a.nc")
        assert features.shape == (8, 40_000)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def header(shape):
    """Return a npy file whose header states this shape, without data."""
    written = io.BytesIO()
    np.lib.format.write_array_header_1_0(written, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return written.getvalue()


@pytest.mark.parametrize("shape", [(10**9, 10), (2**62, 2**62), (2**62, 4), (-1, 3), ()])
def test_arrays_that_are_not_there(tmp_path, shape):
    (tmp_path / "a.npy").write_bytes(header(shape))
    refuse(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("features.npy", header(shape))
        file.writestr("labels.npy", header((8,)) + LABELS.tobytes())
    refuse(tmp_path / "a.npz")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["features", "features.npy"])
def test_two_arrays_of_the_same_name(tmp_path, second):
    """A reader that takes the first and a reader that takes the last would give different numbers."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        for name in ("features.npy", second, "labels.npy"):
            file.writestr(name, header((8,)) + LABELS.tobytes())
    refuse(tmp_path / "a.npz", match="two arrays have the same name")


def test_bombs(tmp_path):
    """A few kilobytes that unpack to more than the limit."""
    zeros = bytes(20_000_000)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("features.npy", header((2_500_000, 1)) + zeros)
        file.writestr("labels.npy", header((8,)) + LABELS.tobytes())
    shutil.copytree(ROOT / "workflow/resources/mnist", tmp_path / "mnist")
    (tmp_path / "mnist" / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(zeros))
    hdf5(tmp_path / "a.h5", lambda f: f.create_dataset("features", data=np.zeros((8, 300_000)), compression=9))
    with limited_to(0.01):
        refuse(tmp_path / "a.npz", TooLarge)
        refuse(tmp_path / "a.h5", TooLarge)
        with pytest.raises(TooLarge):
            images.load(tmp_path, "mnist", "test")


def picture(folder, content, name="x.png"):
    for kind in ("a", "b"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / name).write_bytes(content)


@pytest.mark.parametrize("name", ["x.png", "x.jpg", "x.tif", "x.gif"])
def test_no_program_draws_a_picture(tmp_path, monkeypatch, name):
    """By its content, an EPS named .png would start Ghostscript."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gs").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "bin" / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    picture(tmp_path / "pictures", EPS, name)
    refuse(tmp_path / "pictures", match="is not a valid picture")
    assert not (tmp_path / "ran").exists()


def png(width, height):
    """The beginning of a picture of that size."""
    chunks = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0), b"IDAT" + zlib.compress(bytes(100))
    framed = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


@pytest.mark.parametrize(
    "size", [(30_000, 30_000), (10_000, 10_000), (2**31 - 1, 2**31 - 1), (1, 70_000_000), (70_000, 1)]
)
def test_pictures_of_too_many_pixels(tmp_path, size):
    picture(tmp_path / "pictures", png(*size))
    refuse(tmp_path / "pictures", match="is not a valid picture .*pixels")


def test_pictures_of_many_pages_are_not_counted(tmp_path):
    """The time to count them grows with the square of their number."""
    (tmp_path / "pictures" / "a").mkdir(parents=True)
    tags = struct.pack("<H", 9)
    for tag, value in zip((256, 257, 258, 259, 262, 273, 277, 278, 279), (1, 1, 8, 1, 1, 0, 1, 1, 1), strict=True):
        tags += struct.pack("<HHII", tag, 4, 1, value)
    size = len(tags) + 4
    pages = b"".join(tags + struct.pack("<I", 8 + size * (page + 1)) for page in range(100_000))
    (tmp_path / "pictures" / "a" / "x.tif").write_bytes(b"II*\0" + struct.pack("<I", 8) + pages)
    start = time.process_time()
    with pytest.raises(DataError, match=r"x.tif has several pictures in one file: save one"):
        read(tmp_path / "pictures")
    assert time.process_time() - start < 5


def test_a_picture_is_a_file(tmp_path):
    picture(tmp_path / "pictures", b"")
    (tmp_path / "pictures" / "a" / "x.png").unlink()
    os.mkfifo(tmp_path / "pictures" / "a" / "x.png")
    refuse(tmp_path / "pictures")


def test_the_embedded_picture_is_webp(tmp_path):
    (tmp_path / "cifar-10-subset").mkdir()
    (tmp_path / "cifar-10-subset" / "test.webp").write_bytes(EPS)
    with pytest.raises(DataError, match="is not a valid picture"):
        images.load(tmp_path, "cifar-10-subset", "test")


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_image_sets_checkpoints_and_tables_are_files(tmp_path, kind):
    def lay(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero")

    lay(tmp_path / "mnist" / "t10k-images-idx3-ubyte.gz")
    lay(tmp_path / "a.checkpoint.safetensors")
    lay(tmp_path / "table.csv")
    lay(tmp_path / "a.npy")
    for reader in (
        lambda: images.load(tmp_path, "mnist", "test"),
        Checkpoint(tmp_path / "a.nc", "origin").read,
        lambda: results.read_reference(tmp_path / "table.csv", ["a"]),
        lambda: results.read_array(tmp_path / "a.npy"),
    ):
        with pytest.raises(TwolayerError) as caught:
            reader()
        assert_sentence(caught.value)


def formats(folder):
    """A file of each format."""
    np.save(folder / "a.npy", np.column_stack([FEATURES, LABELS]))
    np.savez_compressed(folder / "a.npz", features=FEATURES, labels=LABELS)
    hdf5(folder / "a.h5", lambda file: file.create_dataset("features", data=FEATURES, chunks=(4, 3), compression=9))
    hdf5(folder / "a.nc", lambda file: file.create_dataset("features", data=FEATURES), ["a", "b"] * 4)
    pd.DataFrame(np.column_stack([FEATURES, LABELS])).to_csv(folder / "a.csv", index=False)
    return [folder / name for name in ("a.npy", "a.npz", "a.h5", "a.nc", "a.csv")]


def test_altered_data_files(tmp_path, request):
    """Each is refused in one sentence, or read as samples."""
    rng, paths = np.random.default_rng(2), formats(tmp_path)
    contents = {path: path.read_bytes() for path in paths}
    for number in range(request.config.getoption("altered")):
        path = paths[number % len(paths)]
        path.write_bytes(altered(contents[path], rng))
        try:
            for features, labels in read(path):
                assert len(features) == len(labels)
        except DataError as error:
            assert_sentence(error)


def test_altered_pictures(tmp_path, request):
    written = io.BytesIO()
    Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16)).save(written, "png")
    rng = np.random.default_rng(3)
    for _ in range(request.config.getoption("altered")):
        picture(tmp_path / "pictures", altered(written.getvalue(), rng))
        try:
            read(tmp_path / "pictures")
        except DataError as error:
            assert_sentence(error)


def test_altered_results(root, request):
    """With a digest that fits: the bytes of the file, and single attributes."""
    rng, path = np.random.default_rng(4), root / MIXTURE
    original = path.read_bytes()
    content = results.without_checksum(original, "it", "")
    values = ["", "a" * 2000, "<b>", "$x$", "\x1b[1m", 1e300, -1, np.nan, [1, 2], "--output=x", "../../x", b"\xff"]
    names = [
        "git_commit",
        "created",
        "machine",
        "python",
        "params",
        "wall_time_s",
        "kind",
        "distribution",
        "twolayer_task",
        "new",
    ]
    for number in range(request.config.getoption("altered")):
        if number % 2:
            results.write_with_checksum(altered(content, rng), path)
        else:
            path.write_bytes(original)
            forge(path, with_attribute(names[rng.integers(len(names))], values[rng.integers(len(values))]))
        try:
            results.read(path)
        except ResultError as error:
            assert_sentence(error)


@pytest.mark.parametrize(
    ("types", "texts", "attributes", "message"),
    [
        ({"w": "V1000000000"}, {}, {}, "V1000000000 is not a type of numbers"),
        ({"w": "U100000000"}, {}, {}, "U100000000 is not a type of numbers"),
        ({"w": "O"}, {}, {}, "O is not a type of numbers"),
        ({"w": "f8"}, {"b": "\x1b[31m"}, {}, "has the text "),
        ({"w": "f8"}, {}, {"kind": "\x1b[31m"}, "has the attribute kind"),
        ({"w": "f8"}, {}, {"mine": "a"}, "has the unknown attribute 'mine'"),
    ],
)
def test_stored_trainings_have_numbers_and_lines(tmp_path, types, texts, attributes, message):
    """The type in the file may state more memory than the numbers take."""
    config = TrainedGenerator(stored=str(tmp_path / "a.safetensors"))
    about = {"dimensions": {"w": ["a"]}, "types": types, "texts": texts, "coordinates": [], "attributes": attributes}
    stated = {"params": to_json(config), **{name: json.dumps(value) for name, value in about.items()}}
    results.write_with_checksum(save({"w": np.zeros(3, "f2")}, metadata=stated), tmp_path / "a.safetensors")
    with pytest.raises(ResultError, match=message) as caught:
        stored_training(config)
    assert_sentence(caught.value)


def test_memory_stays_bounded(tmp_path):
    """After all of the above: the peak of this process is far from the limit."""
    resource = pytest.importorskip("resource")
    assert sys.platform != "linux" or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4e6

"""A result is data: nothing of it is executed, no other file is read, and what is wrong ends in one sentence."""

import json
import os
import time

import h5py
import numpy as np
import pytest
import xarray as xr
from forged import (
    GENERATOR,
    MIXTURE,
    VICTIM,
    assert_sentence,
    catalogue_of,
    forge,
    with_attribute,
    with_long_note,
    with_note,
    with_packed_texts,
)
from small_project import ROOT

from twolayer import io
from twolayer.errors import ResultError, TwolayerError
from twolayer.pipeline.jobs import timings
from twolayer.pipeline.report import gallery
from twolayer.results.generator import latent_generator
from twolayer.storage.checksums import without_checksum
from twolayer.storage.files import TooLarge
from twolayer.storage.origin import git_commit, provenance

TASK = "twolayer_task"
ATTRIBUTES = [
    ("git_commit", "--output=/tmp/x"),
    ("git_commit", "0123456789ab; touch x"),
    ("git_commit", "v1.0"),
    ("git_commit", "HEAD"),
    ("git_commit", "0123456789ab\n"),
    ("git_commit", 5),
    ("git_commit", np.array(["a", "b"], dtype="S1")),
    ("git_commit", None),
    ("created", "yesterday"),
    ("created", 2026.0),
    ("created", None),
    ("wall_time_s", 1e15),
    ("wall_time_s", -1.0),
    ("wall_time_s", np.nan),
    ("wall_time_s", np.inf),
    ("wall_time_s", "1"),
    ("wall_time_s", [1.0, 2.0]),
    ("wall_time_s", None),
    ("cpu_time_s", "a"),
    ("peak_memory_mb", 1e12),
    ("peak_memory_mb", "a"),
    ("python", 3),
    ("python", None),
    ("machine", "<script>alert(1)</script>"),
    ("machine", [1, 2]),
    ("machine", None),
    ("version_numpy", "1 | 2"),
    ("twolayer_version", "../x"),
    (TASK, [1, 2, 3]),
    (TASK, "os:system"),
    (TASK, None),
    ("params", "[" * 100_000),
    ("params", "[]"),
    ("params", "nan"),
    ("params", [1]),
    ("kind", "a\nb"),
    ("kind", "\x1b[31m"),
    ("distribution", "a\u202eb"),
    ("distribution", "a\u200fb"),  # changes the direction of text
    ("distribution", "a\u061cb"),
    ("kind", "a\u200bb"),  # cannot be seen
    ("kind", "\ufeffa"),
    ("remark", "a\U000e0041"),
    ("result_format", np.zeros(1, [("a", "f8")])),
    ("result_format", np.zeros((2, 2))),
    ("result_format", np.void(b"2")),
    ("result_format", 2),
    ("sizes", "[]"),
    ("unknown", "a"),
]


@pytest.mark.parametrize(("name", "value"), ATTRIBUTES, ids=lambda value: str(value)[:30])
def test_attributes_have_a_type_a_length_and_a_pattern(root, name, value):
    forge(root / MIXTURE, with_attribute(name, value))
    with pytest.raises(ResultError) as caught:
        io.read(root / MIXTURE)
    assert_sentence(caught.value)


@pytest.mark.parametrize("value", ["a\nb", "x" * 6000, [1, 2], np.nan, "a\u200fb", np.zeros(1, [("a", "f8")])])
def test_attributes_of_variables_are_lines_of_text(root, value):
    forge(root / MIXTURE, lambda file: file["means"].attrs.__setitem__("long_name", value))
    with pytest.raises(ResultError, match="has the attribute 'long_name'"):
        io.read(root / MIXTURE)


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\u202eb", "a\nb", "a\u200bb", "x" * 6000])
def test_texts_are_lines(root, text):
    """They become legends, tables and lines in a terminal."""

    def change(file):
        file["names"] = np.array([text.encode(), b"b"], h5py.string_dtype())
        file["names"].make_scale("names")

    forge(root / MIXTURE, change)
    with pytest.raises(ResultError, match=r"has the text '.*' in 'names', which is not a line of text") as caught:
        io.read(root / MIXTURE)
    assert_sentence(caught.value)
    with pytest.raises(ResultError, match=r"nothing was written .* which is not a line of text"):
        io.write(xr.Dataset({"a": text}, attrs={TASK: "moments", "params": "{}", "wall_time_s": 0.0}), root / "a.nc")


def test_what_is_written_can_be_read(root):
    result = io.read(root / MIXTURE)
    with pytest.raises(ResultError, match=r"nothing was written .* has the unknown attribute 'remarks'"):
        io.write(result.assign_attrs(remarks="mine"), root / "a.nc")
    assert not (root / "a.nc").exists()
    io.write(result, root / "a.nc")
    xr.testing.assert_identical(io.read(root / "a.nc").assign_attrs(result.attrs), result)


def test_git_gets_no_option(root, monkeypatch, tmp_path):
    """What it got once wrote over a file of the user's."""
    calls = []
    monkeypatch.setattr(gallery.subprocess, "run", lambda *arguments, **_: calls.append(arguments))
    for commit in ("--output=/tmp/x", "HEAD", "0123456789ab:../x", "a b", "0123456789AB"):
        assert gallery.text_at(root / "Snakefile", commit) is None
    assert not calls


def test_a_commit_is_a_hash_or_unknown():
    commit = git_commit()
    assert commit == "unknown" or set(commit.removesuffix("-dirty")) <= set("0123456789abcdef")


def test_a_result_names_no_user_machine_or_folder(monkeypatch):
    """People pass results on."""
    for name in ("USER", "LOGNAME", "HOSTNAME", "HOME"):
        monkeypatch.setenv(name, "confidential")
    monkeypatch.setattr("socket.gethostname", lambda: "confidential")
    monkeypatch.setattr("platform.node", lambda: "confidential")
    found = str(provenance())
    assert "confidential" not in found
    assert str(ROOT) not in found


def test_numbers_come_from_the_file_itself(root, victim):
    """Not from external storage, virtual datasets and links, which read any file of the user's."""

    def external(file):
        del file["means"]
        file.create_dataset("means", (4,), "f8", external=[(str(victim), 0, 32)])

    def virtual(file):
        del file["means"]
        layout = h5py.VirtualLayout((4,), "f8")
        layout[:] = h5py.VirtualSource(str(victim), "x", (4,))
        file.create_virtual_dataset("means", layout)

    def external_link(file):
        file["more"] = h5py.ExternalLink(str(victim), "/x")

    def soft_link(file):
        file["more"] = h5py.SoftLink("/means")

    def group(file):
        file.create_group("more")["x"] = 1.0

    def named_type(file):
        file["more"] = np.dtype("f8")

    def records(file):
        file["more"] = np.zeros(2, [("a", "f8")])

    def references(file):
        file["more"] = np.array([file["means"].ref], h5py.ref_dtype)

    def name(file):
        file["<b>"] = 1.0

    content = (root / MIXTURE).read_bytes()
    for change in (external, virtual, external_link, soft_link, group, named_type, records, references, name):
        (root / MIXTURE).write_bytes(content)
        forge(root / MIXTURE, change)
        with pytest.raises(ResultError) as caught:
            io.read(root / MIXTURE)
        assert_sentence(caught.value)
        assert VICTIM.decode() not in str(caught.value)


def replaced(name, **options):
    def change(file):
        file.pop(name)
        file.create_dataset(name, **options)

    return change


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (replaced("variance", shape=(10**9,), dtype="f8"), ResultError),
        (replaced("variance", shape=(10**7,), dtype="f8"), ResultError),  # not stored
        (replaced("variance", shape=(10**7,), dtype="f8", chunks=(10**6,), compression="gzip"), ResultError),
        (replaced("variance", shape=(2**60,), dtype="f8", chunks=(10**6,)), ResultError),
        (replaced("variance", data=["a" * 20_000, "b"]), ResultError),
    ],
)
def test_no_more_memory_than_the_file_has(root, change, error):
    forge(root / MIXTURE, change)
    with pytest.raises(error) as caught:
        io.read(root / MIXTURE)
    assert_sentence(caught.value)


@pytest.mark.parametrize("address", [None, 0x60, 2**40])
@pytest.mark.parametrize("before", [b"", bytes(512)], ids=["first", "behind other bytes"])
def test_no_more_memory_for_a_text_than_its_stored_part(root, address, before):
    """HDF5 reserves as much as the reference to a text states, wherever it refers to."""
    forge(root / MIXTURE, with_note)
    content = before + without_checksum((root / MIXTURE).read_bytes(), "it", "")
    io.write_with_checksum(with_long_note(content, address), root / MIXTURE)
    with pytest.raises(ResultError, match="it has a text that is longer than its stored part") as caught:
        io.read(root / MIXTURE)
    assert_sentence(caught.value)


def test_no_more_memory_for_packed_texts_than_their_stored_parts(root):
    forge(root / MIXTURE, lambda file: with_packed_texts(file, "names", 4))
    forge(root / MIXTURE, lambda file: file["names"].make_scale("names"))
    with pytest.raises(ResultError, match="it has a text that is longer than its stored part"):
        io.read(root / MIXTURE)


def test_attributes_have_no_lists_of_numbers(root):
    """An item of a list may be as large as its type states."""

    def lists(file):
        values = np.empty(1, object)
        values[0] = np.ones(3)
        file["means"].attrs.create("note", values, (1,), h5py.vlen_dtype(float))

    forge(root / MIXTURE, lists)
    with pytest.raises(ResultError, match="its attribute 'note' is neither numbers nor texts"):
        io.read(root / MIXTURE)


def test_many_heaps_take_no_time(root):
    """Each beginning of a heap was searched for in the file, and each heap was read to the end of the file."""
    heap = b"GCOL\1\0\0\0" + (2**40).to_bytes(8, "little")
    content = without_checksum((root / MIXTURE).read_bytes(), "it", "")
    io.write_with_checksum(content + heap * 50_000, root / MIXTURE)
    start = time.process_time()
    io.read(root / MIXTURE)
    assert time.process_time() - start < 1


def test_the_limit_is_an_argument_and_a_variable(root, monkeypatch):
    forge(root / MIXTURE, replaced("variance", data=np.zeros(1000)))
    forge(root / MIXTURE, lambda file: file["variance"].make_scale("variance"))
    with pytest.raises(TooLarge, match="the limit is 1e-06 GB: set largest_gb to"):
        io.read(root / MIXTURE, largest_gb=1e-6)
    monkeypatch.setenv("TWOLAYER_LARGEST_GB", "1e-6")
    with pytest.raises(TooLarge):
        io.read(root / MIXTURE)
    io.read(root / MIXTURE, largest_gb=1)
    for wrong in ("a", -1, 0, float("nan"), True):
        with pytest.raises(TwolayerError, match="must be a positive number of gigabytes"):
            io.read(root / MIXTURE, largest_gb=wrong)


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_only_regular_files(root, kind):
    path = root / MIXTURE
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(ResultError) as caught:
        io.read(path)
    assert_sentence(caught.value)


def named(root, sizes, params, architecture="NamedGenerator"):
    """A result of a generator with these sizes and parameters."""
    forge(root / GENERATOR, with_attribute("sizes", json.dumps(sizes)))
    forge(root / GENERATOR, with_attribute("params", json.dumps(params)))
    forge(root / GENERATOR, with_attribute("architecture", architecture))
    return io.read(root / GENERATOR)


@pytest.mark.parametrize(
    ("sizes", "params", "architecture"),
    [
        (
            {"module": "tempfile:mkdtemp", "latent_size": 4},
            {"module": "mine:network", "latent_size": 4},
            "NamedGenerator",
        ),
        ({"module": "tempfile:mkdtemp", "latent_size": 4}, {"latent_size": 4}, "NamedGenerator"),
        ({"module": "tempfile:mkdtemp"}, {"module": "tempfile:mkdtemp"}, "SignNetwork"),
        ({"widths": [4, 7]}, {"widths": [4, 6]}, "SignNetwork"),
        ({"widths": [10**9, 10**9]}, {}, "SignNetwork"),
        ({"widths": "a"}, {}, "SignNetwork"),
        ({"other": 3}, {}, "SignNetwork"),
        ({"widths": [4, 6]}, {}, "tempfile"),
    ],
)
def test_a_generator_is_that_of_its_parameters(root, monkeypatch, sizes, params, architecture):
    monkeypatch.setattr("tempfile.mkdtemp", lambda: pytest.fail("a data file chose what ran"))
    with pytest.raises(ResultError) as caught:
        latent_generator(named(root, sizes, params, architecture))
    assert_sentence(caught.value)


def test_an_honest_generator_is_read(root):
    assert latent_generator(io.read(root / GENERATOR)).sizes == {"widths": [4, 6]}


def test_timings_stay_within_the_schema(root):
    """The largest that a result may state is the largest that the configuration takes."""
    forge(root / MIXTURE, with_attribute("wall_time_s", 6e7))
    forge(root / MIXTURE, with_attribute("peak_memory_mb", 1e7))
    assert timings.write(catalogue_of(root))
    catalogue_of(root)
    forge(root / MIXTURE, with_attribute("wall_time_s", 1e15))


def test_the_checks_cost_no_more_than_a_plain_reader(root):
    """CPU time of 20 readings; the limit is 20 % more than xarray without checks."""

    def seconds(read):
        start = time.process_time()
        for _ in range(20):
            read(root / MIXTURE)
        return time.process_time() - start

    def plain(path):
        return xr.load_dataset(path, engine="h5netcdf", decode_timedelta=False)

    io.read(root / MIXTURE), plain(root / MIXTURE)
    assert seconds(io.read) < 1.2 * seconds(plain)

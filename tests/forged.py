"""A small project, with forged copies of its result."""

import shutil
import time
import zlib

import h5py
import pytest
import yaml
from small_project import ROOT

from twolayer import io
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import Catalogue
from twolayer.storage.checksums import checksum, without_checksum

COSTS = {"minutes": {"paper": 0.1, "quick": 0.1}, "mem_mb": 100}
GEOMETRY = {"means": [[1.0, 0.0], [-1.0, 0.5]], "labels": [1, -1], "weights": [0.5, 0.5]}
STUDY = {
    "runs": {
        "mixture": {"task": "isotropic_mixture", "params": {"geometry": GEOMETRY, "sigma": 0.5}, **COSTS},
        "other": {"task": "isotropic_mixture", "params": {"geometry": GEOMETRY, "sigma": 0.7}, **COSTS},
        "generator": {"task": "sign_generator", "params": {"widths": [4, 6]}, **COSTS},
    },
    "figures": {"fig1": {"paper_figure": "Figure 1", "title": "A small figure", "runs": ["mixture"]}},
}
MIXTURE, OTHER, GENERATOR = (
    f"results/quick/mixtures/{name}.nc"
    for name in ("isotropic_mixture/mixture", "isotropic_mixture/other", "sign_generator/generator")
)
VICTIM = b"what nobody else may read or write"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A project with its results at the quick preset."""
    root = tmp_path_factory.mktemp("project")
    (root / "config").mkdir()
    (root / "Snakefile").touch()
    shutil.copytree(ROOT / "config" / "schemas", root / "config" / "schemas")
    settings = {"data_root": None, "seed": 0, "device": "cpu", "studies": ["mixtures"]}
    (root / "config" / "config.yaml").write_text(yaml.safe_dump(settings))
    (root / "config" / "mixtures.yaml").write_text(yaml.safe_dump(STUDY))
    for run in catalogue_of(root).runs.values():
        if run.preset == "quick":
            start = time.perf_counter()
            result = TASKS[run.task].run(run.parameters)
            io.write(io.made_by(result, run.task, run.params, time.perf_counter() - start), root / run.path)
    return root


@pytest.fixture
def root(made, tmp_path):
    """A copy of it."""
    return shutil.copytree(made, tmp_path / "project")


@pytest.fixture
def victim(tmp_path):
    """A file that is nobody's business."""
    path = tmp_path / "victim"
    path.write_bytes(VICTIM)
    return path


def catalogue_of(root):
    return Catalogue.load(root, environment={})


def forge(path, change):
    """Change a result by a function of its HDF5 file, and give it a digest that fits."""
    path.write_bytes(without_checksum(path.read_bytes(), "result", ""))
    with h5py.File(path, "r+") as file:
        change(file)
    content = path.read_bytes()
    path.write_bytes(content + checksum(content))


def with_attribute(name, value):
    """A change of an attribute of a result; None removes it."""

    def change(file):
        file.attrs.pop(name, None)
        if value is not None:
            file.attrs[name] = value

    return change


LONG = (2**28).to_bytes(4, "little")  # length of a text


def with_note(file):
    """Add a variable with a short text, whose reference no checksum covers."""
    new = h5py.h5d.create(file.id, b"more", h5py.h5t.IEEE_F64LE, h5py.h5s.create(h5py.h5s.SCALAR))
    h5py.Dataset(new)[()] = 1.0
    h5py.Dataset(new).attrs["note"] = "y" * 33


def with_long_note(content, address=None, name=b"note"):
    """State that the text of `with_note`, or of an attribute of that name, is long, and is at this address."""
    length = content.index((33).to_bytes(4, "little"), content.index(name + b"\0"))
    end = length + 12 if address is not None else length + 4
    return content[:length] + LONG + (b"" if address is None else address.to_bytes(8, "little")) + content[end:]


def with_packed_texts(file, name, count):
    """Add a packed list of texts, of which the first states that it is long."""
    texts = file.create_dataset(name, (count,), h5py.string_dtype(), chunks=(count,), compression=9)
    texts[:] = ["a", "b"] * (count // 2)
    file.flush()
    texts.id.refresh()
    _, content = texts.id.read_direct_chunk((0,))
    texts.id.write_direct_chunk((0,), zlib.compress(LONG + zlib.decompress(content)[4:]))


def altered(content, rng):
    """A content with one to three places changed."""
    content = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at, way = int(rng.integers(len(content))), int(rng.integers(4))
        if way == 0:
            content[at] ^= 1 << int(rng.integers(8))
        elif way == 1:
            content[at : at + 8] = rng.bytes(8)
        elif way == 2:
            content[at : at + 4] = b"\xff" * 4
        else:
            del content[at : at + int(rng.integers(1, 30))]
    return bytes(content) or b"\0"


def assert_sentence(error):
    """The message is one line of less than 900 characters."""
    text = str(error)
    assert "\n" not in text
    assert 0 < len(text) < 900

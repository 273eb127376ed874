"""Damaged files of every type are refused, without a traceback, a hang or a crash.

Each reader gets `TRIALS` files, and ten times as many in the slow test. Two changes cannot be detected: a changed
pixel in the binary version of CIFAR-10, which has no checksum, and a changed digit in a table of the user.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from judged import at_most

from twolayer import io
from twolayer.errors import ResultError, TwolayerError
from twolayer.model.data import images
from twolayer.pipeline.report import scoreboard
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.provenance import Provenance
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.checksums import LIST, as_listed

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
TRIALS = 300
TABLE = "mixtures_fixed_points.csv"
OWN_TABLE = "ridge,width,risk\n" + "".join(f"0.1,{width},{1 / width}\n" for width in range(1, 40))


def damaged(content, rng):
    """The content, changed as disks, networks and editors do it."""
    start, end = sorted(rng.integers(0, len(content), 2))
    noise = rng.bytes(int(rng.integers(1, 64)))
    one = int(rng.integers(0, len(content)))
    flipped = bytes([content[one] ^ 1 << int(rng.integers(0, 8))])
    changes = [
        content[:one] + flipped + content[one + 1 :],
        content[:one] + flipped + content[one + 1 :],
        content[:one] + noise + content[one + len(noise) :],
        content[:start],
        content[:-1],
        content[:start] + content[end:],
        content[:start] + bytes(end - start) + content[end:],
        content[:start] + noise + content[start:],
        content[:end] + content[start:],
        content + noise,
        noise,
        b"",
    ]
    found = changes[int(rng.integers(0, len(changes)))]
    return found if found != content else content[: len(content) // 2]


def trial(read, path, content, rng):
    """What the reader makes of a damaged file: None where it is refused in one sentence."""
    path.touch()
    with path.open("r+b") as file:  # one that is emptied first waits for the disk, for most of the time
        file.write(damaged(content, rng))
        file.truncate()
    try:
        return read()
    except TwolayerError as error:
        sentence = str(error)
    assert "\n" not in sentence
    assert len(sentence) < 700
    return None


def result_reader(folder):
    path = folder / "a.nc"
    data = xr.Dataset({"error": (("sigma", "seed"), np.ones((20, 5)))}, {"sigma": np.arange(20.0)})
    io.write(io.made_by(data, "fixed_point", '{"sigma": 1}', 1.0), path)
    return lambda: io.read(path), path


def checkpoint_reader(folder):
    checkpoint = Checkpoint(folder / "a.nc", "origin")
    checkpoint.write({"weights": np.arange(600.0).reshape(20, 30), "count": np.array(3)})
    return checkpoint.read, folder / "a.checkpoint.safetensors"


def check_reader(folder):
    path = folder / "fig1.json"
    outcome = at_most(xr.DataArray([0.1, 0.2]), 1.0, "it falls", source="theory", compared="numerics")
    check_results.write(check_results.FigureChecks([outcome] * 3, Provenance.of([])), path)
    return lambda: check_results.read(path), path


def thumbnail_reader(folder):
    path = folder / "fig1.png"
    io.write_with_checksum(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, path)
    return lambda: scoreboard.thumbnail(path), path


def table_reader(folder):
    for name in (TABLE, LIST):
        shutil.copy(RESOURCES / "reference" / name, folder)
    path = folder / TABLE
    return lambda: io.read_reference(path, ["sigma"]), path


def picture_reader(folder):
    shutil.copytree(RESOURCES / "cifar-10-subset", folder / "cifar-10-subset")
    return lambda: images.load(folder, "cifar-10-subset", "test"), folder / "cifar-10-subset" / "test.webp"


READERS = [result_reader, checkpoint_reader, check_reader, thumbnail_reader, table_reader, picture_reader]


def check_nothing_damaged_is_read(reader, folder, trials):
    read, path = reader(folder)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    silent = sum(trial(read, path, content, rng) is not None for _ in range(trials))
    assert silent == 0


@pytest.mark.parametrize("reader", READERS)
def test_a_digest_shows_all_damage(reader, tmp_path):
    check_nothing_damaged_is_read(reader, tmp_path, TRIALS)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_digest_shows_all_damage_ten_times_as_often(reader, tmp_path):
    check_nothing_damaged_is_read(reader, tmp_path, 10 * TRIALS)


@pytest.mark.slow
@pytest.mark.parametrize("name", images.image_files("mnist", "test"))
def test_gzipped_images_are_read_as_they_were_or_refused(name, tmp_path):
    """The header of a gzip file holds a name and a time, which no checksum covers and nobody reads."""
    shutil.copytree(RESOURCES / "mnist", tmp_path / "mnist")
    path = tmp_path / "mnist" / name
    content, expected = path.read_bytes(), images.load(tmp_path, "mnist", "test")
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        found = trial(lambda: images.load(tmp_path, "mnist", "test"), path, content, rng)
        if found is not None:
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.slow
def test_images_without_a_checksum_are_refused_or_have_their_shape(tmp_path):
    (tmp_path / "cifar-10-batches-bin").mkdir()
    path = tmp_path / "cifar-10-batches-bin" / "test_batch.bin"
    content = bytes([label for label in range(10) for _ in range(3073)]) * 1000
    rng = np.random.default_rng(0)
    for _ in range(10):  # of 30 MB each
        found = trial(lambda: images.load(tmp_path, "cifar-10-batches-bin", "test"), path, content, rng)
        assert found is None or (found[0].shape, set(found[1])) == ((10_000, 32, 32, 3), set(range(10)))


@pytest.mark.slow
def test_a_table_of_ones_own_is_refused_or_a_table(tmp_path):
    """Plain text without a digest: a changed digit is another number."""
    path = tmp_path / "own.csv"
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        trial(lambda: io.read_reference(path, ["ridge", "width"]), path, OWN_TABLE.encode(), rng)


def test_damage_to_the_list_of_digests_is_noticed(tmp_path):
    read, _ = table_reader(tmp_path)
    content = (tmp_path / LIST).read_bytes()
    line = next(line for line in content.splitlines() if line.endswith(TABLE.encode()))
    (tmp_path / LIST).write_bytes(content.replace(line, line[1:]))
    with pytest.raises(ResultError, match="does not have the digest in SHA256SUMS of its folder"):
        read()


def test_every_table_of_the_project_is_listed():
    folder = RESOURCES / "reference"
    assert {line.split()[1] for line in (folder / LIST).read_text().splitlines()} == {
        path.name for path in folder.glob("*.csv")
    }
    for path in folder.glob("*.csv"):
        assert as_listed(path.read_bytes(), path), path.name


def test_verdicts_are_json_and_their_digest_is_of_the_bytes(tmp_path):
    path = tmp_path / "fig1.json"
    check_results.write(check_results.FigureChecks([], Provenance.of([])), path)
    body = json.loads(path.read_text())
    assert body["contents"]["outcomes"] == []
    path.write_text(json.dumps(body))
    with pytest.raises(ResultError, match=r"check file .* does not have a matching digest"):
        check_results.read(path)

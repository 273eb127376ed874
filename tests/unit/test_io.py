"""Results on disk."""

import json
import os
import shutil
import socket
import subprocess
import sys

import h5py
import numpy as np
import pytest
import xarray as xr

from twolayer import io
from twolayer.dependencies import PACKAGE
from twolayer.errors import ResultError
from twolayer.experiments import TASKS
from twolayer.pipeline import cli
from twolayer.storage.files import remove_abandoned, replacing, write_text

PARAMS = '{"sigma": 0.1}'


@pytest.fixture
def result():
    return xr.Dataset({"error": ("sigma", [0.1, 0.2])}, coords={"sigma": [1.0, 2.0]})


def written(path, result, params=PARAMS):
    io.write(io.made_by(result, "fixed_point", params, 1.5), path)
    return path


def test_comes_back_with_its_provenance(tmp_path, result):
    back = io.read(written(tmp_path / "deep" / "a.nc", result), task="fixed_point", params=PARAMS)
    xr.testing.assert_equal(back, result)
    assert json.loads(back.attrs["params"]) == {"sigma": 0.1}
    assert back.attrs["wall_time_s"] == 1.5
    assert {"twolayer_version", "git_commit", "created", "version_numpy"} <= set(back.attrs)


def test_leaves_nothing_behind_when_interrupted(tmp_path):
    path = tmp_path / "a.txt"
    write_text("old", path)

    def interrupted():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_refuses_nan(tmp_path, result):
    with pytest.raises(
        ResultError, match=r"task fixed_point made NaN in its result 'error', so nothing was written to .*: use less"
    ):
        written(tmp_path / "a.nc", result.where(result.sigma > 1))
    assert not list(tmp_path.iterdir())


def test_refuses_what_is_missing_truncated_or_foreign(tmp_path, result):
    with pytest.raises(ResultError, match=r"a\.nc is missing: make it with `snakemake"):
        io.read(tmp_path / "a.nc")
    path = written(tmp_path / "b.nc", result)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ResultError, match="is truncated or from an earlier version: delete it"):
        io.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(ResultError, match="cannot be read"):
        io.read(path)


FORMAT = {"result_format": "2"}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "was not written by twolayer"),
        (
            {"twolayer_task": "fixed_point", "params": "{}"},
            "has format '1', and this version reads format 2: delete it",
        ),
        ({"twolayer_task": "fixed_point"}, "was not written by twolayer"),
        ({**FORMAT, "twolayer_task": "fixed_point", "params": "{"}, "has parameters that are not a JSON"),
        ({**FORMAT, "twolayer_task": "fixed_point", "params": 5}, "has parameters that are not a JSON"),
    ],
)
def test_refuses_what_is_foreign_with_a_digest_or_without(tmp_path, result, attributes, message):
    contents = result.assign_attrs(attributes).to_netcdf(engine="h5netcdf")
    io.write_with_checksum(contents, tmp_path / "with_checksum.nc")
    (tmp_path / "bare.nc").write_bytes(contents)
    with pytest.raises(ResultError, match=message):
        io.read(tmp_path / "with_checksum.nc")
    with pytest.raises(ResultError, match=message):
        io.append_checksum(tmp_path / "bare.nc")


@pytest.mark.parametrize("contents", [b"", b"not a result", b"\x89HDF\r\n\x1a\n" + bytes(200)])
def test_refuses_what_is_no_netcdf(tmp_path, contents):
    io.write_with_checksum(contents, tmp_path / "a.nc")
    with pytest.raises(ResultError, match="is not a NetCDF file"):
        io.read(tmp_path / "a.nc")


def test_any_flipped_bit_shows(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    content = bytearray(path.read_bytes())
    content[content.index(np.float64(0.2).tobytes())] ^= 1
    path.write_bytes(content)
    with pytest.raises(ResultError, match="does not match the digest at its end, so it is damaged: delete it"):
        io.read(path)


def test_other_programs_read_it_as_any_netcdf_file(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    for engine in (None, "h5netcdf"):
        xr.testing.assert_equal(xr.load_dataset(path, engine=engine), result)
    with h5py.File(path) as file:
        assert file["error"][:].tolist() == [0.1, 0.2]


def test_a_result_of_an_earlier_version_gets_its_digest_as_it_is(tmp_path, result):
    path = tmp_path / "a.nc"
    io.write(io.made_by(result, "fixed_point", "{}", 1.5), path)
    xr.load_dataset(path, engine="h5netcdf").to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    os.replace(tmp_path / "b.nc", path)
    os.utime(path, (1e9, 1e9))
    with pytest.raises(ResultError, match=r"earlier version: .* if you trust its contents, `twolayer checksum "):
        io.read(path)
    assert io.append_checksum(path)
    assert not io.append_checksum(path)
    assert path.stat().st_mtime == 1e9
    xr.testing.assert_equal(io.read(path, task=("fixed_point", "other")), result)


def test_a_message_names_what_snakemake_can_make(tmp_path):
    (tmp_path / "Snakefile").touch()
    with pytest.raises(ResultError, match=r": make it with `snakemake results/quick/a\.nc`$"):
        io.read(tmp_path / "results" / "quick" / "a.nc")


def test_refuses_a_result_of_something_else(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    with pytest.raises(ResultError, match=r"has a result of 'fixed_point' \(expected 'online_sgd'\)"):
        io.read(path, task="online_sgd")
    with pytest.raises(ResultError, match="made with other parameters"):
        io.read(path, params='{"sigma": 0.2}')


def test_same_numbers_in_and_out(tmp_path):
    values = np.random.default_rng(0).standard_normal((3, 4))
    path = written(tmp_path / "a.nc", xr.Dataset({"x": (("row", "column"), values)}))
    np.testing.assert_array_equal(io.read(path).x, values)


def abandoned(folder, name="a.nc"):
    """A partial file of a process that was killed."""
    process = subprocess.Popen(["sleep", "60"])
    process.kill()
    process.wait()
    path = folder / f".partial-{socket.gethostname()}-{process.pid}-{name}"
    path.touch()
    return path


def test_partial_files_of_processes_that_live_are_kept(tmp_path):
    (tmp_path / "deep").mkdir()
    ours = tmp_path / f".partial-{socket.gethostname()}-{os.getpid()}-a.nc"
    theirs = tmp_path / ".partial-elsewhere-1-a.nc"
    ours.touch(), theirs.touch()
    dead, deeper = abandoned(tmp_path), abandoned(tmp_path / "deep", "b-1-c.pdf")
    assert remove_abandoned(tmp_path) == 1
    assert (dead.exists(), deeper.exists()) == (False, True)
    assert remove_abandoned(tmp_path, deep=True) == 1
    assert ours.exists()
    assert theirs.exists()


def test_the_same_command_removes_what_its_killed_process_left(tmp_path):
    dead = abandoned(tmp_path, "it.nc")
    assert cli.main([*SAMPLE, str(tmp_path / "it.nc")]) == 0
    assert not dead.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["it.nc"]


SAMPLE = ["run", "mixture_sample", "--params", '{"sigma": 0.2, "samples": 9}', "--output"]


@pytest.mark.parametrize("failing", ["to_netcdf", "create"])
def test_a_result_that_cannot_be_written_is_not_computed(tmp_path, monkeypatch, failing, capsys):
    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(xr.Dataset if failing == "to_netcdf" else io, failing, fails)
    monkeypatch.setattr(type(TASKS["mixture_sample"].result), "complete", lambda *_: pytest.fail("it was computed"))
    assert cli.main([*SAMPLE, str(tmp_path / "it.nc")]) == 2
    assert "cannot" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.fixture
def copied_package(tmp_path):
    """A function that copies the package to a folder, and commits all that is in a repository around it."""

    def copy(repository, place, project_file=""):
        target = tmp_path / repository / place
        shutil.copytree(PACKAGE, target / "twolayer", ignore=shutil.ignore_patterns("__pycache__"))
        if project_file:
            (target.parent / "pyproject.toml").write_text(project_file)
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            who = ["-c", "user.name=a", "-c", "user.email=a@b"]
            subprocess.run(["git", "-C", tmp_path / repository, *who, *words], check=True, env=without_git())
        return target

    return copy


def without_git():
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def stated_commit(path, **environment):
    program = "from twolayer.storage.origin import provenance; print(provenance()['git_commit'])"
    environment = without_git() | {"PYTHONPATH": str(path)} | environment
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_the_commit_is_the_projects_own(copied_package, tmp_path):
    ours = '[project]\nname = "twolayer"\n'
    source = copied_package("ours", "src", ours)
    commit = subprocess.run(
        ["git", "-C", source, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, env=without_git()
    ).stdout.strip()
    assert stated_commit(source) == commit
    installed = copied_package("theirs", ".venv/lib/python3.11/site-packages")
    assert stated_commit(installed) == "unknown"
    assert stated_commit(installed, GIT_DIR=str(tmp_path / "ours" / ".git")) == "unknown"
    assert stated_commit(source, GIT_DIR=str(tmp_path / "theirs" / ".git")) == commit
    assert stated_commit(copied_package("vendored", "src", '[project]\nname = "theirs"\n')) == "unknown"
    assert stated_commit(copied_package("around", "twolayer-main/src", ours)) == "unknown"

"""Results on disk."""

import json
import os

import h5py
import numpy as np
import pytest
import xarray as xr

from twolayer import io
from twolayer.errors import ResultError

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
    io.write_text("old", path)

    def interrupted():
        with io.replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_refuses_nan(tmp_path, result):
    with pytest.raises(ResultError, match="task fixed_point made NaN in its result 'error'"):
        written(tmp_path / "a.nc", result.where(result.sigma > 1))
    assert not list(tmp_path.iterdir())


def test_refuses_what_is_missing_truncated_or_foreign(tmp_path, result):
    with pytest.raises(ResultError, match=r"a\.nc is missing: make it with `snakemake"):
        io.read(tmp_path / "a.nc")
    path = written(tmp_path / "b.nc", result)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ResultError, match="is truncated or of an earlier version: delete it"):
        io.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(ResultError, match="cannot be read"):
        io.read(path)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "was not written by twolayer"),
        ({"twolayer_task": "fixed_point"}, "was not written by twolayer"),
        ({"twolayer_task": "fixed_point", "params": "{"}, "has parameters that are no JSON"),
        ({"twolayer_task": "fixed_point", "params": 5}, "has parameters that are no JSON"),
    ],
)
def test_refuses_what_is_foreign_with_a_digest_or_without(tmp_path, result, attributes, message):
    contents = result.assign_attrs(attributes).to_netcdf(engine="h5netcdf")
    io.write_sealed(contents, tmp_path / "sealed.nc")
    (tmp_path / "bare.nc").write_bytes(contents)
    with pytest.raises(ResultError, match=message):
        io.read(tmp_path / "sealed.nc")
    with pytest.raises(ResultError, match=message):
        io.seal_file(tmp_path / "bare.nc")


@pytest.mark.parametrize("contents", [b"", b"not a result", b"\x89HDF\r\n\x1a\n" + bytes(200)])
def test_refuses_what_is_no_netcdf(tmp_path, contents):
    io.write_sealed(contents, tmp_path / "a.nc")
    with pytest.raises(ResultError, match="is no NetCDF file"):
        io.read(tmp_path / "a.nc")


def test_any_flipped_bit_shows(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    content = bytearray(path.read_bytes())
    content[content.index(np.float64(0.2).tobytes())] ^= 1
    path.write_bytes(content)
    with pytest.raises(ResultError, match="does not have the digest that it ends with, it is damaged: delete it"):
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
    with pytest.raises(ResultError, match=r"earlier version: .* where you trust it as it is, `twolayer seal "):
        io.read(path)
    assert io.seal_file(path)
    assert not io.seal_file(path)
    assert path.stat().st_mtime == 1e9
    xr.testing.assert_equal(io.read(path, task=("fixed_point", "other")), result)


def test_a_message_names_what_snakemake_can_make(tmp_path):
    (tmp_path / "Snakefile").touch()
    with pytest.raises(ResultError, match=r": make it with `snakemake results/quick/a\.nc`$"):
        io.read(tmp_path / "results" / "quick" / "a.nc")


def test_refuses_a_result_of_something_else(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    with pytest.raises(ResultError, match="holds a result of 'fixed_point' where one of 'online_sgd' belongs"):
        io.read(path, task="online_sgd")
    with pytest.raises(ResultError, match="made with other parameters"):
        io.read(path, params='{"sigma": 0.2}')


def test_same_numbers_in_and_out(tmp_path):
    values = np.random.default_rng(0).standard_normal((3, 4))
    path = written(tmp_path / "a.nc", xr.Dataset({"x": (("row", "column"), values)}))
    np.testing.assert_array_equal(io.read(path).x, values)

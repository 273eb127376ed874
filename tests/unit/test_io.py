"""Results on disk."""

import json

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
    with pytest.raises(ResultError, match="may be truncated"):
        io.read(path)
    (tmp_path / "c.nc").write_text("not a result")
    with pytest.raises(ResultError, match="may be truncated"):
        io.read(tmp_path / "c.nc")
    result.to_netcdf(tmp_path / "d.nc", engine="h5netcdf")
    with pytest.raises(ResultError, match="was not written by twolayer"):
        io.read(tmp_path / "d.nc")


def test_refuses_a_result_of_something_else(tmp_path, result):
    path = written(tmp_path / "a.nc", result)
    with pytest.raises(ResultError, match="holds a result of 'fixed_point' where 'online_sgd' belongs"):
        io.read(path, task="online_sgd")
    with pytest.raises(ResultError, match="made with other parameters"):
        io.read(path, params='{"sigma": 0.2}')


def test_same_numbers_in_and_out(tmp_path):
    values = np.random.default_rng(0).standard_normal((3, 4))
    path = written(tmp_path / "a.nc", xr.Dataset({"x": (("row", "column"), values)}))
    np.testing.assert_array_equal(io.read(path).x, values)

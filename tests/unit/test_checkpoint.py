import numpy as np
import pytest
from safetensors.numpy import save

from twolayer import io
from twolayer.errors import ResultError
from twolayer.storage.checkpoint import Checkpoint

STATE = {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "L1": np.eye(2), "count": np.array(3)}


@pytest.fixture
def checkpoint(tmp_path):
    return Checkpoint(tmp_path / "run.nc", "task parameters")


def test_nothing_kept(checkpoint):
    assert checkpoint.read() is None
    checkpoint.remove()


def test_what_is_kept_comes_back(checkpoint, tmp_path):
    checkpoint.write({name: array + 1 for name, array in STATE.items()})
    checkpoint.write(STATE)
    found = checkpoint.read()
    assert found.keys() == STATE.keys()
    for name, array in STATE.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found[name], array)
    assert [path.name for path in tmp_path.iterdir()] == ["run.checkpoint.safetensors"]


def test_names_with_a_point_have_files_of_their_own(tmp_path):
    for name in ("run_0.5", "run_0.7", "run.nc"):
        Checkpoint(tmp_path / name, "origin").write(STATE)
    assert {path.name for path in tmp_path.iterdir()} == {
        "run_0.5.checkpoint.safetensors",
        "run_0.7.checkpoint.safetensors",
        "run.checkpoint.safetensors",
    }


def test_any_order_in_memory(checkpoint):
    array = np.arange(24.0).reshape(2, 3, 4)
    checkpoint.write({"fortran": np.asfortranarray(array), "moved": np.moveaxis(array, 0, 2), "part": array[:, ::2]})
    found = checkpoint.read()
    np.testing.assert_array_equal(found["fortran"], array)
    np.testing.assert_array_equal(found["moved"], np.moveaxis(array, 0, 2))
    np.testing.assert_array_equal(found["part"], array[:, ::2])


def test_another_origin_does_not_go_on_from_it(checkpoint, tmp_path):
    checkpoint.write(STATE)
    assert Checkpoint(tmp_path / "run.nc", "task other parameters").read() is None
    assert checkpoint.read() is not None


def test_a_write_that_fails_keeps_the_last_state(checkpoint, monkeypatch):
    checkpoint.write(STATE)

    def interrupted(*arguments, **ways):
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "checksum", interrupted)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.write({"weights": np.zeros(3)})
    np.testing.assert_array_equal(checkpoint.read()["weights"], STATE["weights"])


def test_damaged(checkpoint, tmp_path):
    checkpoint.write(STATE)
    path = tmp_path / "run.checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ResultError, match=r"is truncated .* delete it to start from the beginning"):
        checkpoint.read()


def test_of_an_earlier_version_or_another_program(checkpoint, tmp_path):
    path = tmp_path / "run.checkpoint.safetensors"
    for contents in (save(STATE), b"", b"\xff" * 20, b"\2" + bytes(7) + b"{}"):
        io.write_with_checksum(contents, path)
        with pytest.raises(ResultError, match=r"cannot be read .* delete it to start from the beginning"):
            checkpoint.read()


def test_the_state_can_be_written_to(checkpoint):
    checkpoint.write(STATE)
    checkpoint.read()["weights"][0] = 1


def test_removed_at_the_end(checkpoint, tmp_path):
    checkpoint.write(STATE)
    checkpoint.remove()
    assert not list(tmp_path.iterdir())

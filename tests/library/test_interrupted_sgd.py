"""Simulations that are interrupted continue to the same numbers."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.experiments import digests, kept_runs
from twolayer.model.random.stream_states import set_state, state_of
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.origin import library_versions

STUDENT = tl.Student("erf", hidden_units=2, dimension=30, seed=0)
SCHEDULE = tl.Schedule(learning_rate=0.3, last_time=5, measurements=4)


def online_sgd(sigma=0.5, **options):
    return tl.online_sgd(tl.Mixture("xor", sigma=sigma), STUDENT, SCHEDULE, seeds=3, log2_nodes=6, **options)


def generator(seed=0):
    return tl.dense_generator(widths=[300, 600], activation="tanh", seed=seed)


def moments(seed=0, **options):
    return tl.moments(generator(seed), samples=3000, **options)


def generator_sgd(seed=0, **options):
    learning = tl.TeacherLearning(last_time=2, measurements=4)
    given = generator(seed)
    return tl.generator_sgd(given, tl.moments(given, samples=700), learning, seeds=3, test_samples=50, **options)


CASES = {
    "online_sgd": (online_sgd, {"sigma": 0.7}),
    "moments": (moments, {"seed": 1}),
    "generator_sgd": (generator_sgd, {"seed": 1}),
}


class Interruption:
    """Writes the checkpoint at each opportunity, and counts; ends the computation after some."""

    def __init__(self, monkeypatch, after=None):
        self.written, write = 0, Checkpoint.write

        def keep(checkpoint, state):
            write(checkpoint, state)
            self.written += 1
            if self.written == after:
                raise KeyboardInterrupt

        monkeypatch.setattr(kept_runs.time, "monotonic", itertools.count(step=100).__next__)
        monkeypatch.setattr(Checkpoint, "write", keep)


@pytest.fixture(params=CASES)
def case(request, monkeypatch, tmp_path):
    """A function, arguments that make another problem, and a checkpoint of an interrupted computation."""
    function, others = CASES[request.param]
    with monkeypatch.context() as patches:
        whole = Interruption(patches)
        function(checkpoint=tmp_path / "whole.nc")
    with monkeypatch.context() as patches:
        Interruption(patches, after=whole.written // 2)
        with pytest.raises(KeyboardInterrupt):
            function(checkpoint=tmp_path / "interrupted.nc")
    return function, others, tmp_path / "interrupted.nc", whole.written


def same(found, expected):
    for name in expected.data_vars:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_it_continues_to_the_same_numbers(case, monkeypatch):
    function, _, path, writes = case
    with monkeypatch.context() as patches:
        rest = Interruption(patches)
        continued = function(checkpoint=path)
    assert 0 < rest.written <= writes - writes // 2
    same(continued, function())


def test_another_problem_does_not_continue_from_it(case):
    function, others, path, _ = case
    same(function(**others, checkpoint=path), function(**others))


def test_the_checkpoint_is_removed_after_success(case):
    function, _, path, _ = case
    kept = path.with_suffix(".checkpoint.safetensors")
    assert kept.exists()
    function(checkpoint=path)
    assert not kept.exists()


@pytest.fixture
def of_custom_units(monkeypatch, tmp_path):
    """A function, and the checkpoint of its interrupted computation."""

    def function(factor=1.0, **options):
        def units(x):
            return np.tanh(factor * x)

        student = tl.Student(units, hidden_units=2, dimension=30, seed=0)
        return tl.online_sgd(tl.Mixture("xor", sigma=0.5), student, SCHEDULE, seeds=3, log2_nodes=6, **options)

    path = tmp_path / "custom.nc"
    with monkeypatch.context() as patches:
        Interruption(patches, after=2)
        with pytest.raises(KeyboardInterrupt):
            function(checkpoint=path)
    return function, path


def starts_again(call, caplog):
    """Return the result of a call, and whether it refuses its checkpoint."""
    caplog.clear()
    return call(), "starting from the beginning" in caplog.text


def test_it_continues_with_the_same_formula(of_custom_units, caplog):
    function, path = of_custom_units
    found, again = starts_again(lambda: function(checkpoint=path), caplog)
    assert not again
    same(found, function())


def test_another_formula_of_the_same_name_does_not_continue(of_custom_units, caplog):
    function, path = of_custom_units
    found, again = starts_again(lambda: function(factor=1.5, checkpoint=path), caplog)
    assert again
    same(found, function(factor=1.5))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("module_files", lambda module: [Path(__file__)]),
        ("library_versions", lambda: library_versions() | {"version_numpy": "0"}),
    ],
)
def test_another_program_or_library_does_not_continue(name, other, of_custom_units, monkeypatch, caplog):
    function, path = of_custom_units
    monkeypatch.setattr(digests, name, other)
    assert starts_again(lambda: function(checkpoint=path), caplog)[1]


def test_images_that_are_missing(tmp_path):
    with pytest.raises(tl.DataError, match=r"image file .* is missing: set data_root"):
        tl.trained_generator(tmp_path, checkpoint=tmp_path / "training.nc")


def test_the_state_of_a_stream():
    stream = np.random.default_rng(5)
    stream.integers(3, dtype=np.uint32)  # leaves half a number
    state, expected = state_of(stream), stream.integers(1000, size=5, dtype=np.uint32)
    other = np.random.default_rng(6)
    set_state(other, state)
    np.testing.assert_array_equal(other.integers(1000, size=5, dtype=np.uint32), expected)


def test_only_the_usual_streams():
    with pytest.raises(TypeError, match="the stream is MT19937: give one of PCG64"):
        state_of(np.random.Generator(np.random.MT19937(0)))

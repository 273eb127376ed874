"""Online SGD that is interrupted continues to the same numbers."""

import itertools

import numpy as np
import pytest

import twolayer as tl
from twolayer.experiments.mixtures import kept_runs
from twolayer.model.random.stream_states import set_state, state_of
from twolayer.storage.checkpoint import Checkpoint

STUDENT = tl.Student("erf", hidden_units=2, dimension=30, seed=0)
SCHEDULE = tl.Schedule(learning_rate=0.3, last_time=5, measurements=4)


def train(sigma=0.5, **options):
    return tl.online_sgd(tl.Mixture("xor", sigma=sigma), STUDENT, SCHEDULE, seeds=3, log2_nodes=6, **options)


@pytest.fixture
def interrupted(monkeypatch, tmp_path):
    """A checkpoint of a training that ended in the middle of its second run."""
    path = tmp_path / "sgd.nc"
    written, write = [], Checkpoint.write

    def keep(checkpoint, state):
        write(checkpoint, state)
        written.append(sorted({name.partition(".")[0] for name in state}))
        if len(written) == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patches:
        patches.setattr(kept_runs.time, "monotonic", itertools.count(step=100).__next__)
        patches.setattr(Checkpoint, "write", keep)
        with pytest.raises(KeyboardInterrupt):
            train(checkpoint=path)
    assert written[-1] == ["0", "1"]
    return path


def test_it_continues_to_the_same_numbers(interrupted, monkeypatch):
    states = []
    monkeypatch.setattr(kept_runs.KeptRuns, "keep", lambda runs, run, state: states.append((run, len(state["M"]))))
    continued = train(checkpoint=interrupted)
    assert {run for run, _ in states} == {1, 2}
    assert min(count for run, count in states if run == 1) > 1
    straight = train()
    for name in straight.data_vars:
        np.testing.assert_array_equal(continued[name], straight[name], err_msg=name)


def test_another_mixture_does_not_continue_from_it(interrupted):
    other = train(sigma=0.7, checkpoint=interrupted)
    np.testing.assert_array_equal(other.W, train(sigma=0.7).W)


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

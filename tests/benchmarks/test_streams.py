"""Normal numbers of a sweep after one gradient step, 128 inputs of 1000 at a time, against NumPy one by one."""

import numpy as np
import pytest

from twolayer.model.streams import PublishedStream, Stream
from twolayer.simulation.single_stream import SingleStream

INPUTS = 128, 1000


def published(*shape):
    return PublishedStream(0).normal(*shape)


def published_textbook(*shape):
    return np.random.RandomState(0).standard_normal(shape)


def single(*shape):
    return SingleStream(np.random.default_rng(0)).normal(*shape)


def double_textbook(*shape):
    return Stream(np.random.default_rng(0)).normal(*shape)


@pytest.mark.benchmark(group="128,000 normal numbers of NumPy's legacy generator")
@pytest.mark.parametrize("draw", [published, published_textbook])
def test_replayed(benchmark, draw):
    np.testing.assert_array_equal(published(7, 9), published_textbook(7, 9))
    benchmark(draw, *INPUTS)


@pytest.mark.benchmark(group="128,000 normal numbers of a stream of one's own")
@pytest.mark.parametrize("draw", [single, double_textbook])
def test_own(benchmark, draw):
    assert draw(*INPUTS).std() == pytest.approx(1, abs=0.01)
    benchmark(draw, *INPUTS)

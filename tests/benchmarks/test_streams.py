"""Normal numbers of a sweep after one gradient step, 128 inputs of 1000 at a time, against NumPy one by one."""

import numpy as np
import pytest

from twolayer.model.random.streams import SingleStream, Stream

INPUTS = 128, 1000


def single(*shape):
    return SingleStream(np.random.default_rng(0)).normal(*shape)


def double_textbook(*shape):
    return Stream(np.random.default_rng(0)).normal(*shape)


@pytest.mark.benchmark(group="128,000 normal numbers of a seeded stream")
@pytest.mark.parametrize("draw", [single, double_textbook])
def test_own(benchmark, draw):
    assert draw(*INPUTS).std() == pytest.approx(1, abs=0.01)
    benchmark(draw, *INPUTS)

"""Streamed moments against the bare matrix product in numpy: a batch of 680 inputs, N = 3072, D = 100."""

import numpy as np
import pytest

from twolayer.simulation.teacher_student.moments import StreamedMoments

N, D, BATCH = 3072, 100, 680


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(0)
    return rng.standard_normal((BATCH, N), dtype=np.float32), rng.standard_normal((BATCH, D), dtype=np.float32)


def textbook(inputs, latents):
    X = inputs.astype(float)
    return X.T @ X


@pytest.mark.benchmark(group="moments, a batch of 680, N=3072; textbook: the bare matrix product")
@pytest.mark.parametrize("way", ["streamed", "textbook"])
def test_a_batch(benchmark, batch, way):
    moments = StreamedMoments(N, D)
    benchmark(moments.update if way == "streamed" else textbook, *batch)
    if way == "streamed":
        np.testing.assert_allclose(moments.result().Omega, np.cov(batch[0].astype(float).T, bias=True), atol=1e-10)

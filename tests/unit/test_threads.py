"""Processes of the tests that run at the same time share the cores."""

import os

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

STATED = os.environ.get("OMP_NUM_THREADS")  # before any test


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="a single process may use all cores")
@pytest.mark.parametrize("test", ["first", "second"])
def test_linear_algebra_uses_as_many_threads_as_stated(test):
    np.linalg.inv(np.eye(2))
    assert {pool["num_threads"] for pool in threadpool_info()} == {int(STATED)}
    os.environ["OMP_NUM_THREADS"] = str(int(STATED) + 1)  # as `twolayer run` does; the next test has its own number
    threadpool_limits(int(STATED) + 1)

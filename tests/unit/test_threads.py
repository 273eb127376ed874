"""Processes of the tests that run at the same time share the cores."""

import os

import numpy as np
import pytest
from threadpoolctl import threadpool_info


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="a single process may use all cores")
def test_linear_algebra_uses_as_many_threads_as_stated():
    np.linalg.inv(np.eye(2))
    assert {pool["num_threads"] for pool in threadpool_info()} == {int(os.environ["OMP_NUM_THREADS"])}

"""What unit tests share."""

import numpy as np
import pytest


@pytest.fixture
def check_resuming():
    """A check of three equal trainings: one runs three epochs, one a single epoch, and the last goes on from there."""
    import torch

    def check(straight, first, second):
        for _ in range(3):
            straight.run_epoch()
        first.run_epoch()
        torch.manual_seed(99)  # nothing depends on it
        second.resume({name: array.copy() for name, array in first.state().items()})
        assert second.epoch == 1
        second.run_epoch()
        second.run_epoch()
        expected, found = straight.state(), second.state()
        assert expected.keys() == found.keys()
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)

    return check

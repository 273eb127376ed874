"""What benchmarks share."""

import pytest


@pytest.fixture(scope="module")
def one_thread():
    """torch on one thread, as the textbook code beside it."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)

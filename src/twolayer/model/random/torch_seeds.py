"""Random numbers of torch from a seed, for code that draws them from the global stream, such as initial weights."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the global stream of the CPU, and restore the caller's stream at the end.

    `torch.manual_seed` would also seed the streams of all GPUs.
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield

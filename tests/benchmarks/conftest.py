"""What benchmarks share. Where nothing is measured, each is called once, the dearest with something smaller."""

import ctypes
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

STATUS = Path("/proc/self/status")


def pytest_collection_modifyitems(items):
    """Mark all benchmarks as slow, because they need sizes at which times can be measured."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def one_thread():
    """Run torch on one thread, as the textbook code does."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session", autouse=True)
def memory_too():
    """A benchmark also notes by how many megabytes a call raises the memory of the process."""
    timed, pedantic = BenchmarkFixture.__call__, BenchmarkFixture.pedantic

    def with_memory(self, function, *args, **keywords):
        _note_memory(self, function, args, keywords)
        return timed(self, function, *args, **keywords)

    def pedantic_with_memory(self, target, args=(), kwargs=None, **options):
        _note_memory(self, target, args, kwargs or {})
        return pedantic(self, target, args, kwargs, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BenchmarkFixture, "__call__", with_memory)
        patch.setattr(BenchmarkFixture, "pedantic", pedantic_with_memory)
        yield


def _note_memory(benchmark, function, args, keywords):
    """Write the memory to `extra_info` if the benchmark has a group. The first call compiles the function."""
    if benchmark.enabled and benchmark.group and STATUS.exists():
        function(*args, **keywords)
        ctypes.CDLL(None).malloc_trim(0)  # what was freed would be taken again without being seen
        Path("/proc/self/clear_refs").write_text("5")  # the measurement of the peak starts again
        before = _memory("VmRSS")
        function(*args, **keywords)
        benchmark.extra_info["memory_mb"] = _memory("VmHWM") - before


def _memory(name):
    """A line of the status of this process, in megabytes."""
    return next(int(line.split()[1]) / 1024 for line in STATUS.read_text().splitlines() if line.startswith(name))

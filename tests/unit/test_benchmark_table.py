"""The table of benchmarks, from a report of pytest-benchmark."""

import runpy
from pathlib import Path

import pytest

TABLE = runpy.run_path(Path(__file__).parents[1] / "benchmarks/table.py")


def benchmark(way, size, duration, **extra):
    return {
        "group": "a task",
        "name": f"test_it[{way}-{size}]",
        "fullname": f"tests/benchmarks/test_x.py::test_it[{way}-{size}]",
        "param": f"{way}-{size}",
        "params": {"way": way, "N": size},
        "stats": {"min": duration},
        "extra_info": extra,
    }


def test_ratio_memory_and_growth():
    """A textbook has one of three sizes; ours takes ten steps a call, and twice the time for twice the size."""
    ours = [benchmark("fast", size, size * 1e-3, steps=10, memory_mb=size / 100) for size in (100, 200, 400)]
    report = [*ours, benchmark("textbook", 200, 4.0)]
    assert list(TABLE["rows"](report)) == [
        ("a task", "fast, N 100", "10 ms", "", "", "1 MB", "N^1.00"),
        ("a task", "fast, N 200", "20 ms", "4 s", "200", "2 MB", "N^1.00"),
        ("a task", "fast, N 400", "40 ms", "", "", "4 MB", "N^1.00"),
    ]


@pytest.mark.parametrize(("duration", "text"), [(2.5, "2.5 s"), (0.25, "250 ms"), (3.1e-6, "3.1 us"), (4e-9, "4 ns")])
def test_units(duration, text):
    assert TABLE["shown"](duration) == text

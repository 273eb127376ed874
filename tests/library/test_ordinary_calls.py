"""Share of random ordinary calls that answer. `tests/benchmarks/ordinary_calls.py` makes more, and measures times."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl

PROGRAM = Path(__file__).parents[1] / "benchmarks" / "ordinary_calls.py"


@pytest.fixture(scope="module")
def calls():
    """The functions that draw a call, by name."""
    spec = importlib.util.spec_from_file_location("ordinary_calls", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program.CALLS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    [("learning_curve", 12), ("fixed_point", 3), ("variable_projection", 6), ("bayes_error", 20), ("replica", 2)],
)
def test_all_answer(calls, name, count):
    for seed in range(1000, 1000 + count):
        result = calls[name](tl, np.random.default_rng(seed))()
        for variable in result.data_vars.values():
            assert variable.dtype.kind != "f" or np.isfinite(variable).all(), (seed, variable.name)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [48, 49])
def test_fixed_points_that_strides_alone_do_not_reach(calls, seed):
    """The strides end next to a slow flow (48), or next to a unit that dies out (49)."""
    assert np.isfinite(calls["fixed_point"](tl, np.random.default_rng(seed))().class_error).all()

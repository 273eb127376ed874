"""Share of random ordinary calls that answer. `tests/benchmarks/ordinary_calls.py` makes more, and measures times."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.theory.mixtures.fixed_points import branch
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def calls(monkeypatch):
    """The functions that draw a call, by name."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("ordinary_calls").CALLS


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
@pytest.mark.parametrize("seed", [8, 48, 49, 131])
def test_fixed_points_that_strides_alone_do_not_reach(calls, seed):
    """A stride leads to weights that are all zero (8), next to a slow flow (48), to a unit that dies out (49), or to
    two units of one direction, next to which deviations grow a little (131).
    """
    assert np.isfinite(calls["fixed_point"](tl, np.random.default_rng(seed))().class_error).all()


@pytest.mark.slow
def test_the_flow_leads_on_where_strides_get_lost(calls, monkeypatch):
    """The units have nearly died out at one noise level, and learn at the next: strides leave the flow near the
    saddle between these states, and come to weights of any size.
    """
    lost = []

    def reached(*arguments, **options):
        try:
            return stationary_state(*arguments, **options)
        except tl.NotConverged as error:
            lost.extend([str(error)] * ("max_iterations" not in options))  # else the flow follows
            raise

    monkeypatch.setattr(branch, "stationary_state", reached)
    assert np.isfinite(calls["fixed_point"](tl, np.random.default_rng(16))().class_error).all()
    assert lost == []


@pytest.mark.slow
def test_a_second_layer_that_vanishes_long_before_the_weights(calls):
    """Its tolerance must not fall below the rounding errors of averages, or steps become short without end."""
    assert np.isfinite(calls["fixed_point"](tl, np.random.default_rng(97))().class_error).all()


@pytest.mark.slow
def test_a_learning_curve_on_which_a_unit_dies_out(calls):
    """Errors of integration make its variance negative at some of the times."""
    assert np.isfinite(calls["learning_curve"](tl, np.random.default_rng(243))().pmse).all()

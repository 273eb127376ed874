import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twolayer.errors import ConfigError
from twolayer.simulation.mixtures.stepping import log_times


@given(first=st.floats(1e-3, 1.0), ratio=st.floats(1.0, 1e5), count=st.integers(1, 60), dimension=st.integers(1, 2000))
@settings(deadline=None)
def test_log_times_are_distinct_whole_steps_from_zero(first, ratio, count, dimension):
    times = log_times(first, first * ratio, count, dimension)
    steps = times * dimension
    assert times[0] == 0
    assert len(times) <= count + 1
    np.testing.assert_allclose(steps, np.rint(steps), rtol=1e-12)
    assert np.all(np.diff(np.rint(steps)) >= 1)
    if count > 1:
        assert abs(steps[-1] - first * ratio * dimension) <= 0.5 + 1e-6


@pytest.mark.parametrize(("first", "last", "count"), [(0.0, 1.0, 5), (2.0, 1.0, 5), (0.1, 1.0, 0)])
def test_log_times_refuses_an_empty_range(first, last, count):
    with pytest.raises(ConfigError):
        log_times(first, last, count, 100)

"""The kinds of checks, each judged at once: functions that return a check result."""

from functools import wraps

import xarray as xr

from twolayer.figures import checks


def outcomes(found):
    """The check results of checks."""
    return [check.outcome() for check in found]


def _judged(kind):
    @wraps(kind)
    def outcome(value, *sides, main=False, **about):
        value = xr.DataArray(value) if isinstance(value, float) else value  # a number, as if it came from a result
        check = kind(value, *sides, **about)
        return (checks.main(check) if main else check).outcome()

    return outcome


at_most = _judged(checks.at_most)
falling = _judged(checks.falling)
mean_relative = _judged(checks.mean_relative)
ordering = _judged(checks.ordering)
pooled = _judged(checks.pooled)
reading = _judged(checks.reading)
relative = _judged(checks.relative)
z_score = _judged(checks.z_score)

"""If everything is right, the checks of a preset together fail with a probability of at most 1 %."""

import warnings

import pytest
import xarray as xr
from small_project import CATALOGUE

from twolayer.figures.outcomes import CHANCE, MAIN_CHANCE
from twolayer.pipeline.report.checks.check_results import module_function
from twolayer.pipeline.report.checks.dry_run_of_checks import placeholder


def fails_by_chance(check):
    """Whether a check compares with an error that chance gives."""
    sides = [side for side in (check.value, check.reference) if isinstance(side, xr.DataArray)]
    if not sides:
        return False
    if check.kind in ("z_score", "pooled"):
        return True
    return check.kind in ("at_most", "falling", "ordering") and any(
        "seed" in side.dims or f"{side.name}_sem" in side.coords for side in sides
    )


def checks(preset):
    for figure in CATALOGUE.figures.values():
        yield from module_function(figure, "checks")(placeholder(CATALOGUE, figure, preset))


@pytest.mark.parametrize("preset", ["quick", "paper"])
@pytest.mark.parametrize(("main", "chance"), [(True, MAIN_CHANCE), (False, CHANCE)])
def test_all_checks_of_a_preset(preset, main, chance):
    """Half of the 1 % is for the main checks of the figures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # placeholders are zero, and divisions by them warn
        count = sum(fails_by_chance(check) for check in checks(preset) if check.main is main)
    assert (20 if main else 200) < count
    assert count * chance <= 0.005

"""Check results in sum, and on the scoreboard."""

import numpy as np
import pytest
import xarray as xr
from judged import at_most, ordering, pooled, relative

from twolayer.figures.checks import INDEPENDENT, NUMERICS, THEORY
from twolayer.figures.evidence import Absent
from twolayer.pipeline.report.checks.summary import (
    Count,
    Summary,
    brief,
    failures_first,
    main_check,
    needed,
    overview,
    sentence,
    used,
)
from twolayer.pipeline.report.provenance import Provenance

ABSENT = Absent("made at the paper preset")


def near(measured, tolerance=0.1, compared=THEORY, *, main=False):
    """A check of something that should be one."""
    return relative(measured, 1.0, "one", tolerance=tolerance, source="it is", compared=compared, main=main)


def test_a_figure_is_right_where_a_check_applied_and_none_failed():
    assert Summary.of([near(1.0), near(ABSENT)]).status == "pass"
    assert Summary.of([near(1.0), near(2.0)]).status == "fail"
    assert Summary.of([near(ABSENT)]).status == Summary.of([]).status == "no applicable check"
    undecided = ordering(xr.DataArray([1.0, 1.3], dims="seed"), 1.0, "above", source="it is")
    assert Summary.of([undecided]).status == "undecided"
    assert Summary.of([undecided, near(1.0)]).status == "pass"
    assert Summary.of([undecided, near(2.0)]).status == "fail"


def test_sorts_are_told_apart():
    summary = Summary.of([near(1.0), near(2.0, compared=NUMERICS), near(ABSENT, compared=INDEPENDENT)])
    assert summary.all == Count(1, 1, 0, 1)
    assert summary.sorts[THEORY] == Count(1, 0, 0, 0)
    assert summary.sorts[NUMERICS] == Count(0, 1, 0, 0)
    assert summary.sorts[INDEPENDENT] == Count(0, 0, 0, 1)


def test_the_main_check_and_its_outcome():
    wanted = near(1.05, main=True)
    assert main_check([near(1.0), wanted, near(2.0)]) is wanted
    assert main_check([near(1.0)]) is None
    assert brief(wanted) == "pass, deviation 5 %, detection limit 10 %"
    assert brief(near(ABSENT)) == "not applicable (made at the paper preset)"
    assert brief(at_most(0.5, xr.DataArray(1.0), "less", source="it is", compared=NUMERICS)) == "pass"


def test_the_part_of_a_tolerance_that_is_used():
    assert abs(used(near(1.04)) - 0.4) < 1e-12
    assert abs(used(near(1.2)) - 2) < 1e-12
    assert used(near(ABSENT)) is None
    bound = {"source": "it is", "compared": NUMERICS}
    assert used(at_most(0.5, 1.0, "less", **bound)) is None
    assert used(at_most(1.5, 1.0, "less", **bound)) > 1
    above = xr.DataArray([1.4, 1.6], dims="seed", coords={"seed": [0, 1]})
    assert (
        0
        < used(ordering(above, 1.0, "above", source="it is", stated=0.1))
        != used(ordering(1.0, above, "above", source="it is", stated=0.1))
    )


def test_a_figure_in_a_sentence():
    assert sentence("fig1", [near(1.05, main=True), near(ABSENT)]) == (
        "fig1: pass, 1 of 1 checks pass, 1 not applicable, main check: pass, deviation 5 %, detection limit 10 %"
    )
    assert sentence("fig1", [near(1.0), near(2.0)]) == "fig1: fail, 1 of 2 checks pass, 1 fail"
    assert sentence("fig1", [near(ABSENT)]) == "fig1: no applicable check, of 1"


def test_what_does_not_pass_is_named():
    good, bad, absent = Summary.of([near(1.0)]), Summary.of([near(2.0)]), Summary.of([near(ABSENT)])
    assert overview({"fig1": good, "fig2": bad, "fig3": absent, "fig4": bad}, lambda name: f"[{name}]") == (
        "4 figures: 1 pass, 2 fail, 1 with no applicable check. Failing: [fig2], [fig4]. "
        "With no applicable check: [fig3]."
    )
    assert overview({"fig1": good}) == "1 figure: 1 pass."


def test_failures_come_first():
    statuses = [outcome.status for outcome in failures_first([near(ABSENT), near(1.0), near(2.0)])]
    assert statuses == ["fail", "pass", "not applicable"]


def test_provenance_of_results():
    def result(day, commit):
        made = {"wall_time_s": 1.5, "git_commit": commit, "machine": "x86_64", "python": "3.11", "version_numpy": "2.0"}
        made["twolayer_version"] = "0.1.0"
        return xr.Dataset(attrs={"created": f"2026-01-{day}T10:00:00+00:00"} | made)

    newest = result("03", "b").assign_attrs(processor="AMD EPYC, AVX2")
    versions, machines = ("numpy 2.0", "python 3.11", "twolayer 0.1.0"), ("AMD EPYC, AVX2", "x86_64")
    made = Provenance.of([newest, xr.Dataset(), result("01", "a")])
    assert Provenance.together([made, made]).runs == 4
    assert Provenance.together([made, made]).machines == machines
    assert made == Provenance(2, 3.0, "2026-01-01 10:00", "2026-01-03 10:00", ("a", "b"), versions, machines)


def spread(runs):
    """A quantity of 1 that scatters by 10 % between runs, without chance."""
    return xr.DataArray(1 + 0.1 * np.resize([1.0, -1.0], runs), dims="seed")


@pytest.mark.parametrize("known", [0.0, 0.01])
def test_so_many_more_runs_detect_the_goal(known):
    """With the stated number of runs the detection limit is the goal, up to Student's distribution."""
    few = pooled(spread(100), 1.0, "one", source="it is", stated=known, main=True)
    factor = ((few.detects - known) / (0.02 - known)) ** 2
    assert f"it needs about {factor:.2g} times as many runs or samples" in needed(few, "quick", 2.0)
    many = pooled(spread(2 * round(50 * factor)), 1.0, "one", source="it is", stated=known, main=True)
    assert many.detects == pytest.approx(0.02, rel=0.06)


def test_a_known_error_above_the_goal_is_named():
    check = near(1.0, tolerance=0.015, main=True)
    assert needed(check, "quick", 1.0) == ""
    assert "A known error of 1.5 % limits it. More runs do not make it detect 1 %." in needed(check, "paper", 1.0)
    assert needed(near(ABSENT, main=True), "paper", 1.0) == ""

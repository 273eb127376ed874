"""Checks, each seen to pass and to fail."""

import numpy as np
import pytest
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.pipeline import verdicts
from twolayer.pipeline.verdicts import FAIL, NOT_APPLICABLE, PASS, judge

TIMES = np.linspace(1, 20, 20)


def check(kind, measured, target, **more):
    return {"title": "t", "kind": kind, "measured": measured, "target": target, "source": "s"} | more


def seeds(shift, count=8, seed=0):
    """A simulation around exp(-t/10), off by `shift` standard deviations."""
    noise = np.random.default_rng(seed).standard_normal((count, len(TIMES)))
    return xr.Dataset(
        {"pmse": (("seed", "time"), np.exp(-TIMES / 10) + 0.01 * (noise + shift))}, coords={"time": TIMES}
    )


THEORY = xr.Dataset({"pmse": ("time", np.exp(-TIMES / 10))}, coords={"time": TIMES})


def test_z_score_tells_chance_from_a_shift():
    test = check("z_score", "sgd.pmse", "ode.pmse")
    assert judge(test, {"sgd": seeds(0), "ode": THEORY}, "quick").status == PASS
    assert judge(test, {"sgd": seeds(4), "ode": THEORY}, "quick").status == FAIL


def test_z_score_fails_by_chance_as_often_as_stated():
    test = check("z_score", "sgd.pmse", "ode.pmse")
    results = [judge(test, {"sgd": seeds(0, seed=seed), "ode": THEORY}, "quick") for seed in range(300)]
    assert sum(result.status == FAIL for result in results) <= 3  # 0.3 expected; above 3 once in 4000


def test_z_score_asks_more_of_few_seeds():
    test = check("z_score", "sgd.pmse", "ode.pmse")
    few, many = (judge(test, {"sgd": seeds(0, count), "ode": THEORY}, "quick") for count in (3, 30))
    assert few.tolerance > 20 > 6 > many.tolerance > 3


def test_z_score_with_stored_errors():
    result = xr.Dataset({"a": ("x", [1.0, 2.0]), "a_sem": ("x", [0.1, 0.1])}, coords={"x": [0, 1]})
    assert judge(check("z_score", "r.a", 1.5), {"r": result}, "quick").deviation == pytest.approx(5)


def test_z_score_without_any_error_fails():
    result = xr.Dataset({"a": ("x", [1.0, 2.0])}, coords={"x": [0, 1]})
    verdict = judge(check("z_score", "r.a", 1.5), {"r": result}, "quick")
    assert (verdict.status, verdict.note) == (FAIL, "the two have no point in common")


def test_relative_and_at_most():
    results = {
        "a": xr.Dataset({"y": ("x", [1.0, 2.2])}, coords={"x": [0.0, 1.0]}),
        "b": xr.Dataset({"y": ("x", [1.0, 2.0, 9.0])}, coords={"x": [0.0, 1.0, 5.0]}),
    }
    relative = judge(check("relative", "a.y", "b.y", tolerance=0.05), results, "quick")
    assert (relative.status, relative.deviation) == (FAIL, pytest.approx(0.1))
    assert (relative.measured, relative.target) == (2.2, 2.0)
    assert relative.note == "worst of 2 points: x 1"
    assert judge(check("relative", "a.y", "b.y", tolerance=0.11), results, "quick").status == PASS
    assert judge(check("at_most", "a.y", "b.y", tolerance=0.3), results, "quick").status == PASS
    assert judge(check("at_most", "a.y", "b.y", tolerance=0.1), results, "quick").status == FAIL


def test_selection():
    results = {"sgd": seeds(0), "ode": THEORY}
    chosen = judge(check("relative", "sgd.pmse", "ode.pmse", tolerance=1, select={"time": [5, 9]}), results, "quick")
    assert chosen.note.startswith("worst of 5 points")


def test_a_scale_it_does_not_apply_to():
    verdict = judge(check("z_score", "r.a", 1, scales=["paper"]), {}, "quick")
    assert (verdict.status, verdict.note) == (NOT_APPLICABLE, "for the paper scale only")


def test_an_unknown_variable():
    with pytest.raises(ConfigError, match=r"names 'ode\.loss': the figure reads ode\.pmse"):
        judge(check("z_score", "ode.loss", 1), {"ode": THEORY}, "quick")


def test_text_and_back():
    judged = [judge(check("relative", "ode.pmse", "ode.pmse", tolerance=0.1), {"ode": THEORY}, "quick")]
    assert verdicts.load(verdicts.dump(judged)) == judged
    assert verdicts.describe(judged[0]).startswith("pass            t: 0.9048 for 0.9048, relative 0, tolerance 0.1")


WIDTHS = xr.Dataset(
    {"error": (("width", "seed"), [[4.0, 6.0], [3.0, 3.0], [1.0, 1.5]])}, coords={"width": [8, 16, 32], "seed": [0, 1]}
)


def test_mean_relative_forgives_one_point_what_relative_does_not():
    theory = xr.Dataset({"y": ("x", np.ones(10))}, coords={"x": np.arange(10)})
    result = theory + 0.05 * (theory.x == 3)
    verdict = judge(check("mean_relative", "a.y", "b.y", tolerance=0.006), {"a": result, "b": theory}, "quick")
    assert (verdict.status, verdict.note) == (PASS, "worst of 10 points: x 3")
    assert verdict.deviation == pytest.approx(0.005)
    for kind, tolerance in (("mean_relative", 0.004), ("relative", 0.006)):
        test = check(kind, "a.y", "b.y", tolerance=tolerance)
        assert judge(test, {"a": result, "b": theory}, "quick").status == FAIL


def test_spread_allows_two_standard_deviations():
    test = check("spread", "sgd.pmse", "ode.pmse")
    inside, outside = (judge(test, {"sgd": seeds(shift), "ode": THEORY}, "quick") for shift in (1.3, 3))
    assert (inside.status, outside.status) == (PASS, FAIL)
    assert inside.tolerance == pytest.approx(outside.tolerance)


def test_falling_compares_neighbours():
    assert judge(check("falling", "r.error", "width", tolerance=1e-9), {"r": WIDTHS}, "quick").status == PASS
    rising = WIDTHS.isel(width=slice(None, None, -1))
    verdict = judge(check("falling", "r.error", "width", tolerance=1e-9), {"r": rising}, "quick")
    assert (verdict.status, verdict.measured, verdict.target) == (FAIL, 5, 3)


def test_values_to_compare_at():
    test = check("at_most", "r.error", 2.0, tolerance=0.1, at={"width": [32]})
    assert judge(test, {"r": WIDTHS}, "quick").status == PASS
    assert judge(test | {"at": {"width": [16, 32]}}, {"r": WIDTHS}, "quick").status == FAIL
    assert judge(test | {"at": {"width": [64]}}, {"r": WIDTHS}, "quick").status == FAIL


def test_a_single_value_of_a_coordinate_selects_on_the_other_side():
    table = xr.Dataset(
        {"error": (("ridge", "width"), [[5.0, 3.0], [9.0, 9.0]])}, {"ridge": [0.1, 0.2], "width": [8, 16]}
    )
    test = check("relative", "r.error", "table.error", tolerance=0.01)
    for ridge, status in ((0.1, PASS), (0.2, FAIL), (0.3, FAIL)):
        result = WIDTHS.assign_coords(ridge=ridge)
        assert judge(test, {"r": result, "table": table}, "quick").status == status


def test_runs_with_different_single_values_compare():
    weak, strong = WIDTHS.assign_coords(ridge=0.1), (WIDTHS + 1).assign_coords(ridge=0.2)
    assert (
        judge(check("at_most", "a.error", "b.error", tolerance=1e-9), {"a": weak, "b": strong}, "quick").status == PASS
    )
    assert (
        judge(check("at_most", "b.error", "a.error", tolerance=1e-9), {"a": weak, "b": strong}, "quick").status == FAIL
    )


def test_one_seed_has_no_error_to_score_by():
    one = check("z_score", "r.error", 1.0)
    assert judge(one, {"r": WIDTHS.isel(seed=[0])}, "quick").status == FAIL


def test_a_target_read_off_a_picture():
    published = xr.Dataset({"a": ("x", [1.0, 2.0]), "a_reading": ("x", [0.1, 0.1])}, coords={"x": [0, 1]})
    result = {"r": xr.Dataset({"a": ("x", [1.0, 2.2])}, coords={"x": [0, 1]}), "p": published}
    assert judge(check("reading", "r.a", "p.a", tolerance=2.1), result, "quick").status == PASS
    assert judge(check("reading", "r.a", "p.a", tolerance=1.9), result, "quick").status == FAIL


def test_a_target_of_few_draws():
    """Its error is that of one run; the allowance for reading comes off the distance."""
    runs = seeds(0, 16)
    spread = float(runs.pmse.std("seed", ddof=1)[0])
    mean = float(runs.pmse.mean("seed")[0])
    published = xr.Dataset(
        {"pmse": ("time", [mean + 2 * spread]), "pmse_reading": ("time", [0.5 * spread])}, coords={"time": TIMES[:1]}
    )
    test = check("z_score", "sgd.pmse", "p.pmse", target_draws=4)
    verdict = judge(test, {"sgd": runs, "p": published}, "quick")
    assert verdict.deviation == pytest.approx(1.5 / np.sqrt(1 / 4 + 1 / 16))


def test_one_place_against_the_others_and_one_name():
    grid = xr.Dataset(
        {"a": (("x", "kind"), [[1.0, 5.0], [3.0, 4.0], [2.0, 0.0]])}, coords={"x": [0, 1, 2], "kind": ["up", "down"]}
    )
    largest = check("at_most", "r.a", "r.a", tolerance=1e-9, target_at={"x": 1}, at={"kind": ["up"]})
    assert judge(largest, {"r": grid}, "quick").status == PASS
    assert judge(largest | {"at": {"kind": ["down"]}}, {"r": grid}, "quick").status == FAIL
    ordered = check("at_most", "r.a", "r.a", tolerance=1e-9, measured_at={"x": 0}, target_at={"x": 2})
    verdict = judge(ordered, {"r": grid}, "quick")
    assert (verdict.status, verdict.measured, verdict.target) == (FAIL, 5.0, 0.0)

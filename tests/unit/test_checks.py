"""Kinds of checks, each seen to pass and to fail."""

import numpy as np
import pytest
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.figures import checks
from twolayer.figures.checks import (
    FAIL,
    NOT_APPLICABLE,
    NUMERICS,
    PASS,
    THEORY,
    among,
    at_most,
    falling,
    mean_relative,
    reading,
    relative,
    spread,
    z_score,
)
from twolayer.figures.evidence import Absent, Evidence, Source
from twolayer.pipeline import verdicts

TIMES = np.linspace(1, 20, 20)
ABOUT = {"title": "t", "source": "s"}
BOUND = ABOUT | {"compared": NUMERICS}


def seeds(shift, count=8, seed=0):
    """A simulation around exp(-t/10), off by `shift` standard deviations."""
    noise = np.random.default_rng(seed).standard_normal((count, len(TIMES)))
    values = np.exp(-TIMES / 10) + 0.01 * (noise + shift)
    return xr.DataArray(values, dims=("seed", "time"), coords={"time": TIMES}, name="pmse")


CURVE = xr.DataArray(np.exp(-TIMES / 10), dims="time", coords={"time": TIMES}, name="pmse")
WIDTHS = xr.DataArray(
    [[4.0, 6.0], [3.0, 3.0], [1.0, 1.5]],
    dims=("width", "seed"),
    coords={"width": [8, 16, 32], "seed": [0, 1]},
    name="error",
)


def array(values, **companions):
    """Values at x = 0, 1, ... with their errors, as the evidence of a figure has them."""
    dataset = xr.Dataset({"a": ("x", values)}, coords={"x": np.arange(len(values))})
    dataset = dataset.assign({f"a_{what}": ("x", errors) for what, errors in companions.items()})
    return Evidence("quick", {"r": Source(dataset)})["r"].a


def test_z_score_tells_chance_from_a_shift():
    assert z_score(seeds(0), CURVE, **ABOUT).status == PASS
    assert z_score(seeds(4), CURVE, **ABOUT).status == FAIL


def test_z_score_fails_by_chance_as_often_as_stated():
    judged = [z_score(seeds(0, seed=seed), CURVE, **ABOUT) for seed in range(300)]
    assert sum(verdict.status == FAIL for verdict in judged) <= 3  # 0.3 expected; above 3 once in 4000


def test_z_score_asks_more_of_few_seeds():
    few, many = (z_score(seeds(0, count), CURVE, **ABOUT) for count in (3, 30))
    assert few.tolerance > 20 > 6 > many.tolerance > 3


def test_z_score_with_stored_errors():
    assert z_score(array([1.0, 2.0], sem=[0.1, 0.1]), 1.5, **ABOUT).deviation == pytest.approx(5)


def test_stored_errors_follow_into_a_selection():
    both = array([1.0, 2.0], sem=[0.1, 0.5])
    assert z_score(both.sel(x=1), 1.5, **ABOUT).deviation == pytest.approx(1)
    assert z_score(both.isel(x=[0]), 1.5, **ABOUT).deviation == pytest.approx(5)


def test_z_score_without_any_error_fails():
    verdict = z_score(array([1.0, 2.0]), 1.5, **ABOUT)
    assert (verdict.status, verdict.note) == (FAIL, "the two have no common point")


def test_one_seed_has_no_error_to_score_by():
    assert z_score(WIDTHS.isel(seed=[0]), 1.0, **ABOUT).status == FAIL


def test_relative_and_at_most():
    one = xr.DataArray([1.0, 2.2], dims="x", coords={"x": [0.0, 1.0]})
    other = xr.DataArray([1.0, 2.0, 9.0], dims="x", coords={"x": [0.0, 1.0, 5.0]})
    verdict = relative(one, other, tolerance=0.05, **ABOUT)
    assert (verdict.status, verdict.deviation) == (FAIL, pytest.approx(0.1))
    assert (verdict.measured, verdict.target) == (2.2, 2.0)
    assert verdict.note == "worst of 2 points: x 1"
    assert relative(one, other, tolerance=0.11, **ABOUT).status == PASS
    assert at_most(one, other, tolerance=0.3, **BOUND).status == PASS
    assert at_most(one, other, tolerance=0.1, **BOUND).status == FAIL


def test_mean_relative_forgives_one_point_what_relative_does_not():
    curve = xr.DataArray(np.ones(10), dims="x", coords={"x": np.arange(10)})
    off = curve + 0.05 * (curve.x == 3)
    verdict = mean_relative(off, curve, tolerance=0.006, **ABOUT)
    assert (verdict.status, verdict.note) == (PASS, "worst of 10 points: x 3")
    assert verdict.deviation == pytest.approx(0.005)
    assert mean_relative(off, curve, tolerance=0.004, **ABOUT).status == FAIL
    assert relative(off, curve, tolerance=0.006, **ABOUT).status == FAIL


def test_spread_allows_two_standard_deviations():
    inside, outside = (spread(seeds(shift), CURVE, **ABOUT) for shift in (1.3, 3))
    assert (inside.status, outside.status) == (PASS, FAIL)
    assert inside.tolerance == pytest.approx(outside.tolerance)


def test_falling_compares_neighbours():
    assert falling(WIDTHS, "width", **ABOUT).status == PASS
    verdict = falling(WIDTHS.isel(width=slice(None, None, -1)), "width", **ABOUT)
    assert (verdict.status, verdict.measured, verdict.target) == (FAIL, 5, 3)


def test_those_values_that_are_there():
    assert at_most(among(WIDTHS, width=[32, 99]), 2.0, **BOUND).status == PASS
    assert at_most(among(WIDTHS, width=[16, 32]), 2.0, **BOUND).status == FAIL
    assert at_most(among(WIDTHS, width=[64]), 2.0, **BOUND).status == FAIL


@pytest.mark.parametrize(("ridge", "status"), [(0.1, PASS), (0.2, FAIL), (0.3, FAIL)])
def test_a_single_value_of_a_coordinate_selects_on_the_other_side(ridge, status):
    coordinates = {"ridge": [0.1, 0.2], "width": [8, 16]}
    table = xr.DataArray([[5.0, 3.0], [9.0, 9.0]], coords=coordinates, dims=("ridge", "width"))
    assert relative(WIDTHS.assign_coords(ridge=ridge), table, tolerance=0.01, **ABOUT).status == status


def test_runs_with_different_single_values_compare():
    weak, strong = WIDTHS.assign_coords(ridge=0.1), (WIDTHS + 1).assign_coords(ridge=0.2)
    assert at_most(weak, strong, **BOUND).status == PASS
    assert at_most(strong, weak, **BOUND).status == FAIL


def test_a_target_read_off_a_picture():
    published, ours = array([1.0, 2.0], reading=[0.1, 0.1]), array([1.0, 2.2])
    assert reading(ours, published, tolerance=2.1, **ABOUT).status == PASS
    assert reading(ours, published, tolerance=1.9, **ABOUT).status == FAIL


def test_a_target_of_few_draws():
    """Its error is that of one run; the allowance for reading comes off the distance."""
    runs = seeds(0, 16)
    deviation, mean = float(runs.std("seed", ddof=1)[0]), float(runs.mean("seed")[0])
    published = array([mean + 2 * deviation], reading=[0.5 * deviation]).rename(x="time").assign_coords(time=TIMES[:1])
    verdict = z_score(runs, published, target_draws=4, **ABOUT)
    assert verdict.deviation == pytest.approx(1.5 / np.sqrt(1 / 4 + 1 / 16))


def test_what_is_absent_at_this_scale():
    evidence = Evidence("quick", {"sgd": Source(CURVE.to_dataset())})
    elsewhere = evidence.at("paper")["sgd"].pmse.sel(time=slice(1, 3)) + 1
    for verdict in (
        z_score(elsewhere, 1.0, **ABOUT),
        relative(CURVE, abs(elsewhere), tolerance=1, **ABOUT),
        falling(elsewhere, "time", **ABOUT),
        at_most(among(elsewhere, time=[1]), 2, **BOUND),
    ):
        assert (verdict.status, verdict.note) == (NOT_APPLICABLE, "for the paper scale only")
    assert evidence.at("paper", "quick") is evidence
    with pytest.raises(TypeError):
        list(elsewhere)


def test_evidence_knows_runs_by_their_parameters():
    points = [{"ridge": ridge, "kind": kind} for ridge in (0.1, 0.2) for kind in ("up", "down")]
    sources = {f"run{number}": Source(CURVE.to_dataset() * number, "run", point) for number, point in enumerate(points)}
    evidence = Evidence("quick", sources)
    assert float(evidence.find("run", ridge=0.2, kind="up").pmse[0]) == pytest.approx(2 * float(CURVE[0]))
    assert [point for point, _ in evidence.grid("run")] == points
    for wrong, message in (
        (lambda: evidence["run7"], "unknown run 'run7': the figure reads run0, run1"),
        (lambda: evidence.grid("runs"), "unknown family 'runs': the figure reads run"),
        (lambda: evidence.find("run", ridge=0.1), "2 runs of 'run' have"),
        (lambda: evidence.find("run", ridge=0.7), "0 runs of 'run' have"),
    ):
        with pytest.raises(ConfigError, match=message):
            wrong()


@pytest.mark.parametrize(
    "check",
    [
        lambda one, other: z_score(one, other, **ABOUT),
        lambda one, other: relative(one, other, tolerance=0.03, **ABOUT),
        lambda one, other: mean_relative(one, other, tolerance=0.03, **ABOUT),
        lambda one, other: at_most(one, other, tolerance=0.02, **BOUND),
    ],
)
def test_sharpness_is_the_smallest_error_that_is_noticed(check):
    """A measured side that agrees passes with a little less of an error, and fails with a little more."""
    exact = xr.broadcast(CURVE, seeds(0))[0].transpose("seed", "time")
    noise = seeds(0) - seeds(0).mean("seed")
    ours = (exact + noise).rename("pmse")
    sharpness = check(ours, CURVE).sharpness
    assert sharpness > 0.005
    assert check((exact * (1 + 0.98 * sharpness) + noise).rename("pmse"), CURVE).status == PASS
    assert check((exact * (1 + 1.02 * sharpness) + noise).rename("pmse"), CURVE).status == FAIL


def test_sharpness_of_readings_and_spreads():
    published = array([1.0, 2.0], reading=[0.1, 0.1])
    assert reading(array([1.0, 2.0]), published, tolerance=1.5, **ABOUT).sharpness == pytest.approx(0.075)
    verdict = spread(seeds(0), CURVE, **ABOUT)
    assert verdict.sharpness == pytest.approx(verdict.tolerance)


def test_no_sharpness_beside_zero():
    assert at_most(array([1e-14, 1e-13]), 0.0, tolerance=1e-10, **BOUND).sharpness is None


def test_text_and_back():
    judged = [relative(CURVE, CURVE, tolerance=0.1, **ABOUT), z_score(Absent("elsewhere"), 1, **ABOUT)]
    assert verdicts.load(verdicts.dump(judged)) == judged
    line = verdicts.describe(judged[0])
    assert line.startswith("pass            t: 0.9048 for 0.9048, relative 0, tolerance 0.1, would notice 10 %")
    assert THEORY in line
    assert verdicts.describe(judged[1]) == "not applicable  t (elsewhere)"


def test_every_kind_says_what_was_compared():
    assert {checks.PUBLISHED, checks.THEORY, checks.INDEPENDENT, checks.NUMERICS} == set(checks.COMPARED)
    assert z_score(CURVE, CURVE, **ABOUT).compared == THEORY
    assert reading(array([1.0]), array([1.0], reading=[1.0]), tolerance=1, **ABOUT).compared == checks.PUBLISHED

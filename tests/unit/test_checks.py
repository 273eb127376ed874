"""Kinds of checks, each seen to pass and to fail."""

import numpy as np
import pytest
import xarray as xr
from judged import at_most, falling, mean_relative, ordering, pooled, reading, relative, z_score
from scipy.stats import norm
from scipy.stats import t as student_t

from twolayer.errors import ConfigError
from twolayer.figures import checks, outcomes, significance
from twolayer.figures.checks import NUMERICS, ORDERINGS, THEORY, among
from twolayer.figures.evidence import Absent, Evidence, Source
from twolayer.figures.outcomes import FAIL, NOT_APPLICABLE, PASS, UNDECIDED
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.check_table import COLUMNS, line, table
from twolayer.pipeline.report.provenance import Provenance

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


def test_the_configuration_may_list_an_axis_in_any_order():
    shuffled = WIDTHS.isel(width=[2, 0, 1]).to_dataset()
    xr.testing.assert_equal(Evidence("quick", {"r": Source(shuffled)})["r"].error, WIDTHS)
    ridges = WIDTHS.rename(width="ridge").assign_coords(ridge=[0.1, 0.001, 0.01])
    assert Evidence("quick", {"r": Source(ridges.to_dataset())})["r"].ridge.values.tolist() == [0.1, 0.001, 0.01]


def test_z_score_tells_chance_from_a_shift():
    assert z_score(seeds(0), CURVE, **ABOUT).status == PASS
    assert z_score(seeds(4), CURVE, **ABOUT).status == FAIL


@pytest.mark.slow
@pytest.mark.parametrize("kind", [z_score, pooled])
@pytest.mark.parametrize("name", ["CHANCE", "MAIN_CHANCE"])
def test_a_right_result_fails_as_often_as_stated(kind, name, monkeypatch):
    """With a probability of 5 %, 25 of 500 are expected, and 5 or 50 occur once in a million."""
    monkeypatch.setattr(outcomes, name, 0.05)
    judged = [kind(seeds(0, seed=seed)[:, :3], CURVE[:3], main=name == "MAIN_CHANCE", **ABOUT) for seed in range(500)]
    assert 5 < sum(outcome.status == FAIL for outcome in judged) < 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", [z_score, pooled])
def test_the_probability_by_chance_is_uniform_if_all_is_right(kind):
    """The largest distance between two distributions of 400 numbers exceeds 0.115 once in 20,000 cases."""
    found = np.sort([kind(seeds(0, seed=seed)[:, 0], CURVE[0], **ABOUT).probability for seed in range(400)])
    assert np.max(abs(found - np.linspace(0, 1, 400))) < 0.115


def test_the_probability_by_chance_counts_points_and_known_errors():
    assert z_score(seeds(0).isel(time=[0]), CURVE, **ABOUT).probability < 1
    noisy = seeds(3)
    few, many = (z_score(noisy.isel(time=slice(count)), CURVE, **ABOUT) for count in (1, 20))
    assert few.probability < many.probability < 1e-3
    assert pooled(seeds(2), CURVE, **ABOUT).probability < 1e-3 < pooled(seeds(2), CURVE, stated=1, **ABOUT).probability
    assert relative(CURVE, CURVE, tolerance=0.1, **ABOUT).probability is None


def test_z_score_allows_for_a_stated_error():
    """Of the reference, or of a stated scale. The error of the mean is far smaller."""
    moved = CURVE * 1.1 + 0.001 * (seeds(0) - CURVE)
    assert z_score(moved, CURVE, **ABOUT).status == z_score(moved, CURVE, stated=0.09, **ABOUT).status == FAIL
    outcome = z_score(moved, CURVE, stated=0.11, **ABOUT)
    assert (outcome.status, outcome.fixed) == (PASS, pytest.approx(0.11))
    scaled = z_score(moved, CURVE, stated=0.11, relative_to=0.5 * CURVE, **ABOUT)
    assert (scaled.status, scaled.fixed) == (FAIL, pytest.approx(0.11))


def test_z_score_asks_more_of_few_seeds():
    few, many = (z_score(seeds(0, count), CURVE, **ABOUT) for count in (3, 30))
    assert few.tolerance > 100 > 9 > many.tolerance > 5


def test_z_score_with_stored_errors():
    assert z_score(array([1.0, 2.0], sem=[0.1, 0.1]), 1.5, **ABOUT).deviation == pytest.approx(5)


def test_what_diverged_is_no_point_to_leave_out():
    outcome = z_score(array([1.5, np.inf], sem=[0.1, 0.1]), 1.5, **ABOUT)
    assert (outcome.status, outcome.deviation) == (FAIL, np.inf)


def test_stored_errors_follow_into_a_selection():
    both = array([1.0, 2.0], sem=[0.1, 0.5])
    assert z_score(both.sel(x=1), 1.5, **ABOUT).deviation == pytest.approx(1)
    assert z_score(both.isel(x=[0]), 1.5, **ABOUT).deviation == pytest.approx(5)


def test_z_score_without_any_error_fails():
    outcome = z_score(array([1.0, 2.0]), 1.5, **ABOUT)
    assert (outcome.status, outcome.note) == (FAIL, "the two sides have no common point")


def test_one_seed_has_no_error_to_score_by():
    assert z_score(WIDTHS.isel(seed=[0]), 1.0, **ABOUT).status == FAIL


def test_relative_and_at_most():
    one = xr.DataArray([1.0, 2.2], dims="x", coords={"x": [0.0, 1.0]})
    other = xr.DataArray([1.0, 2.0, 9.0], dims="x", coords={"x": [0.0, 1.0, 5.0]})
    outcome = relative(one, other, tolerance=0.05, **ABOUT)
    assert (outcome.status, outcome.deviation) == (FAIL, pytest.approx(0.1))
    assert (outcome.value, outcome.reference) == (2.2, 2.0)
    assert outcome.note == "worst of 2 points: x 1"
    assert relative(one, other, tolerance=0.11, **ABOUT).status == PASS
    assert at_most(one, other, tolerance=0.3, **BOUND).status == PASS
    assert at_most(one, other, tolerance=0.1, **BOUND).status == FAIL


def test_mean_relative_forgives_one_point_what_relative_does_not():
    curve = xr.DataArray(np.ones(10), dims="x", coords={"x": np.arange(10)})
    off = curve + 0.05 * (curve.x == 3)
    outcome = mean_relative(off, curve, tolerance=0.006, **ABOUT)
    assert (outcome.status, outcome.note) == (PASS, "mean of 10 points, in units of the reference")
    assert outcome.deviation == outcome.difference == pytest.approx(0.005)
    assert (outcome.value, outcome.reference) == (pytest.approx(1.005), 1)
    assert mean_relative(off, curve, tolerance=0.004, **ABOUT).status == FAIL
    assert relative(off, curve, tolerance=0.006, **ABOUT).status == FAIL


def test_pooled_detects_less_with_more_seeds():
    """A shift of a third of a standard deviation at all points: 2.8 and 8 standard errors of the pooled mean."""
    few, many = (pooled(seeds(0.33, count), CURVE, **ABOUT) for count in (8, 64))
    assert (few.status, many.status) == (PASS, FAIL)
    assert 2 < few.tolerance / many.tolerance < 12
    assert pooled(seeds(0, 64), CURVE, **ABOUT).status == PASS


def test_pooled_judges_the_mean_of_relative_deviations():
    runs = xr.DataArray([[1.1, 4.0], [1.3, 4.0]], dims=("seed", "x"), coords={"x": [0, 1]})
    outcome = pooled(runs, array([1.0, 4.0]), **ABOUT)
    assert outcome.deviation == pytest.approx((0.05 + 0.15) / 2)
    assert outcome.tolerance == pytest.approx(student_t.isf(outcomes.CHANCE / 2, 1) * 0.05)
    assert (outcome.value, outcome.reference) == (pytest.approx(1.1), 1.0)
    assert outcome.note == "mean of 2 points, in units of the reference"
    below = pooled(2 * array([1.0, 4.0]) - runs, array([1.0, 4.0]), **ABOUT)
    assert below.deviation == pytest.approx(outcome.deviation)


def test_pooled_counts_the_errors_of_its_target():
    uncertain = CURVE.assign_coords(pmse_sem=0.01 * CURVE)
    assert pooled(seeds(0.33, 64), CURVE, **ABOUT).status == FAIL
    assert pooled(seeds(0.33, 64), uncertain, **ABOUT).status == PASS
    other = seeds(0, 64, seed=1)
    assert pooled(seeds(0.33, 64), other, **ABOUT).status == FAIL
    assert pooled(seeds(0.1, 64), other, **ABOUT).status == PASS


def test_pooled_pairs_seeds_of_the_same_numbers():
    """Most noise is common to the two runs of a seed: a difference of 2 % shows where they are pairs."""
    rng = np.random.default_rng(0)
    common = 1 + 0.3 * rng.standard_normal((16, 1)) + np.zeros(20)
    ours, other = (
        xr.DataArray(common + 0.01 * rng.standard_normal((16, 20)), dims=("seed", "time"), coords={"time": TIMES})
        for _ in range(2)
    )
    numbered = {"seed": np.arange(16)}
    assert pooled(ours + 0.02, other, **ABOUT).status == PASS
    assert pooled((ours + 0.02).assign_coords(numbered), other.assign_coords(numbered), **ABOUT).status == FAIL
    assert pooled(ours.assign_coords(numbered), other.assign_coords(numbered), **ABOUT).status == PASS


def test_pooled_without_any_error_fails():
    assert pooled(array([1.0, 2.0]), array([1.0, 2.0]), **ABOUT).status == FAIL
    assert pooled(seeds(0, 1), CURVE, **ABOUT).status == FAIL


@pytest.mark.parametrize("on_average", [False, True])
def test_an_order_is_seen_beyond_the_error_over_seeds(on_average):
    ways = ABOUT | {"on_average": on_average}
    assert ordering(seeds(9), CURVE, **ways).status == PASS
    assert ordering(CURVE, seeds(9), **ways).status == FAIL
    assert ordering(seeds(0.3), CURVE, **ways).status == UNDECIDED
    assert ordering(CURVE, seeds(-9), **ways).status == PASS


def test_an_order_on_average_forgives_a_point_what_one_at_every_point_does_not():
    crossing = seeds(5) - 0.1 * (CURVE.time < 1.5)
    assert ordering(crossing, CURVE, **ABOUT).status == FAIL  # at its first point the order is the other one
    assert ordering(crossing, CURVE, on_average=True, **ABOUT).status == PASS


def test_an_order_within_what_is_stated_or_was_read_is_none():
    one, other = array([1.05, 2.2]), array([1.0, 2.0])
    assert ordering(one, other, stated=0.04, **ABOUT).status == PASS
    outcome = ordering(one, other, stated=0.06, **ABOUT)
    assert (outcome.status, outcome.deviation, outcome.tolerance) == (UNDECIDED, pytest.approx(-5 / 6), -1)
    assert ordering(one, other, stated=0.06, on_average=True, **ABOUT).status == PASS
    assert ordering(one, array([1.0, 2.0], reading=[0.04, 0.1]), **ABOUT).status == PASS
    assert ordering(one, array([1.0, 2.0], reading=[0.06, 0.1]), **ABOUT).status == UNDECIDED
    assert ordering(one, array([1.0, 2.0], sem=[0.01, 0.01]), **ABOUT).status == PASS
    assert ordering(one, array([1.0, 2.0], sem=[0.02, 0.02]), **ABOUT).status == UNDECIDED


def test_an_order_without_any_error_is_not_judged():
    assert ordering(array([2.0]), array([1.0]), **ABOUT).note == "the two sides have no common point"
    one_seed = WIDTHS.isel(seed=[0])
    assert ordering(one_seed.sel(width=8), one_seed.sel(width=32), **ABOUT).status == FAIL
    assert ordering(one_seed.sel(width=8), one_seed.sel(width=32), stated=0.5, **ABOUT).status == PASS


def test_an_order_of_pairs():
    """Seeds that differ much more than the two runs of each."""
    common = xr.DataArray(np.linspace(1, 9, 12), dims="seed", coords={"seed": np.arange(12)})
    noise = 0.01 * np.random.default_rng(0).standard_normal(12)
    assert ordering(common + 0.1 + noise, common, **ABOUT).status == PASS
    assert ordering(common + 0.1 + noise, common.assign_coords(seed=np.arange(12, 24)), **ABOUT).status == UNDECIDED


def test_falling_compares_neighbours():
    assert falling(WIDTHS, "width", **ABOUT).status == PASS
    outcome = falling(WIDTHS.isel(width=slice(None, None, -1)), "width", **ABOUT)
    assert (outcome.status, outcome.value, outcome.reference) == (UNDECIDED, 5, 3)  # two seeds: 2 with an error of 1
    assert falling(WIDTHS.mean("seed").isel(width=slice(None, None, -1)), "width", **ABOUT).status == FAIL


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
    """The target has the error of one run. The reading error is subtracted from the distance."""
    runs = seeds(0, 16)
    deviation, mean = float(runs.std("seed", ddof=1)[0]), float(runs.mean("seed")[0])
    published = array([mean + 2 * deviation], reading=[0.5 * deviation]).rename(x="time").assign_coords(time=TIMES[:1])
    outcome = z_score(runs, published, target_draws=4, **ABOUT)
    assert outcome.deviation == pytest.approx(1.5 / np.sqrt(1 / 4 + 1 / 16))


@pytest.mark.parametrize(("offset", "status"), [(0.9e-3, PASS), (1.1e-3, FAIL)])
def test_a_target_with_seeds_that_is_known_to_a_bound(offset, status):
    """Values without scatter, for instance whole numbers, at a single point or at all points."""
    noise = 1e-9 * np.random.default_rng(0).standard_normal((2, 8, len(TIMES)))
    measured, target = (xr.zeros_like(seeds(0)) + part for part in noise)
    target = (target + offset).assign_coords(pmse_reading=1e-3)
    assert z_score(measured, target, **ABOUT).status == status
    assert z_score(measured.isel(time=3), target, **ABOUT).status == status


def test_what_is_absent_at_this_scale():
    evidence = Evidence("quick", {"sgd": Source(CURVE.to_dataset())})
    elsewhere = evidence.at("paper")["sgd"].pmse.sel(time=slice(1, 3)) + 1
    for outcome in (
        z_score(elsewhere, 1.0, **ABOUT),
        relative(CURVE, abs(elsewhere), tolerance=1, **ABOUT),
        falling(elsewhere, "time", **ABOUT),
        at_most(among(elsewhere, time=[1]), 2, **BOUND),
    ):
        assert (outcome.status, outcome.note) == (NOT_APPLICABLE, "for the paper preset only")
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
        (lambda: evidence.find("run", ridge=0.1), "2 runs of 'run' have {'ridge': 0.1}: the figure reads"),
        (lambda: evidence.find("run", ridge=0.7), "and to the grid if it lacks it"),
    ):
        with pytest.raises(ConfigError, match=message):
            wrong()


@pytest.mark.parametrize("kind", [z_score, pooled])
@pytest.mark.parametrize("time", [3, slice(None)])
def test_an_error_above_the_detection_limit_fails(kind, time):
    """At one point, or the same at all points; a little less of it passes."""
    exact = xr.broadcast(CURVE, seeds(0))[0].transpose("seed", "time")
    noise = seeds(0) - seeds(0).mean("seed")

    def off_by(error):
        runs = (exact * (1 + error) + noise).rename("pmse").isel(time=time)
        return kind(runs, CURVE.isel(time=time), **ABOUT)

    limit = off_by(0).detects if time == 3 else min_limit(kind, exact + noise)
    assert limit > 0.005
    assert off_by(0.98 * limit).status == PASS
    assert off_by(1.02 * limit).status == FAIL


@pytest.mark.parametrize("kind", [relative, mean_relative])
def test_an_error_above_a_stated_tolerance_fails(kind):
    for error, status in ((0.029, PASS), (0.031, FAIL)):
        outcome = kind(CURVE * (1 + error), CURVE, tolerance=0.03, **ABOUT)
        assert (outcome.status, outcome.detects) == (status, pytest.approx(0.03))


def min_limit(kind, ours):
    """The smallest detection limit over the points, which an error that is common to all points exceeds first."""
    whole = kind(ours.rename("pmse"), CURVE, **ABOUT)
    if whole.note.startswith("mean"):
        return whole.detects
    # the Bonferroni correction counts all points, so the limits at single points are scaled by the tolerances
    single = [kind(ours.rename("pmse").isel(time=[n]), CURVE.isel(time=[n]), **ABOUT) for n in range(len(TIMES))]
    return min(one.detects * whole.tolerance / one.tolerance for one in single)


def test_the_detection_limit_of_a_check_is_the_median_over_its_points():
    ours, published = array([1.0, 2.0, 4.2]), array([1.0, 2.0, 4.0], reading=[0.1, 0.1, 0.1])
    outcome = reading(ours, published, tolerance=3, **ABOUT)
    assert (outcome.difference, outcome.detects) == (pytest.approx(0.05), pytest.approx(0.075))  # at the point shown
    assert outcome.detects_median == pytest.approx(0.15)


def test_a_stated_tolerance_that_chance_exceeds_is_undecided():
    """A value of 1.1 with a standard error of 0.01, against a tolerance of 5 %: five errors more."""
    noise = np.array([-1, 1, -1, 1, -1, 1, -1, 1]) * 0.01 * np.sqrt(7)
    runs = xr.DataArray(1.1 + noise, dims="seed", name="a")
    for kind in (relative, mean_relative):
        outcome = kind(runs, 1.0, tolerance=0.05, **ABOUT)
        assert (outcome.status, outcome.deviation) == (UNDECIDED, pytest.approx(0.1))
        assert outcome.note.startswith("undecided: about ")
        assert outcome.detects == pytest.approx(0.05 + 0.01 * student_t.isf(outcomes.CHANCE, 7))
        assert kind(runs + 0.1, 1.0, tolerance=0.05, **ABOUT).status == FAIL
        assert kind(runs.mean(), 1.0, tolerance=0.05, **ABOUT).status == FAIL


def test_the_detection_limit_counts_the_error_of_reading():
    published = array([1.0, 2.0], reading=[0.1, 0.1])
    outcome = z_score(array([1.12, 2.0], sem=[0.01, 0.01]), published, **ABOUT)
    assert outcome.status == PASS
    assert outcome.detects == pytest.approx(0.1 + outcome.tolerance * 0.01)


def test_z_score_corrects_for_the_number_of_points():
    one, twenty = (z_score(seeds(0).isel(time=slice(count)), CURVE, **ABOUT).tolerance for count in (1, 20))
    assert one == pytest.approx(student_t.isf(outcomes.CHANCE / 2, 7))
    assert twenty > 1.5 * one


def test_published_values_need_the_parameters_of_the_paper():
    run = Source(CURVE.to_dataset(), "sgd", {}, {"schedule": {"learning_rate": 0.3}, "seeds": 4})
    evidence = Evidence("quick", {"sgd": run})
    assert evidence.parameter("sgd", "schedule.learning_rate") == 0.3
    assert evidence.as_published("sgd", schedule__learning_rate=0.3, seeds=4) is evidence
    absent = evidence.as_published("sgd", schedule__learning_rate=0.2)
    assert isinstance(absent, Absent)
    assert absent.reason == "learning_rate is 0.3, the paper's is 0.2"
    for wrong in ("rate", "schedule.rate", "seeds.first"):
        with pytest.raises(ConfigError, match=r"run 'sgd' has no parameter .*: it has .*: correct the name"):
            evidence.parameter("sgd", wrong)
    with pytest.raises(ConfigError, match="unknown run 'sdg'"):
        evidence.parameter("sdg", "seeds")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("check", [z_score, pooled])
def test_a_passing_check_is_off_by_at_most_its_detection_limit(check, seed):
    """At the point that is shown, in the same unit."""
    outcome = check(seeds(0.5, seed=seed), CURVE, **ABOUT)
    assert (outcome.status == PASS) is (outcome.difference <= outcome.detects)


def test_a_detection_limit_in_the_scale_of_what_a_difference_is_made_of():
    difference = seeds(0) - CURVE
    assert z_score(difference, 0.0, **ABOUT).detects is None
    outcome = z_score(difference, 0.0, relative_to=CURVE, **ABOUT)
    assert outcome.detects == pytest.approx(z_score(seeds(0), CURVE, **ABOUT).detects)
    assert z_score(difference, 0.0, relative_to=2 * CURVE, **ABOUT).detects == pytest.approx(outcome.detects / 2)
    assert z_score(difference, 0.0, relative_to=2.0, **ABOUT).status == outcome.status == PASS


@pytest.mark.parametrize("on_average", [False, True])
def test_a_one_sided_check_states_its_margin_in_standard_errors(on_average):
    outcome = ordering(seeds(9), CURVE, on_average=on_average, **ABOUT)
    assert (outcome.difference, outcome.detects, outcome.detects_median) == (None, None, None)
    one = seeds(9).mean("time")
    error = float(one.std("seed", ddof=1)) / np.sqrt(8)
    mean = ordering(one.rename("pmse"), float(CURVE.mean()), **ABOUT)
    needed = student_t.isf(checks.EVIDENCE, 7) * error
    assert mean.margin == pytest.approx((float(one.mean() - CURVE.mean()) - needed) / error, rel=1e-3)
    assert at_most(array([0.5], sem=[0.1]), 1.0, **BOUND).margin == pytest.approx(5)
    assert at_most(array([0.5]), 1.0, **BOUND).margin is None


def test_a_bound_that_chance_exceeds_is_undecided():
    assert at_most(array([1.2], sem=[0.1]), 1.0, **BOUND).status == UNDECIDED
    assert at_most(array([1.45], sem=[0.1]), 1.0, **BOUND).status == FAIL
    assert at_most(array([1.4]), 1.0, **BOUND).status == FAIL
    draws = xr.DataArray([0.9, 1.3, 1.1, 1.2], dims="seed", name="a")
    outcome = at_most(draws, 1.0, **BOUND)
    assert outcome.status == UNDECIDED
    assert outcome.note == "undecided: about 45 runs would decide it (4 now)"


def test_one_sided_checks_correct_for_the_number_of_points():
    """An excess that one point alone would not have by chance, among twenty."""
    excess = float(student_t.isf(outcomes.CHANCE / 3, 7))
    over, draws = CURVE.time == 1, seeds(0) - seeds(0).mean("seed")
    error = draws.std("seed", ddof=1) / np.sqrt(8)
    above = (draws + excess * error * over).rename("pmse")
    for many in (at_most(above, 0.0, **BOUND), ordering(0 * CURVE, above, **ABOUT)):
        assert many.status == UNDECIDED
    single = above.isel(time=0)
    for one in (at_most(single, 0.0, **BOUND), ordering(0 * CURVE.isel(time=0), single, **ABOUT)):
        assert one.status == FAIL


def test_so_many_runs_decide():
    """An order at one and a half standard errors is decided with the number of seeds that the check states."""
    rng = np.random.default_rng(2)

    def draws(count):
        noise = rng.standard_normal(count)
        return xr.DataArray(0.5 + (noise - noise.mean()) / noise.std(ddof=1), dims="seed", name="a")

    outcome = ordering(draws(9), 0.0, **ABOUT)
    (runs,) = (int(word.replace(",", "")) for word in outcome.note.split() if word.replace(",", "").isdigit())
    assert outcome.status == UNDECIDED
    assert ordering(draws(runs), 0.0, **ABOUT).status == PASS
    assert ordering(draws(9), 0.0, stated=0.1, **ABOUT).status == UNDECIDED


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_check_that_cannot_fail_is_refused(bad):
    for check in (z_score, pooled):
        with pytest.raises(ConfigError, match="the check 't' compares with"):
            check(seeds(0), bad, **ABOUT)
    with pytest.raises(ConfigError, match="so it cannot fail"):
        at_most(seeds(0), bad, **BOUND)
    assert at_most(seeds(0), CURVE * np.inf, **BOUND).note == "the two sides have no common point"
    with pytest.raises(ConfigError, match="the check 't' compares with"):
        checks.at_most(bad, seeds(0), **BOUND)


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        (checks.z_score, {}),
        (checks.relative, {"tolerance": 0.1}),
        (checks.mean_relative, {"tolerance": 0.1}),
        (checks.pooled, {}),
        (checks.reading, {"tolerance": 1}),
        (checks.at_most, {"compared": NUMERICS}),
        (checks.ordering, {}),
    ],
)
def test_a_check_of_two_constants_is_refused(kind, about):
    with pytest.raises(ConfigError, match=r"compares two numbers, 1 and 2\.0, so its outcome is fixed"):
        kind(1, 2.0, **ABOUT, **about)


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        (z_score, {}),
        (relative, {"tolerance": 0.1}),
        (mean_relative, {"tolerance": 0.1}),
        (pooled, {}),
        (reading, {"tolerance": 1}),
        (at_most, {"compared": NUMERICS}),
        (ordering, {}),
    ],
)
def test_a_comparison_without_data_does_not_pass(kind, about):
    empty = seeds(0).isel(time=slice(0, 0))
    for one, other in ((empty, CURVE), (seeds(0), CURVE.isel(time=slice(0, 0))), (seeds(0) * np.nan, CURVE)):
        assert kind(one, other, **ABOUT, **about).status == FAIL


def test_the_main_check_is_marked():
    assert not relative(CURVE, CURVE, tolerance=0.1, **ABOUT).main
    assert relative(CURVE, CURVE, tolerance=0.1, main=True, **ABOUT).main


def test_a_main_check_detects_more_than_the_others():
    usual, main = (z_score(seeds(0), CURVE, main=main, **ABOUT) for main in (False, True))
    assert main.detects_median < usual.detects_median


def test_text_and_back(tmp_path):
    judged = [relative(CURVE, CURVE, tolerance=0.1, **ABOUT), z_score(Absent("elsewhere"), 1, **ABOUT)]
    figure_checks = check_results.FigureChecks(
        judged, Provenance(2, 1.5, "2026-01-01", "2026-01-02", ("abc",), (), ("x86_64",))
    )
    check_results.write(figure_checks, tmp_path / "fig1.json")
    assert check_results.read(tmp_path / "fig1.json") == figure_checks
    assert line(judged[0]) == (
        "pass: t: 0.9048 (reference 0.9048), deviation 0 % (limit 10 %) "
        "(theory and simulation; worst of 20 points: time 1)"
    )
    assert line(judged[1]) == "not applicable: t (elsewhere) (theory and simulation)"


def test_columns_of_the_table():
    judged = [
        relative(array([1.1]), 1.0, tolerance=0.2, main=True, **ABOUT),
        ordering(seeds(9), CURVE, **ABOUT),
        at_most(array([0.5]), 1.0, **BOUND),
        z_score(Absent("elsewhere"), 1, **ABOUT),
    ]
    head, first, second, third, fourth = table(judged).splitlines()[:5]
    assert tuple(head.split()) == COLUMNS
    assert " ".join(first.split()) == "pass main check: t 1.1 1 10 % 20 % 20 % theory and simulation"
    assert "margin" in second
    assert second.endswith(ORDERINGS)
    assert third.split()[:6] == ["pass", "t", "0.5", "1", "-0.5", "0"]
    uneven = reading(array([1.0, 4.2]), array([1.0, 4.0], reading=[0.1, 0.1]), tolerance=3, **ABOUT)
    assert " ".join(table([uneven]).splitlines()[1].split()) == "pass t 4.2 4 5 % 7.5 % 19 % published values"
    assert fourth.split() == ["not", "applicable", "t", "(elsewhere)", "theory", "and", "simulation"]


def test_every_kind_says_what_was_compared():
    names = {checks.PUBLISHED, checks.ORDERINGS, checks.THEORY, checks.INDEPENDENT, checks.NUMERICS}
    assert names == set(checks.COMPARED)
    assert z_score(CURVE, CURVE, **ABOUT).compared == THEORY
    assert reading(array([1.0]), array([1.0], reading=[1.0]), tolerance=1, **ABOUT).compared == checks.PUBLISHED


def noisy_points(means, errors, count=8):
    """Runs with these means and standard errors at x = 0, 1, ..."""
    noise = np.random.default_rng(0).standard_normal((count, len(means)))
    noise -= noise.mean(axis=0)
    noise /= noise.std(axis=0, ddof=1) / np.sqrt(count)
    return xr.DataArray(means + errors * noise, dims=("seed", "x"), coords={"x": np.arange(len(means))}, name="a")


TWO_POINTS = {
    "relative": lambda values: relative(values, array([1.0, 1.0]), tolerance=0.1, **ABOUT),
    "at_most": lambda values: at_most(values, array([1.0, 1.0]), tolerance=0.1, **BOUND),
    "ordering": lambda values: ordering(2 - values, array([1.0, 1.0]), stated=0.1, **ABOUT),
}


@pytest.mark.parametrize("judge", TWO_POINTS.values(), ids=TWO_POINTS)
def test_an_undecided_point_does_not_hide_a_failing_one(judge):
    """The second point deviates more, but within its own error."""
    means, errors = np.array([1.3, 1.8]), np.array([1e-3, 0.5])
    outcome = judge(noisy_points(means, errors))
    assert (outcome.status, outcome.note) == (FAIL, "worst of 2 points: x 0")
    assert judge(noisy_points(means[::-1], errors[::-1])).status == FAIL
    assert judge(noisy_points(means, errors).isel(x=[1])).status == UNDECIDED


def test_an_undecided_rise_does_not_hide_a_failing_one():
    rises = noisy_points(np.array([1.0, 1.3, 2.0]), np.array([1e-3, 1e-3, 0.9]))
    outcome = falling(rises, "x", tolerance=0.1, **BOUND)
    assert (outcome.status, outcome.note) == (FAIL, "worst of 2 points: x 1")
    assert falling(rises.isel(x=[1, 2]), "x", tolerance=0.1, **BOUND).status == UNDECIDED


@pytest.mark.parametrize("freedom", [1.0, 2.0, 7.5, 40.0, 1e6, np.inf])
def test_limits_of_significance_have_the_bits_of_scipy(freedom):
    probabilities, values = 10.0 ** np.arange(-20.0, 0.0), np.arange(-3.0, 40.0)
    assert np.array_equal(significance.student_limit(probabilities, freedom), student_t.isf(probabilities, freedom))
    assert np.array_equal(significance.student_tail(values, freedom), student_t.sf(values, freedom))
    assert np.array_equal(significance.normal_limit(probabilities), norm.isf(probabilities))

"""Wrong statements about checks: limits, statuses and labels."""

from wrong import Wrong

CHECKS = "tests/unit/test_checks.py"
VARIANTS = "tests/workflow/test_variants.py"

WRONG = [
    Wrong(
        "detection limit of the best point",
        "figures._median",
        "np.median",
        "np.min",
        test=f"{CHECKS}::test_the_detection_limit_of_a_check_is_the_median_over_its_points",
    ),
    Wrong(
        "values at the best point",
        "figures._worst",
        "argmax",
        "argmin",
        test=f"{CHECKS}::test_relative_and_at_most",
    ),
    Wrong(
        "a failing point hidden by an undecided one",
        "figures._worst",
        "fails.any()",
        "False",
        test=f"{CHECKS}::test_an_undecided_rise_does_not_hide_a_failing_one",
    ),
    Wrong(
        "detection limit without the error of reading",
        "figures.z_score",
        "(tolerance * error + known)",
        "tolerance * error",
        test=f"{CHECKS}::test_the_detection_limit_counts_the_error_of_reading",
    ),
    Wrong(
        "no correction for the number of points",
        "figures.z_score",
        "2 * _count(scores)",
        "2",
        test=f"{CHECKS}::test_z_score_corrects_for_the_number_of_points",
    ),
    Wrong(
        "no correction for the number of points of a bound",
        "figures._one_sided",
        "chance / _count(gap.value)",
        "chance",
        test=f"{CHECKS}::test_one_sided_checks_correct_for_the_number_of_points",
    ),
    Wrong(
        "main checks with the probability of the others",
        "figures.Check.outcome",
        "MAIN_CHANCE if self.main else CHANCE",
        "CHANCE",
        test=f"{CHECKS}::test_a_main_check_detects_more_than_the_others",
    ),
    Wrong(
        "an excess within its error fails",
        "figures._status",
        "tolerance + undecided",
        "tolerance",
        test=f"{CHECKS}::test_a_bound_that_chance_exceeds_is_undecided",
    ),
    Wrong(
        "runs to decide without the smaller quantile of more runs",
        "figures._runs_to_decide",
        "counts -",
        "outcome.runs -",
        test=f"{CHECKS}::test_a_bound_that_chance_exceeds_is_undecided",
    ),
    Wrong(
        "margin in half standard errors",
        "figures.Check.outcome",
        "float((",
        "float(2 * (",
        test=f"{CHECKS}::test_a_one_sided_check_states_its_margin_in_standard_errors",
    ),
    Wrong(
        "published orderings counted as values",
        "figures.checks._check",
        "ORDERINGS",
        "PUBLISHED",
        test=f"{CHECKS}::test_columns_of_the_table",
    ),
    Wrong(
        "the median printed as the limit at the point shown",
        "pipeline.columns",
        "tolerance if stated else outcome.detects",
        "detects_median",
        test=f"{CHECKS}::test_columns_of_the_table",
    ),
    Wrong(
        "published values compared whatever the parameters",
        "figures.Evidence.with_parameters",
        "value != expected",
        "False",
        test=f"{CHECKS}::test_published_values_need_the_parameters_of_the_paper",
    ),
    Wrong(
        "published streams shifted as well",
        "parameters.shift_seeds",
        "published'",
        "none'",
        test=f"{VARIANTS}::test_every_seed_is_shifted_except_of_published_streams",
    ),
    Wrong(
        "differences in standard errors of one side",
        "pipeline._difference",
        "np.hypot(errors, other_errors)",
        "errors",
        test=f"{VARIANTS}::test_differences_in_standard_errors",
    ),
]

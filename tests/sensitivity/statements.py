"""Wrong statements about checks: limits, statuses and labels."""

from wrong import Wrong

CHECKS = "tests/unit/test_checks.py"
VARIANTS = "tests/workflow/test_variants.py"

WRONG = [
    Wrong(
        "detection limit of the best point",
        "figures/checks.py",
        "return float(np.median(finite))",
        "return float(np.min(finite))",
        test=f"{CHECKS}::test_the_detection_limit_of_a_check_is_the_median_over_its_points",
    ),
    Wrong(
        "values at the best point",
        "figures/checks.py",
        'int(np.argmax(points["deviation"]))',
        'int(np.argmin(points["deviation"]))',
        test=f"{CHECKS}::test_relative_and_at_most",
    ),
    Wrong(
        "detection limit without the error of reading",
        "figures/checks.py",
        "(tolerance * error + other.reading) / abs(scale.value)",
        "(tolerance * error) / abs(scale.value)",
        test=f"{CHECKS}::test_the_detection_limit_counts_the_error_of_reading",
    ),
    Wrong(
        "no correction for the number of points",
        "figures/checks.py",
        "tests = 2 * _count(scores)",
        "tests = 2",
        test=f"{CHECKS}::test_z_score_corrects_for_the_number_of_points",
    ),
    Wrong(
        "no correction for the number of points of a bound",
        "figures/checks.py",
        "level = chance / _count(gap.value)",
        "level = chance",
        test=f"{CHECKS}::test_one_sided_checks_correct_for_the_number_of_points",
    ),
    Wrong(
        "main checks with the probability of the others",
        "figures/checks.py",
        "chance = MAIN_CHANCE if self.main else CHANCE",
        "chance = CHANCE",
        test=f"{CHECKS}::test_a_main_check_detects_more_than_the_others",
    ),
    Wrong(
        "an excess within its error fails",
        "figures/checks.py",
        'deviation < outcome.tolerance + at["undecided"]',
        "deviation < outcome.tolerance",
        test=f"{CHECKS}::test_a_bound_that_chance_exceeds_is_undecided",
    ),
    Wrong(
        "runs to decide without the smaller quantile of more runs",
        "figures/checks.py",
        "outcome.level, counts - 1) * errors",
        "outcome.level, outcome.runs - 1) * errors",
        test=f"{CHECKS}::test_a_bound_that_chance_exceeds_is_undecided",
    ),
    Wrong(
        "margin in half standard errors",
        "figures/checks.py",
        '(outcome.tolerance - deviation) / at["errors"]',
        '2 * (outcome.tolerance - deviation) / at["errors"]',
        test=f"{CHECKS}::test_a_one_sided_check_states_its_margin_in_standard_errors",
    ),
    Wrong(
        "published orderings counted as values",
        "figures/checks.py",
        "compared = ORDERINGS if",
        "compared = PUBLISHED if",
        test=f"{CHECKS}::test_columns_of_the_table",
    ),
    Wrong(
        "the median printed as the limit at the point shown",
        "pipeline/report/check_table.py",
        "outcome.tolerance if stated else outcome.detects)",
        "outcome.detects_median)",
        test=f"{CHECKS}::test_columns_of_the_table",
    ),
    Wrong(
        "published values compared whatever the parameters",
        "figures/evidence.py",
        "if value != expected:",
        "if False:",
        test=f"{CHECKS}::test_published_values_need_the_parameters_of_the_paper",
    ),
    Wrong(
        "published streams shifted as well",
        "parameters.py",
        'getattr(parameters, "stream", None) == "published"',
        'getattr(parameters, "stream", None) == "none"',
        test=f"{VARIANTS}::test_every_seed_is_shifted_except_of_published_streams",
    ),
    Wrong(
        "differences in standard errors of one side",
        "pipeline/compare.py",
        "np.hypot(errors, other_errors).ravel()",
        "errors.ravel()",
        test=f"{VARIANTS}::test_differences_in_standard_errors",
    ),
]

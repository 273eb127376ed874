"""Wrong labels, conditions and limits of the figures of mixtures."""

from wrong import Wrong

TESTS = "tests/workflow/test_labels_mixtures.py"
FOLLOWS = f"{TESTS}::test_no_text_keeps_the_old_value_of_a_parameter"
APPLIES = f"{TESTS}::test_checks_apply_to_the_parameters_that_they_are_for"

WRONG = [
    Wrong(
        "fig1: the weight decay is written into the legend",
        "figures._errors_against_noise",
        "\"network, weight decay ${mathematical(r.parameter(run, 'weight_decay'))}$\"",
        "'network, weight decay $10^{-5}$'",
        test=f"{FOLLOWS}[fig1-paper]",
    ),
    Wrong(
        "fig2: the dimension is written into the names of checks",
        "figures._large_checks",
        "_large(r)",
        "20000",
        test=f"{FOLLOWS}[fig2-paper]",
    ),
    Wrong(
        "fig3: the activation is written into the title",
        "figures._students",
        "r.parameter('sgd_mnist', 'student.activation')",
        "'erf'",
        test=f"{FOLLOWS}[fig3-paper]",
    ),
    Wrong(
        "fig4: the width of the networks is written into the legend",
        "figures._regime",
        "\"network, $K={r.parameter(f'{mixture}_trained_{regime}', 'student.hidden_units')}$\"",
        "'network, $K=8$'",
        test=f"{FOLLOWS}[fig4-paper]",
    ),
    Wrong(
        "theory_comparison: the number of samples is written into a source",
        "figures._closed_form_checks",
        "r.parameter('comparison_linear', 'simulated_samples')",
        "20000",
        test=f"{FOLLOWS}[theory_comparison-paper]",
    ),
    Wrong(
        "checks apply whatever the parameters are",
        "figures.Evidence.with_parameters",
        "!= expected",
        "is expected is None",
        test=APPLIES,
    ),
    Wrong(
        "fig1: checks against the published curve whatever the weight decay is",
        "figures.PAPER_NETWORK",
        "'weight_decay': 1e-05, ",
        "",
        test=APPLIES,
    ),
    Wrong(
        "fig7: an effect of any size is one",
        "figures.cost_check",
        "LEAST[key],",
        "1e-06,",
        test=f"{TESTS}::test_the_cost_of_a_learning_rate_has_a_least_size[0.001-fail]",
    ),
    Wrong(
        "custom data: the equations of motion hold at any dimension",
        "figures.with_large_dimension",
        "< SMALLEST",
        "< 0",
        test=f"{TESTS}::test_online_checks_of_data_need_many_directions[5-False]",
    ),
    Wrong(
        "averages over points: every reference counts the same",
        "figures.as_draws",
        ".mean()",
        "",
        test=f"{TESTS}::test_a_point_counts_with_the_size_of_its_reference",
    ),
    Wrong(
        "custom_generator: moments without an error",
        "figures.custom_generator._covariance_check",
        "np.sqrt(1 + samples / of_moments)",
        "1",
        test=f"{TESTS}::test_the_moments_of_a_generator_have_an_error_as_well",
    ),
    Wrong(
        "custom_data: a stated tolerance without the error over seeds",
        "figures.custom_data._online_checks",
        "after_start(r['custom_sgd']).pmse, theory.pmse",
        "after_start(r['custom_sgd']).pmse.mean('seed'), theory.pmse",
        test=f"{TESTS}::test_a_stated_tolerance_has_a_margin_from_the_error_over_seeds",
    ),
    Wrong(
        "outputs on a finite set: the variance as a difference of losses",
        "theory.replica.finite_data_sets.subset_outputs",
        "np.mean(residuals ** 2) * (1 / minimum.spread - 1)",
        "2 * minimum.change(1 - counts) / (1 - share) - np.mean(residuals ** 2)",
        test="tests/unit/test_finite_sets.py::test_outputs_scatter_where_samples_are_not_gaussian",
    ),
]

"""Wrong standard errors, too large or too small."""

from wrong import Wrong

_TESTS = "tests/errors/test_standard_errors.py"


def _wrong(name: str, place: str, old: str, new: str, test: str) -> Wrong:
    return Wrong(f"standard error: {name}", place, old, new, test=f"{_TESTS}::{test}")


WRONG = [
    _wrong(
        "pmse of fixed points times 3",
        "experiments.fixed_point._row",
        "pmse_sem': np",
        "pmse_sem': 3 * np",
        "TestQuadrature::test_fixed_points[pmse]",
    ),
    _wrong(
        "pmse of fixed points divided by 3",
        "experiments.fixed_point._row",
        "pmse_sem': np",
        "pmse_sem': 1 / 3 * np",
        "TestQuadrature::test_fixed_points[pmse]",
    ),
    _wrong(
        "class error of fixed points times 3",
        "experiments.fixed_point._row",
        "class_error_sem': np",
        "class_error_sem': 3 * np",
        "TestQuadrature::test_fixed_points[class_error]",
    ),
    _wrong(
        "fixed points move along flat directions with other nodes",
        "theory.with_other_nodes",
        "point.flat_directions:",
        "False:",
        "TestQuadrature::test_fixed_points_with_flat_directions[pmse]",
    ),
    _wrong(
        "pmse of learning curves as the change with other nodes",
        "experiments.learning_curve.run",
        ") / math.sqrt(2)",
        ")",
        "TestQuadrature::test_learning_curves[pmse]",
    ),
    _wrong(
        "class error of learning curves divided by 3",
        "experiments.learning_curve._class_errors",
        "np.sqrt(",
        "1 / 3 * np.sqrt(",
        "TestQuadrature::test_learning_curves[class_error]",
    ),
    _wrong(
        "Bayes error of one scramble, along lines",
        "theory._mean",
        "1) / math.sqrt(len(errors))",
        "1)",
        "TestQuadrature::test_bayes_error_along_lines[0.6]",
    ),
    _wrong(
        "Bayes error divided by the number of scrambles, over inputs",
        "theory._mean",
        "math.sqrt(len(errors))",
        "len(errors)",
        "TestQuadrature::test_bayes_error_over_inputs",
    ),
    _wrong(
        "class errors of learning curves from one difference",
        "experiments.learning_curve._class_errors",
        "np.maximum(between / 4, (within / 2 + between) / 12)",
        "between / 4",
        "TestQuadrature::test_class_errors_of_learning_curves_are_rarely_too_small",
    ),
    _wrong(
        "class errors of learning curves times 3",
        "experiments.learning_curve._class_errors",
        "np.sqrt(",
        "3 * np.sqrt(",
        "TestQuadrature::test_learning_curves[class_error]",
    ),
    _wrong(
        "quadrature of simulated learning curves times 3",
        "experiments.simulations_to_dataset",
        "changes_around",
        "3 * changes_around",
        "TestChangesWithOtherNodes::test_simulated_learning_curves",
    ),
    _wrong(
        "quadrature of trained errors times 3",
        "experiments.trained_error.run",
        "np.sqrt",
        "3 * np.sqrt",
        "TestChangesWithOtherNodes::test_trained_errors",
    ),
    _wrong(
        "quadrature of trained errors divided by 3",
        "experiments.trained_error.run",
        "(again - errors) ** 2))",
        "(again - errors) ** 2)) / 3",
        "TestChangesWithOtherNodes::test_trained_errors",
    ),
    _wrong(
        "quadrature of phases times 3",
        "experiments._together",
        "': math",
        "': 3 * math",
        "TestChangesWithOtherNodes::test_phases",
    ),
    _wrong(
        "pmse of readouts on fresh inputs times 3",
        "simulation.simulate_readout",
        "float(values",
        "3 * float(values",
        "TestFreshInputs::test_random_features[pmse]",
    ),
    _wrong(
        "class error of readouts on fresh inputs divided by 3",
        "simulation.simulate_readout",
        "float(values",
        "1 / 3 * float(values",
        "TestFreshInputs::test_readouts_of_any_mixture[class_error]",
    ),
    _wrong(
        "means of clouds times 3",
        "experiments.feature_cloud.run",
        "cloud.points.std",
        "3 * cloud.points.std",
        "TestFreshInputs::test_means_of_clouds",
    ),
    _wrong(
        "means of clouds of one point",
        "experiments.feature_cloud.run",
        "np.sqrt(config.samples)",
        "config.samples",
        "TestFreshInputs::test_means_of_clouds",
    ),
    _wrong(
        "class errors of clouds with weights in the place of their squares",
        "experiments._separation",
        "** 2 *",
        "*",
        "TestFreshInputs::test_class_errors_of_clouds",
    ),
    _wrong(
        "power of noisy images times 3",
        "experiments.class_statistics.run",
        "powers.std",
        "3 * powers.std",
        "TestFreshInputs::test_powers_of_noisy_images",
    ),
    _wrong(
        "power of noisy images divided by 3",
        "experiments.class_statistics.run",
        "powers.std",
        "1 / 3 * powers.std",
        "TestFreshInputs::test_powers_of_noisy_images",
    ),
    _wrong(
        "moments of generators times 3",
        "simulation.StreamedMoments.result",
        "math.sqrt",
        "3 * math.sqrt",
        "TestFreshInputs::test_moments_of_generators[Omega]",
    ),
    _wrong(
        "moments of generators divided by 3",
        "simulation.StreamedMoments.result",
        "math.sqrt",
        "1 / 3 * math.sqrt",
        "TestFreshInputs::test_moments_of_generators[Phi]",
    ),
    _wrong(
        "spread on the torus times 3",
        "experiments.torus_teacher.run",
        "scale * error",
        "3 * scale * error",
        "TestTeachers::test_spread_on_the_torus",
    ),
    _wrong(
        "spread on the torus of all features in the place of half of them",
        "experiments.torus_teacher.run",
        "around[::2]",
        "around",
        "TestTeachers::test_spread_on_the_torus",
    ),
    _wrong(
        "frequencies on the circle as of independent samples",
        "model.CircleTeacher.frequency_errors",
        "variances = (m * p * (1 - p",
        "mass = sum(self._masses(edges) * np.array([[2], [1]])) / 3\n    variances = (m * mass * (1 - mass",
        "TestTeachers::test_frequencies_on_the_circle[10000.0]",
    ),
    _wrong(
        "frequencies on the circle divided by 3",
        "model.CircleTeacher.frequency_errors",
        "/ samples",
        "/ samples / 3",
        "TestTeachers::test_frequencies_on_the_circle[1.0]",
    ),
    _wrong(
        "accuracy of guesses times 3",
        "experiments._counting_error",
        "np.sqrt",
        "3 * np.sqrt",
        "TestTrainings::test_accuracies_of_guesses",
    ),
    _wrong(
        "fall of the risk with the error of one end",
        "experiments.training_result",
        "(start.var(ddof=1) + end.var(ddof=1))",
        "start.var(ddof=1)",
        "TestTrainings::test_a_risk_that_does_not_fall",
    ),
    _wrong(
        "decay without the error of the floor",
        "simulation.decay_exponent",
        "floor.var(ddof=1) / len(floor)",
        "0.0",
        "TestGaussianEquivalence::test_decay_of_known_powers[0.5-40]",
    ),
    _wrong(
        "decay with the scatter of one draw",
        "simulation.decay_exponent",
        "2) / draws",
        "2)",
        "TestGaussianEquivalence::test_decay_of_known_powers[0.05-5]",
    ),
    _wrong(
        "variance scores of normal fields for all fields",
        "simulation._slice",
        "fourth - variance ** 2",
        "2 * variance ** 2",
        "TestGaussianEquivalence::test_variance_scores[3]",
    ),
    *(
        Wrong(
            f"tabulation error {name}",
            "model.Activation.tabulation_error",
            "_tabulated[1]",
            f"_tabulated[1] * {factor}",
            test=f"tests/errors/test_bounds.py::{test}",
        )
        for name, factor, test in (
            ("times 3", "3", "test_stated_errors_of_tables_are_not_much_too_large"),
            ("divided by 3", "(1 / 3)", "test_tables_are_as_accurate_as_stated[tanh]"),
        )
    ),
]

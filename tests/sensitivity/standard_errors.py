"""Wrong standard errors, too large or too small."""

from wrong import Wrong

_TESTS = "tests/errors/test_standard_errors.py"
_READOUT = "float(values.std(ddof=1)) / math.sqrt(samples) for values"
_MOMENTS = "errors = (math.sqrt(max(m - np.sum(A**2), 0) / self.count) for"


def _wrong(name: str, file: str, old: str, new: str, test: str) -> Wrong:
    return Wrong(f"standard error: {name}", file, old, new, test=f"{_TESTS}::{test}")


WRONG = [
    _wrong(
        "pmse of fixed points times 3",
        "experiments/mixtures/fixed_point.py",
        '"pmse_sem": np.std([',
        '"pmse_sem": 3 * np.std([',
        "TestQuadrature::test_fixed_points[pmse]",
    ),
    _wrong(
        "pmse of fixed points divided by 3",
        "experiments/mixtures/fixed_point.py",
        '"pmse_sem": np.std([',
        '"pmse_sem": 1 / 3 * np.std([',
        "TestQuadrature::test_fixed_points[pmse]",
    ),
    _wrong(
        "class error of fixed points times 3",
        "experiments/mixtures/fixed_point.py",
        '"class_error_sem": np.std([',
        '"class_error_sem": 3 * np.std([',
        "TestQuadrature::test_fixed_points[class_error]",
    ),
    _wrong(
        "fixed points move along flat directions with other nodes",
        "theory/mixtures/fixed_point.py",
        "    if point.flat_directions:\n",
        "    if False:\n",
        "TestQuadrature::test_fixed_points_with_flat_directions[pmse]",
    ),
    _wrong(
        "pmse of learning curves as the change with other nodes",
        "experiments/mixtures/learning_curve.py",
        'changes_around(changes["pmse"]) / math.sqrt(2)',
        'changes_around(changes["pmse"])',
        "TestQuadrature::test_learning_curves[pmse]",
    ),
    _wrong(
        "class error of learning curves divided by 3",
        "experiments/mixtures/learning_curve.py",
        'changes_around(0.5 * changes["class_error"])',
        'changes_around(0.5 * changes["class_error"]) / 3',
        "TestQuadrature::test_learning_curves[class_error]",
    ),
    _wrong(
        "Bayes error of one scramble, along lines",
        "theory/mixtures/bayes_error.py",
        "np.std(errors, ddof=1) / math.sqrt(len(errors))",
        "np.std(errors, ddof=1)",
        "TestQuadrature::test_bayes_error_along_lines[0.6]",
    ),
    _wrong(
        "Bayes error divided by the number of scrambles, over inputs",
        "theory/mixtures/bayes_error.py",
        "np.std(errors, ddof=1) / math.sqrt(len(errors))",
        "np.std(errors, ddof=1) / len(errors)",
        "TestQuadrature::test_bayes_error_over_inputs",
    ),
    _wrong(
        "quadrature of simulated learning curves times 3",
        "results/learning_curve.py",
        "changes_around(np.array(again)",
        "3 * changes_around(np.array(again)",
        "TestChangesWithOtherNodes::test_simulated_learning_curves",
    ),
    _wrong(
        "quadrature of trained errors times 3",
        "experiments/mixtures/trained_error.py",
        "np.sqrt(np.mean((again - errors) ** 2, axis=1))",
        "3 * np.sqrt(np.mean((again - errors) ** 2, axis=1))",
        "TestChangesWithOtherNodes::test_trained_errors",
    ),
    _wrong(
        "quadrature of trained errors divided by 3",
        "experiments/mixtures/trained_error.py",
        "np.sqrt(np.mean((again - errors) ** 2, axis=1))",
        "np.sqrt(np.mean((again - errors) ** 2, axis=1)) / 3",
        "TestChangesWithOtherNodes::test_trained_errors",
    ),
    _wrong(
        "quadrature of phases times 3",
        "experiments/mixtures/phase_row.py",
        "math.hypot(*changes) / math.sqrt(len(changes))",
        "3 * math.hypot(*changes) / math.sqrt(len(changes))",
        "TestChangesWithOtherNodes::test_phases",
    ),
    _wrong(
        "pmse of readouts on fresh inputs times 3",
        "simulation/features/random_features.py",
        _READOUT,
        _READOUT.replace("float", "3 * float"),
        "TestFreshInputs::test_random_features[pmse]",
    ),
    _wrong(
        "class error of readouts on fresh inputs divided by 3",
        "simulation/features/random_features.py",
        _READOUT,
        _READOUT.replace("float", "1 / 3 * float"),
        "TestFreshInputs::test_readouts_of_any_mixture[class_error]",
    ),
    _wrong(
        "means of clouds times 3",
        "experiments/features/feature_cloud.py",
        "cloud.points.std(axis=1, ddof=1) / np",
        "3 * cloud.points.std(axis=1, ddof=1) / np",
        "TestFreshInputs::test_means_of_clouds",
    ),
    _wrong(
        "means of clouds of one point",
        "experiments/features/feature_cloud.py",
        "cloud.points.std(axis=1, ddof=1) / np.sqrt(config.samples)",
        "cloud.points.std(axis=1, ddof=1) / config.samples",
        "TestFreshInputs::test_means_of_clouds",
    ),
    _wrong(
        "class errors of clouds with weights in the place of their squares",
        "experiments/features/feature_cloud.py",
        "np.sum(weights**2 * expected",
        "np.sum(weights * expected",
        "TestFreshInputs::test_class_errors_of_clouds",
    ),
    _wrong(
        "power of noisy images times 3",
        "experiments/one_step/class_statistics.py",
        "powers.std(axis=1, ddof=1) * np",
        "3 * powers.std(axis=1, ddof=1) * np",
        "TestFreshInputs::test_powers_of_noisy_images",
    ),
    _wrong(
        "power of noisy images divided by 3",
        "experiments/one_step/class_statistics.py",
        "powers.std(axis=1, ddof=1) * np",
        "1 / 3 * powers.std(axis=1, ddof=1) * np",
        "TestFreshInputs::test_powers_of_noisy_images",
    ),
    _wrong(
        "moments of generators times 3",
        "simulation/teacher_student/moments.py",
        _MOMENTS,
        _MOMENTS.replace("(math", "(3 * math"),
        "TestFreshInputs::test_moments_of_generators[Omega]",
    ),
    _wrong(
        "moments of generators divided by 3",
        "simulation/teacher_student/moments.py",
        _MOMENTS,
        _MOMENTS.replace("(math", "(1 / 3 * math"),
        "TestFreshInputs::test_moments_of_generators[Phi]",
    ),
    _wrong(
        "spread on the torus times 3",
        "experiments/torus/torus_teacher.py",
        "np.full((2, 2), scale * error)",
        "np.full((2, 2), 3 * scale * error)",
        "TestTeachers::test_spread_on_the_torus",
    ),
    _wrong(
        "spread on the torus of all features in the place of half of them",
        "experiments/torus/torus_teacher.py",
        "len(around[::2])",
        "len(around)",
        "TestTeachers::test_spread_on_the_torus",
    ),
    _wrong(
        "frequencies on the circle as of independent samples",
        "model/teachers/teacher_distributions.py",
        "variances = (m * p * (1 - p) for",
        "mass = sum(self._masses(edges) * np.array([[2], [1]])) / 3\n        variances = (m * mass * (1 - mass) for",
        "TestTeachers::test_frequencies_on_the_circle[10000.0]",
    ),
    _wrong(
        "frequencies on the circle divided by 3",
        "model/teachers/teacher_distributions.py",
        "np.sqrt(sum(variances)) / samples",
        "np.sqrt(sum(variances)) / samples / 3",
        "TestTeachers::test_frequencies_on_the_circle[1.0]",
    ),
    _wrong(
        "accuracy of guesses times 3",
        "experiments/images/image_training.py",
        "return np.sqrt(1 / CLASSES * (1 - 1 / CLASSES)",
        "return 3 * np.sqrt(1 / CLASSES * (1 - 1 / CLASSES)",
        "TestTrainings::test_accuracies_of_guesses",
    ),
    _wrong(
        "risk_decrease of the risk with the error of one end",
        "experiments/images/image_training.py",
        "np.sqrt((start.var(ddof=1) + end.var(ddof=1)) / steps)",
        "np.sqrt(start.var(ddof=1) / steps)",
        "TestTrainings::test_a_risk_that_does_not_fall",
    ),
    _wrong(
        "decay without the error of the floor",
        "simulation/teacher_student/equivalence_distance.py",
        "common = floor.var(ddof=1) / len(floor)",
        "common = 0.0",
        "TestGaussianEquivalence::test_decay_of_known_powers[0.5-40]",
    ),
    _wrong(
        "decay with the scatter of one draw",
        "simulation/teacher_student/equivalence_distance.py",
        "squares.var(axis=0, ddof=1) / mean**2) / draws",
        "squares.var(axis=0, ddof=1) / mean**2)",
        "TestGaussianEquivalence::test_decay_of_known_powers[0.05-5]",
    ),
    _wrong(
        "variance scores of normal fields for all fields",
        "simulation/teacher_student/equivalence_distance.py",
        "math.sqrt((fourth - variance**2) / z.size)",
        "math.sqrt(2 * variance**2 / z.size)",
        "TestGaussianEquivalence::test_variance_scores[3]",
    ),
    *(
        Wrong(
            f"tabulation error {name}",
            "model/networks/activations.py",
            "return 0.0 if self.code != _TABLE else self._tabulated[1]",
            f"return 0.0 if self.code != _TABLE else self._tabulated[1] * {factor}",
            test=f"tests/errors/test_bounds.py::{test}",
        )
        for name, factor, test in (
            ("times 3", "3", "test_stated_errors_of_tables_are_not_much_too_large"),
            ("divided by 3", "(1 / 3)", "test_tables_are_as_accurate_as_stated[tanh]"),
        )
    ),
]

"""Wrong versions of what is said of one's own data."""

from wrong import Wrong

WRONG = [
    Wrong(
        "two classes: the mean of a class in the place of its share",
        "theory/replica/class_mixture.py",
        "share * (density @ f)",
        "density @ f",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "two classes: covariance of both in the place of that within one",
        "theory/replica/class_mixture.py",
        "within = Omega - balance * np.outer(difference, difference)",
        "within = Omega.copy()",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "two classes: response without the pull of other samples",
        "theory/replica/class_mixture.py",
        "f * (1 - f) / (1 + V * f * (1 - f))",
        "f * (1 - f)",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "one Gaussian for all samples: labels without noise",
        "model/mixtures/data_sets.py",
        "min(wanted, _STEEPEST)",
        "_STEEPEST",
        test="tests/unit/test_own_samples.py::test_surrogates_have_the_moments",
    ),
    Wrong(
        "surrogates: the covariance of all samples within each cluster",
        "model/mixtures/data_sets.py",
        "self.Omega - (sums.T * weights) @ sums",
        "self.Omega.copy()",
        test="tests/unit/test_own_samples.py::test_mixtures_have_the_moments",
    ),
    Wrong(
        "SGD on samples: learning rate 10 % up",
        "simulation/mixtures/stepping.py",
        "rate = learning_rate / np.sqrt(N) * error",
        "rate = 1.1 * learning_rate / np.sqrt(N) * error",
        test="tests/unit/test_own_samples.py::test_steps_are_those_of_the_rule",
    ),
    Wrong(
        "variance r_squared: not corrected for chance",
        "model/mixtures/data_sets.py",
        "1 - (1 - raw) * (n - 1) / (n - d - 1)",
        "raw",
        test="tests/unit/test_own_samples.py::test_pure_noise_explains_nothing",
    ),
    Wrong(
        "plateau: the noise of SGD half as strong",
        "theory/mixtures/plateau.py",
        "noise = rate**2 * sum",
        "noise = 0.5 * rate**2 * sum",
        test="tests/unit/test_plateau.py::test_one_relu_unit",
    ),
    Wrong(
        "plateau: without the noise of SGD on the way",
        "theory/mixtures/plateau.py",
        "added, square = propagator @ both[:size, size:],",
        "added, square = 0.0 * self.noise,",
        test="tests/unit/test_plateau.py::test_the_mean_square_of_one_unit",
    ),
    Wrong(
        "phases: runs start with half the part in the space of the means",
        "experiments/mixtures/phase_row.py",
        "rng.standard_normal(state.R.shape) @ root.T",
        "0.5 * rng.standard_normal(state.R.shape) @ root.T",
        figure="phases",
        runs=tuple(f"plateau_sigma{sigma:g}" for sigma in (0.4, 0.6, 0.8, 1.0, 1.2, 1.5)),
    ),
    Wrong(
        "student of a teacher: the noise of SGD half as strong",
        "theory/teacher_student/isotropic_teacher.py",
        "eta * eta * averages.noise[k, j]",
        "0.5 * eta * eta * averages.noise[k, j]",
        figure="saad_solla",
        runs=("as_many_curve", "more_curve"),
    ),
    Wrong(
        "student of a teacher: no label noise in the noise of SGD",
        "theory/teacher_student/signal_averages.py",
        "averages.noise[k, j] += problem.label_variance",
        "averages.noise[k, j] += 0.0 * problem.label_variance",
        test="tests/golden/test_field_teacher.py::test_isotropic_inputs",
    ),
    Wrong(
        "local fields: inputs 3 % too large",
        "experiments/generators/local_fields.py",
        "(x - known.mean)",
        "1.03 * (x - known.mean)",
        test="tests/unit/test_own_generators.py::TestLocalFields::test_of_a_linear_generator_are_gaussian",
    ),
]

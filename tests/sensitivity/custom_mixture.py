"""Wrong versions of what is said of one's own data."""

from wrong import Wrong

WRONG = [
    Wrong(
        "two classes: the mean of a class in the place of its share",
        "theory.class_overlaps",
        "share * (density @ f)",
        "density @ f",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "two classes: covariance of both in the place of that within one",
        "theory.class_distribution",
        "Omega - balance * np.outer(difference, difference)",
        "Omega.copy()",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "two classes: response without the pull of other samples",
        "theory._LOSSES",
        "f * (1 - f) / (1 + V * f * (1 - f))",
        "f * (1 - f)",
        test="tests/unit/test_class_mixture.py::test_estimators_on_samples",
    ),
    Wrong(
        "one Gaussian for all samples: labels without noise",
        "model.LabelledData.field_distribution",
        "min(wanted, _STEEPEST)",
        "_STEEPEST",
        test="tests/unit/test_own_samples.py::test_surrogates_have_the_moments",
    ),
    Wrong(
        "surrogates: the covariance of all samples within each cluster",
        "model.LabelledData.clusters",
        "Omega - sums.T * weights @ sums",
        "Omega.copy()",
        test="tests/unit/test_own_samples.py::test_mixtures_have_the_moments",
    ),
    Wrong(
        "SGD on samples: learning rate 10 % up",
        "simulation.stepping.learn_from",
        "learning_rate / np",
        "1.1 * learning_rate / np",
        test="tests/unit/test_own_samples.py::test_steps_are_those_of_the_rule",
    ),
    Wrong(
        "variance r_squared: not corrected for chance",
        "model.LabelledData.r_squared",
        "1 - (1 - raw) * (n - 1) / (n - d - 1)",
        "raw",
        test="tests/unit/test_own_samples.py::test_pure_noise_explains_nothing",
    ),
    Wrong(
        "plateau: the noise of SGD half as strong",
        "theory.plateau",
        "rate **",
        "0.5 * rate **",
        test="tests/unit/test_plateau.py::test_one_relu_unit",
    ),
    Wrong(
        "plateau: without the noise of SGD on the way",
        "theory.Plateau.mean_square",
        "propagator @ both[:size, size:]",
        "0.0 * self.noise",
        test="tests/unit/test_plateau.py::test_the_mean_square_of_one_unit",
    ),
    Wrong(
        "phases: runs start with half the part in the space of the means",
        "experiments._plateau_start",
        "R=rng",
        "R=0.5 * rng",
        figure="phases",
        runs=tuple(f"plateau_sigma{sigma:g}" for sigma in (0.4, 0.6, 0.8, 1.0, 1.2, 1.5)),
    ),
    Wrong(
        "student of a teacher: the noise of SGD half as strong",
        "theory.isotropic_teacher._drift",
        "+ eta *",
        "+ 0.5 * eta *",
        figure="saad_solla",
        runs=("as_many_curve", "more_curve"),
    ),
    Wrong(
        "student of a teacher: no label noise in the noise of SGD",
        "theory._add_label_noise",
        "+= problem",
        "+= 0.0 * problem",
        test="tests/golden/test_field_teacher.py::test_isotropic_inputs",
    ),
    Wrong(
        "local fields: inputs 3 % too large",
        "experiments.local_fields._draw",
        "hstack([",
        "hstack([1.03 * ",
        test="tests/unit/test_own_generators.py::TestLocalFields::test_of_a_linear_generator_are_gaussian",
    ),
]

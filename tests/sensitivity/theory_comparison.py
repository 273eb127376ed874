"""Wrong versions of the theory_comparison of four theories."""

from wrong import Wrong

_NETWORKS = "tests/unit/test_mixture_step.py::test_theory_against_networks"

WRONG = [
    Wrong(
        "theory of one-step networks on a mixture without their step",
        "experiments/features/feature_step.py",
        "mixture_ridge(trial.mixture, moved,",
        "mixture_ridge(trial.mixture, start,",
        test=_NETWORKS,
    ),
    Wrong(
        "a step on the samples of the fit",
        "experiments/features/feature_step.py",
        "trial.gradient, [activation]",
        "trial.train, [activation]",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of outputs without their offset",
        "theory/one_step/mixture_step.py",
        "offset=float(mixture.weights @ mixture.labels)",
        "offset=0.0",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of clusters at the origin",
        "theory/one_step/class_error.py",
        "mixture.means @ axes[",
        "0 * mixture.means @ axes[",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of fields of noise one",
        "theory/one_step/mixture_step.py",
        "across = mixture.variance * (",
        "across = (",
        test=_NETWORKS,
    ),
    Wrong(
        "a projection at twice the ridge",
        "experiments/features/projected_features.py",
        "Risk(ridge, 0.0)",
        "Risk(2 * ridge, 0.0)",
        test="tests/unit/test_mixture_step.py::test_ridge_regression_is_the_projection",
    ),
    Wrong(
        "networks of one-step learning that are not those of variable projection",
        "experiments/features/projected_features.py",
        "torch.from_numpy(trial.network.F)",
        "torch.from_numpy(trial.network.F[::-1] * 1.01)",
        test="tests/unit/test_mixture_step.py::test_a_network_is_the_same_at_all_levels_and_for_all_ways_of_learning",
    ),
]

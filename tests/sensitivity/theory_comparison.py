"""Wrong versions of the theory_comparison of four theories."""

from wrong import Wrong

_NETWORKS = "tests/unit/test_mixture_step.py::test_theory_against_networks"

WRONG = [
    Wrong(
        "theory of one-step networks on a mixture without their step",
        "experiments.feature_step._errors",
        "moved, moved",
        "start, moved",
        test=_NETWORKS,
    ),
    Wrong(
        "a step on the samples of the fit",
        "experiments.feature_step._errors",
        "gradient,",
        "train,",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of outputs without their offset",
        "theory.mixture_ridge",
        "float(mixture.weights @ mixture.labels)",
        "0.0",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of clusters at the origin",
        "theory.isotropic_clusters",
        "root = (",
        "root = (0 * ",
        test=_NETWORKS,
    ),
    Wrong(
        "class error of fields of noise one",
        "theory.mixture_ridge",
        "mixture.variance * (first_layer @ first_layer.T - along @ along.T)",
        "first_layer @ first_layer.T - along @ along.T",
        test=_NETWORKS,
    ),
    Wrong(
        "a projection at twice the ridge",
        "experiments.projected_features._errors",
        "ridge, 0.0",
        "2 * ridge, 0.0",
        test="tests/unit/test_mixture_step.py::test_ridge_regression_is_the_projection",
    ),
    Wrong(
        "one-step learning with other networks than variable projection",
        "experiments.projected_features._errors",
        "network.F)",
        "network.F[::-1] * 1.01)",
        test="tests/unit/test_mixture_step.py::test_a_network_is_the_same_at_all_levels_and_for_all_ways_of_learning",
    ),
]

"""Every task from its parameters to a labelled result, at the smallest size."""

from pathlib import Path

import numpy as np
import pytest

from twolayer.config import parse
from twolayer.errors import ConfigError
from twolayer.tasks import TASKS

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
OWN = {"shape": "own", "means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}
LEARNING = {
    "student": {"activation": "relu", "hidden_units": 3, "seed": 4},
    "schedule": {"learning_rate": 0.1, "weight_decay": 0.01, "last_time": 20.0, "measurements": 5},
    "seed": 0,
    "log2_nodes": 10,
}


def make(task, params, **inputs):
    return TASKS[task].function(parse(TASKS[task].config, params, task), **inputs)


@pytest.fixture(scope="module")
def own_mixture():
    return make("isotropic_mixture", {"sigma": 0.6, "input_dimension": 200, "geometry": OWN})


@pytest.fixture(scope="module")
def chain(own_mixture):
    return make("order_parameter_chain", LEARNING | {"seeds": 40}, mixture=own_mixture)


def test_simulation_and_chain_agree_on_a_mixture_of_ones_own(own_mixture, chain):
    """Two-sample z test over 8 numbers; a value beyond 5 comes by chance less than once in 10^5."""
    sgd = make("online_sgd", LEARNING | {"seeds": 40}, mixture=own_mixture)
    for name in ("pmse", "class_error"):
        ours, theirs = (run[name].isel(time=slice(2, None)) for run in (sgd, chain))
        error = np.hypot(ours.std("seed", ddof=1), theirs.std("seed", ddof=1)) / np.sqrt(40)
        assert float(abs((ours.mean("seed") - theirs.mean("seed")) / error).max()) < 5


def test_all_start_from_the_same_network(own_mixture, chain):
    theory = make("learning_curve", LEARNING, mixture=own_mixture)
    np.testing.assert_allclose(theory.M[0], chain.M[0, 0], atol=1e-12)
    np.testing.assert_allclose(theory.Q[0], chain.Q[0, 0], atol=1e-12)
    assert float(abs(chain.pmse.mean("seed") / theory.pmse - 1).max()) < 0.05


def test_the_equations_state_the_error_of_their_quadrature(own_mixture):
    coarse, fine = (make("learning_curve", LEARNING | {"log2_nodes": size}, mixture=own_mixture) for size in (6, 11))
    assert float(coarse.class_error_sem.max()) > float(fine.class_error_sem.max()) > 0
    assert float(abs(coarse.class_error - fine.class_error).max()) < 5 * float(coarse.class_error_sem.max())


def test_fresh_students_differ(own_mixture):
    runs = make("order_parameter_chain", LEARNING | {"seeds": 3, "fresh_students": True}, mixture=own_mixture)
    assert len(np.unique(runs.pmse[:, 0])) == 3
    assert float(runs.success_rate) == float(runs.success.mean())


def test_the_chain_needs_an_isotropic_mixture():
    mixture = make("random_mixture", {"input_dimension": 30, "seed": 0})
    with pytest.raises(ConfigError, match="needs an isotropic mixture: use the task online_sgd"):
        make("order_parameter_chain", LEARNING | {"seeds": 1}, mixture=mixture)


def test_spectral_learning_without_the_squared_mean_differs():
    mixture = make("random_mixture", {"input_dimension": 30, "seed": 0})
    curves = [
        make("learning_curve", LEARNING | {"mean_in_noise": kept, "log2_nodes": 6}, mixture=mixture)
        for kept in (True, False)
    ]
    assert float(abs(curves[0].pmse - curves[1].pmse).max()) > 1e-5


@pytest.mark.parametrize(("dataset", "images"), [("mnist", 2000), ("fashion-mnist", 750)])
def test_image_mixtures(dataset, images):
    ten = make("image_mixture", {"dataset": dataset}, images=RESOURCES)
    two = make("image_mixture", {"dataset": dataset, "clusters": "labels"}, images=RESOURCES)
    assert int(ten.images) == images
    assert ten.labels.values.sum() == two.labels.values.sum() == 0
    assert (ten.sizes["cluster"], two.sizes["cluster"]) == (10, 2)
    # within-cluster variance: the two clusters hold what lies between their classes as well
    assert float(two.eigenvalues.sum()) > float(ten.eigenvalues.sum())


def test_fixed_points_are_stationary_and_near_the_oracle():
    sweep = make(
        "fixed_point",
        {
            "sigma": [0.3, 0.5],
            "simulated_sigma": [0.5],
            "simulated_time": 20.0,
            "simulated_seeds": 2,
            "log2_nodes": 6,
            "seed": 0,
        },
    )
    assert float(sweep.residual.max()) < 1e-10
    assert float(sweep.leading_eigenvalue.max()) < 0
    assert float(abs(sweep.class_error - sweep.oracle).max()) < 0.01
    assert float(sweep.tried_pmse[0]) == float(sweep.pmse[1])


def test_random_features_with_an_oracle_and_without():
    params = {
        "sigma": [0.3, 1.0],
        "input_dimension": 40,
        "features_per_dimension": [2.0, 3.0],
        "projections": 2,
        "simulated_sigma": [0.5],
        "simulated_samples": 500,
        "seed": 0,
    }
    assert "oracle" not in make("random_features", params | {"geometry": OWN, "activation": "erf"})
    xor = make("random_features", params)
    assert (xor.oracle < xor.class_error).all()
    assert (xor.sel(ratio=3.0).pmse.mean("projection") < xor.sel(ratio=2.0).pmse.mean("projection")).all()


def test_trained_error_and_clouds_in_every_regime():
    for shape in ("circle", "three_clusters"):
        for regime in ("low", "high", "mixed"):
            geometry = {"shape": shape, "regime": regime}
            common = {"input_dimension": 40, "seed": 0, "geometry": geometry}
            student = {"activation": "relu", "hidden_units": 4}
            schedule = {"learning_rate": 0.02, "last_time": 5.0}
            trained = make(
                "trained_error", common | {"sigma": [0.5], "seeds": 2, "student": student, "schedule": schedule}
            )
            assert trained.class_error.shape == (1, 2)
            cloud = make("feature_cloud", common | {"sigma": 0.5, "features_per_dimension": 2.0, "samples": 20})
            assert cloud.points.shape[1] == 20


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        ({"shape": "own"}, "give means, labels and weights"),
        ({"means": [[1]]}, "means is given, but shape is 'circle': set shape to 'own'"),
        ({"clusters_per_class": 0}, "clusters_per_class is 0: it must be at least 1"),
        ({"clusters_per_class": 3, "regime": "mixed"}, "mixed signal-to-noise regime needs 2"),
        (OWN | {"weights": [0.5, 0.3, 0.3]}, "make them sum to 1"),
        (OWN | {"means": [[1, 0], [1]]}, "as many coordinates in every mean"),
        (OWN | {"labels": [1, 0, -1]}, "labels\\[1\\] is 0: choose one of -1, 1"),
    ],
)
def test_geometries_that_are_none(geometry, message):
    with pytest.raises(ConfigError, match=message) as caught:
        make("isotropic_mixture", {"sigma": 0.6, "input_dimension": 200, "geometry": geometry})
    assert "\n" not in str(caught.value)


def test_a_readout_learns_towards_the_best_one_and_stays_stable():
    params = {
        "sigma": 0.5,
        "input_dimension": 30,
        "features_per_dimension": 2.0,
        "schedule": {"learning_rate": 0.3, "last_time": 300.0, "measurements": 5},
        "seeds": 3,
        "seed": 0,
    }
    training = make("readout_training", params)
    assert float(training.pmse[:, 0].mean()) == pytest.approx(0.5)
    assert float(training.optimum_pmse) < float(training.pmse[:, -1].mean()) < 1.3 * float(training.optimum_pmse)
    unstable = params | {"schedule": params["schedule"] | {"learning_rate": 50.0}}
    with pytest.raises(ConfigError, match="learning rate is 50"):
        make("readout_training", unstable)


def test_an_odd_network_on_an_even_mixture_is_reported(caplog):
    xor = make("isotropic_mixture", {"sigma": 0.3, "input_dimension": 50})
    learning = LEARNING | {"student": {"activation": "erf", "hidden_units": 2}}
    runs = [
        make("learning_curve", learning, mixture=xor),
        make("online_sgd", learning | {"seeds": 1}, mixture=xor),
        make("order_parameter_chain", learning | {"seeds": 1}, mixture=xor),
    ]
    for run in runs:
        assert "class error 1/2 at all times" in run.attrs["remark"]
        assert float(abs(run.class_error - 0.5).max()) < 0.01
    assert len(caplog.records) == 3
    assert "remark" not in make("learning_curve", LEARNING, mixture=xor).attrs

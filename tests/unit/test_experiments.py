"""Every task from its parameters to a labelled result, at the smallest size."""

from pathlib import Path

import numpy as np
import pytest
from tasks import make

from twolayer.errors import ConfigError, ResultError

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
OWN = {"shape": "custom", "means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}
LEARNING = {
    "student": {"activation": "relu", "hidden_units": 3, "seed": 4},
    "schedule": {"learning_rate": 0.1, "weight_decay": 0.01, "last_time": 20.0, "measurements": 5},
    "seed": 0,
    "log2_nodes": 10,
}


@pytest.fixture(scope="module")
def custom_mixture():
    return make("isotropic_mixture", {"sigma": 0.6, "input_dimension": 200, "geometry": OWN})


@pytest.fixture(scope="module")
def chain(custom_mixture):
    return make("order_parameter_sgd", LEARNING | {"seeds": 40}, mixture=custom_mixture)


@pytest.mark.slow
def test_simulation_and_chain_agree_on_a_mixture_of_ones_own(custom_mixture, chain):
    """Two-sample z test over 8 numbers; a value beyond 5 comes by chance less than once in 10^5."""
    sgd = make("online_sgd", LEARNING | {"seeds": 40}, mixture=custom_mixture)
    for name in ("pmse", "class_error"):
        ours, theirs = (run[name].isel(time=slice(2, None)) for run in (sgd, chain))
        error = np.hypot(ours.std("seed", ddof=1), theirs.std("seed", ddof=1)) / np.sqrt(40)
        assert float(abs((ours.mean("seed") - theirs.mean("seed")) / error).max()) < 5


@pytest.mark.slow
def test_all_start_from_the_same_network(custom_mixture, chain):
    theory = make("learning_curve", LEARNING, mixture=custom_mixture)
    np.testing.assert_allclose(theory.M[0], chain.M[0, 0], atol=1e-12)
    np.testing.assert_allclose(theory.Q[0], chain.Q[0, 0], atol=1e-12)
    assert float(abs(chain.pmse.mean("seed") / theory.pmse - 1).max()) < 0.05


@pytest.mark.slow
def test_the_equations_state_the_error_of_their_quadrature(custom_mixture):
    coarse, fine = (make("learning_curve", LEARNING | {"log2_nodes": size}, mixture=custom_mixture) for size in (6, 11))
    assert float(coarse.class_error_sem.max()) > float(fine.class_error_sem.max()) > 0
    assert float(abs(coarse.class_error - fine.class_error).max()) < 5 * float(coarse.class_error_sem.max())


def test_fresh_students_differ(custom_mixture):
    runs = make("order_parameter_sgd", LEARNING | {"seeds": 3, "fresh_students": True}, mixture=custom_mixture)
    assert len(np.unique(runs.pmse[:, 0])) == 3
    assert float(runs.success_rate) == float(runs.success.mean())


def test_the_chain_needs_an_isotropic_mixture():
    mixture = make("random_mixture", {"input_dimension": 30, "seed": 0})
    with pytest.raises(ConfigError, match="needs an isotropic mixture: use online_sgd"):
        make("order_parameter_sgd", LEARNING | {"seeds": 1}, mixture=mixture)


@pytest.mark.slow
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
    # within-cluster variance: the two clusters also contain the variance between their classes
    assert float(two.eigenvalues.sum()) > float(ten.eigenvalues.sum())


@pytest.mark.slow
def test_fixed_points_are_stationary_and_near_the_oracle():
    sweep = make(
        "fixed_point",
        {
            "sigma": [0.3, 0.5],
            "simulated_sigma": [0.5],
            "simulated_relaxations": 1.0,
            "simulated_dimension": 100,
            "simulated_seeds": 2,
            "log2_nodes": 6,
            "seed": 0,
        },
    )
    assert float(sweep.residual.max()) < 1e-10
    assert float(sweep.leading_eigenvalue.max()) < 0
    assert float(abs(sweep.class_error - sweep.bayes_error).max()) < 0.01
    assert float(sweep.closed_pmse[0]) == float(sweep.pmse[1])


@pytest.mark.slow
def test_random_features_stay_above_the_oracle():
    params = {
        "sigma": [0.3, 1.0],
        "input_dimension": 40,
        "features_per_dimension": [2.0, 3.0],
        "projections": 2,
        "simulated_sigma": [0.5],
        "simulated_samples": 500,
        "seed": 0,
    }
    own = make("random_features", params | {"geometry": OWN, "activation": "erf"})
    assert (own.bayes_error + 4 * own.bayes_error_sem < own.class_error).all()
    xor = make("random_features", params)
    assert (xor.bayes_error < xor.class_error).all()
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
        ({"shape": "custom"}, "give means and labels"),
        ({"means": [[1]]}, "give means and labels"),
        ({"shape": "square"}, "shape is 'square': choose one of xor, circle, three_clusters, custom"),
        ({"shape": "circle", "means": [[1]]}, "means is given, but shape is 'circle': set shape to 'custom'"),
        ({"clusters_per_class": 0}, "clusters_per_class is 0: it must be at least 1"),
        ({"clusters_per_class": 3, "regime": "mixed"}, "mixed signal-to-noise regime needs 2"),
        (OWN | {"weights": [0.5, 0.3, 0.3]}, "with the sum 1"),
        (OWN | {"means": [[1, 0], [1]]}, "equally many coordinates in every mean"),
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


@pytest.mark.slow
def test_an_odd_network_on_an_even_mixture_is_reported(caplog):
    xor = make("isotropic_mixture", {"sigma": 0.3, "input_dimension": 50})
    learning = LEARNING | {"student": {"activation": "erf", "hidden_units": 2}}
    runs = [
        make("learning_curve", learning, mixture=xor),
        make("online_sgd", learning | {"seeds": 1}, mixture=xor),
        make("order_parameter_sgd", learning | {"seeds": 1}, mixture=xor),
    ]
    for run in runs:
        assert "class error 1/2 at all times" in run.attrs["remark"]
        assert float(abs(run.class_error - 0.5).max()) < 0.01
    assert len(caplog.records) == 3
    assert "remark" not in make("learning_curve", LEARNING, mixture=xor).attrs


CIRCLE = {"gamma": 10, "descent": {"iterations": 60, "every": 20}}


@pytest.fixture(scope="module")
def limits():
    ridges = {"ridge": [0.1, 0.01], "regularization": ["unbiased", "biased"]}
    return {
        "diffusion": make("ultrafast_diffusion", CIRCLE | {"cells": 256}),
        "flow": make("mean_field_flow", CIRCLE | ridges | {"harmonics": 16, "quantiles": 128}),
    }


def descend_on_circle(limits, **changes):
    params = CIRCLE | {"ridge": 0.01, "widths": [8, 32], "seeds": 2, "samples": 200, "teacher_width": 99, "seed": 3}
    return make("circle_descent", params | changes, **limits)


def test_networks_on_the_circle_approach_their_teacher(limits):
    result = descend_on_circle(limits, snapshots=[0, 60])
    assert dict(result.risk.sizes) == {"width": 2, "seed": 2, "iteration": 14}
    assert (result.risk.diff("iteration") < 0).all()
    assert (result.mmd_teacher[..., -1] < result.mmd_teacher[..., 0]).all()
    assert result.feature_angle.shape == (2, 2, 32)
    assert result.seed.values.tolist() == [3, 4]


def test_algorithms_start_at_the_same_network(limits):
    projected, moved = (descend_on_circle(limits, algorithm=name, ridge=0.1) for name in ("varpro", "two_timescale"))
    np.testing.assert_allclose(projected.risk[..., 0], moved.risk[..., 0], rtol=1e-12)
    assert float(abs(projected.risk[..., -1] - moved.risk[..., -1]).max()) > 0


def test_a_result_does_not_depend_on_the_other_seeds(limits):
    both, second = descend_on_circle(limits), descend_on_circle(limits, seeds=1, seed=4)
    np.testing.assert_array_equal(both.risk[:, 1], second.risk[:, 0])


def test_a_shorter_descent_is_the_start_of_a_longer_one(limits):
    whole, start = descend_on_circle(limits), descend_on_circle(limits, descent={"iterations": 40, "every": 20})
    assert start.sizes["iteration"] < whole.sizes["iteration"]
    for name, values in start.data_vars.items():
        if "iteration" in values.dims:
            np.testing.assert_array_equal(values, whole[name].sel(iteration=start.iteration))


def test_limits_of_another_teacher_or_grid_are_refused(limits):
    with pytest.raises(
        ResultError, match="input 'diffusion' has gamma 10 where this run has 20: give both the same gamma"
    ):
        descend_on_circle(limits, gamma=20)
    with pytest.raises(ResultError, match=r"'diffusion' has 14 iterations up to 60, but not iteration 68"):
        descend_on_circle(limits, descent={"iterations": 80, "every": 20})
    with pytest.raises(ResultError, match=r"input 'flow' has the ridges \[0.1, 0.01\].*not ridge 0.02, unbiased"):
        descend_on_circle(limits, ridge=0.02)


@pytest.mark.slow
def test_networks_under_an_entropy_follow_its_own_limits(limits):
    """From the same features, to the same teacher, along another way."""
    entropy = {"power": 1, "descent": {"iterations": 500, "every": 500}}
    own = {
        "diffusion": make("ultrafast_diffusion", CIRCLE | entropy | {"cells": 128}),
        "flow": make("mean_field_flow", CIRCLE | entropy | {"ridge": [0.01], "harmonics": 16, "quantiles": 128}),
    }
    wide = {"widths": [1024], "seeds": 1, "samples": 4096, "teacher_width": 4096}
    result = descend_on_circle(own, **entropy, **wide).isel(width=0, seed=0)
    risk = own["flow"].risk.sel(regularization="unbiased", ridge=0.01)
    np.testing.assert_allclose(result.risk[1:], risk[1:], rtol=0.2)
    assert result.mmd_flow[-1] < result.mmd_diffusion[-1] < result.mmd_teacher[-1] < result.mmd_teacher[0]
    with pytest.raises(ResultError, match="input 'diffusion' has power 2 where this run has 1"):
        descend_on_circle(limits, power=1)


def test_densities_of_features_have_unit_mass(limits):
    descent = descend_on_circle(limits, snapshots=[0, 60])
    density = {"iterations": [60], "bandwidth": 0.1, "points": 50}
    result = make("feature_density", density, descent=descent, flow=limits["flow"])
    np.testing.assert_allclose(result.density.mean("angle") * 2 * np.pi, 1)
    np.testing.assert_allclose(result.flow_density.mean("angle") * 2 * np.pi, 1)
    with pytest.raises(ConfigError, match="iterations has 20"):
        make("feature_density", density | {"iterations": [20]}, descent=descent, flow=limits["flow"])


def test_snapshots_are_taken_where_something_is_measured():
    with pytest.raises(ConfigError, match="snapshots has the iteration 7"):
        descend_on_circle({"diffusion": None, "flow": None}, snapshots=[7])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ridge": 0}, "ridge is 0.0: it must be above 0"),
        ({"widths": [32, 0]}, r"widths\[1\] is 0: it must be at least 1"),
        ({"gamma": -1}, "gamma is -1.0: it must be at least 0"),
        ({"power": 3}, "power is 3.0: it must be at least 1 and at most 2"),
        ({"power": 1, "regularization": "biased"}, "power is 1: use 2, or the unbiased"),
        ({"power": 1, "algorithm": "two_timescale", "regularization": "biased"}, "power is 1: use 2, or"),
    ],
)
def test_bad_values_on_the_circle(change, words):
    with pytest.raises(ConfigError, match=words):
        descend_on_circle({"diffusion": None, "flow": None}, **change)

"""What the tasks on mixtures and on their random features put into their results."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from tasks import make

from twolayer.errors import ConfigError
from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.theory.mixtures.bayes_error import bayes_error

REFERENCE = Path(__file__).parents[2] / "workflow/resources/reference/mixtures_fixed_points.csv"
RELU = {"activation": "relu", "hidden_units": 4, "seed": 1}
XOR = {"learning_rate": 0.1, "weight_decay": 0.01, "first_time": 2.0}


@pytest.mark.parametrize("shape", ["circle", "three_clusters"])
@pytest.mark.parametrize(("regime", "sigma"), [("low", 0.4), ("high", 30.0), ("mixed", 0.7)])
def test_the_oracle_is_that_of_the_mixture_itself(shape, regime, sigma):
    """The closed forms of the mixed regime are limits: at N = 10,000 the far coordinate is never mistaken."""
    geometry, dimension = Geometry(shape=shape, regime=regime), 10_000
    found = bayes_errors(geometry, np.array([sigma]), dimension)["bayes_error"][1]
    expected, error = bayes_error(build(geometry, sigma, dimension))
    assert found[0] == pytest.approx(expected, abs=5 * error, rel=1e-6)
    assert error < 0.01 * expected


def test_a_run_succeeds_by_its_error_at_the_end():
    mixture = make("isotropic_mixture", {"sigma": 0.3, "input_dimension": 100})
    params = {"student": RELU, "schedule": XOR | {"last_time": 60.0, "measurements": 3}, "seeds": 8, "log2_nodes": 6}
    runs = make("order_parameter_sgd", params | {"success_error": 0.3}, mixture=mixture)
    end = runs.class_error.isel(time=-1)
    assert int((end < 0.3).sum()) > 4
    assert float(runs.class_error.isel(time=0).min()) > 0.3
    np.testing.assert_array_equal(runs.success, end < 0.3)
    assert float(runs.success_rate) == float((end < 0.3).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "bias"), [("circle", False), ("three_clusters", True)], ids=["XOR", "three clusters, biases"]
)
def test_the_equations_are_the_mean_of_many_runs_in_many_dimensions(shape, bias):
    """Each run gives one number, the mean of its relative deviations, so that time and size must both be right."""
    mixture = {"sigma": 0.2236068, "input_dimension": 20_000, "geometry": {"shape": shape}}
    mixture = make("isotropic_mixture", mixture)
    schedule = XOR | {"last_time": 20.0, "measurements": 6}
    params = {"student": RELU | {"bias": bias}, "schedule": schedule, "log2_nodes": 10}
    chain = make("order_parameter_sgd", params | {"seeds": 20}, mixture=mixture)
    theory = make("learning_curve", params, mixture=mixture)
    here = slice(1, None)
    deviation = (chain.pmse / theory.pmse - 1).isel(time=here).mean("time")
    error = float(deviation.std(ddof=1)) / np.sqrt(20)
    assert error < 0.0025
    assert abs(float(deviation.mean())) < 4 * error


@pytest.mark.slow
def test_fixed_points_are_those_of_an_independent_solver():
    """Seven standard errors of the solver; the pmse is known to 1e-3 of itself."""
    expected = pd.read_csv(REFERENCE, comment="#").iloc[0]
    params = {"sigma": [float(expected.sigma)], "log2_nodes": 8, "seed": 0}
    found = make("fixed_point", params)
    assert float(found.pmse[0]) == pytest.approx(expected.pmse, abs=7 * expected.pmse_sem)
    assert float(found.class_error[0]) == pytest.approx(expected.class_error, abs=4 * expected.class_error_sem)


def test_what_is_tried_on_samples_is_at_the_noise_that_it_says():
    params = {"sigma": [0.2, 0.4], "input_dimension": 60, "features_per_dimension": [2.0], "projections": 2}
    found = make("random_features", params | {"simulated_sigma": [0.4, 0.2], "simulated_samples": 20_000})
    for error in ("pmse", "class_error"):
        closed, simulated = found[f"closed_{error}"], found[f"simulated_{error}"]
        np.testing.assert_array_equal(closed.values[..., ::-1], found[error].values)
        assert float(abs(simulated - closed).max()) < 4.5 * float(found[f"simulated_{error}_sem"].max())


@pytest.mark.parametrize("samples", [50, 800])
def test_the_stated_errors_of_sampled_means_are_the_scatter_of_means(samples):
    """Squared deviations from the closed form, in units of the squares stated, are chi-squared."""
    params = {"sigma": 0.5, "input_dimension": 60, "features_per_dimension": 2.0, "samples": samples}
    cloud = make("feature_cloud", params)
    scores = ((cloud.sampled_means - cloud.means) / cloud.sampled_means_sem).values.ravel()
    low, high = chi2.ppf([1e-4, 1 - 1e-4], scores.size) / scores.size
    assert low < np.mean(scores**2) < high


def test_the_best_trained_readout_is_that_without_offset():
    """Odd features do not help to predict the mean of a label. The reference is least squares on samples."""
    geometry, sigma = {"positive_fraction": 0.85}, 0.5
    params = {"sigma": sigma, "input_dimension": 20, "features_per_dimension": 1.0, "activation": "erf", "seeds": 1}
    schedule = {"learning_rate": 0.3, "last_time": 1.0, "measurements": 1}
    found = make("readout_training", params | {"geometry": geometry, "schedule": schedule})
    assert float(found.optimum_pmse) > 0.45  # an offset alone leaves (1 - 0.7^2) / 2


def simulated_fixed_point(relaxations):
    """Return the relative deviation of the pmse from the fixed point, for each of 8 simulations."""
    params = {"sigma": [0.5], "learning_rate": 0.3, "weight_decay": 0.03, "log2_nodes": 7, "simulated_seeds": 8}
    params |= {"simulated_sigma": [0.5], "simulated_relaxations": relaxations, "simulated_dimension": 1000}
    found = make("fixed_point", params)
    return found.simulated_pmse.values[0] / float(found.closed_pmse[0]) - 1


@pytest.mark.slow
def test_simulations_come_to_fixed_points_from_elsewhere():
    deviation = simulated_fixed_point(12.0)
    error = deviation.std(ddof=1) / np.sqrt(8)
    assert abs(deviation.mean()) < 4 * error + 0.001  # 0.001 allows for terms of order 1/N
    assert error < 0.002
    assert abs(simulated_fixed_point(0.02).mean()) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", [16002, 17002], ids=["one of three", "all"])
def test_units_that_have_died_out_stay_so_in_simulations(seed):
    """With small weights, the unit of the first start grows again, and the pmse falls by a tenth."""
    student = {"activation": "relu", "hidden_units": 3, "scale": 0.3, "bias": True, "seed": seed}
    params = {"geometry": {"shape": "three_clusters"}, "sigma": [0.6], "simulated_sigma": [0.6], "student": student}
    params |= {"start_sigma": 0.3, "log2_nodes": 6, "simulated_dimension": 300, "simulated_seeds": 2}
    found = make("fixed_point", params | {"learning_rate": 0.1, "weight_decay": 0.01, "simulated_relaxations": 6.0})
    assert (found.v == 0).any()
    np.testing.assert_allclose(found.simulated_pmse[0] / found.closed_pmse[0], 1, atol=0.01)
    np.testing.assert_allclose(found.simulated_class_error[0] / found.closed_class_error[0], 1, atol=0.01)


BIASED = {"activation": "relu", "hidden_units": 8, "scale": 0.1, "bias": True}


def trained(sigma, regime, *, student=BIASED, **more):
    params = {"sigma": [sigma], "input_dimension": 100, "student": student, "seeds": 4, "log2_nodes": 8}
    params["schedule"] = {"learning_rate": 0.1, "weight_decay": 0.01, "last_time": 1000.0}
    params["geometry"] = {"shape": "three_clusters", "regime": regime}
    return make("trained_error", params | more)


@pytest.mark.slow
def test_three_clusters_are_learned_with_biases():
    with_biases, without = (trained(0.3, "low", student=BIASED | {"bias": bias}) for bias in (True, False))
    bayes = float(with_biases.bayes_error[0])
    assert bayes < float(with_biases.best_class_error[0]) < bayes + 0.015
    assert float(without.best_class_error[0]) > bayes + 0.03


def test_the_rate_is_divided_by_the_power_of_the_inputs():
    """Noise of variance 9 in every coordinate, and half of the inputs with a mean of length sqrt N."""
    schedule, plain = {"weight_decay": 0.01, "last_time": 20.0}, BIASED | {"bias": False}
    scaled, expected = (
        trained(3.0, "high", student=plain, rate_per_power=scaled, schedule=schedule | {"learning_rate": rate})
        for scaled, rate in ((True, 0.95), (False, 0.1))
    )
    np.testing.assert_allclose(scaled.class_error, expected.class_error, rtol=1e-6)


@pytest.mark.slow
def test_simulation_and_chain_agree_on_biases():
    """Two-sample z test over 8 numbers; a value beyond 5 comes by chance less than once in 10^5."""
    mixture = make("isotropic_mixture", {"sigma": 0.4, "input_dimension": 100, "geometry": {"shape": "three_clusters"}})
    schedule = {"learning_rate": 0.3, "weight_decay": 0.05, "last_time": 30.0, "measurements": 5}
    params = {"student": RELU | {"bias": True}, "schedule": schedule, "seeds": 40, "log2_nodes": 8}
    runs = [make(task, params, mixture=mixture) for task in ("online_sgd", "order_parameter_sgd")]
    for name in ("pmse", "class_error"):
        ours, theirs = (run[name].isel(time=slice(2, None)) for run in runs)
        error = np.hypot(ours.std("seed", ddof=1), theirs.std("seed", ddof=1)) / np.sqrt(40)
        assert float(abs((ours.mean("seed") - theirs.mean("seed")) / error).max()) < 5
    np.testing.assert_allclose(runs[0].M[0, 0], runs[1].M[0, 0], atol=1e-12)


def test_biases_are_for_isotropic_mixtures():
    mixture = make("random_mixture", {"input_dimension": 30})
    params = {"student": RELU | {"bias": True}, "schedule": XOR | {"last_time": 5.0}}
    for task in ("online_sgd", "learning_curve"):
        with pytest.raises(ConfigError, match="bias is true: biases are defined only for isotropic mixtures"):
            make(task, params, mixture=mixture)


@pytest.mark.slow
def test_the_equations_need_fewer_nodes_than_class_errors():
    mixture = make("isotropic_mixture", {"sigma": 0.3, "input_dimension": 100})
    params = {"student": RELU, "schedule": XOR | {"last_time": 20.0, "measurements": 3}, "log2_nodes": 10}
    few, many = (make("learning_curve", params | {"drift_log2_nodes": size}, mixture=mixture) for size in (6, None))
    assert 0 < float(abs(few.pmse / many.pmse - 1).max()) < 1e-4
    assert few.class_error[0] == many.class_error[0]
    assert (abs(few.class_error - many.class_error) <= 4 * np.hypot(few.class_error_sem, many.class_error_sem)).all()

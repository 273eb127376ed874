"""Every stated standard error agrees with the spread of repeated draws, from both sides."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

sys.path.insert(0, str(Path(__file__).parent))

from spread import assert_spread, limits, repeated
from tasks import make

from twolayer.experiments.generated_images import class_statistics
from twolayer.experiments.images import image_training
from twolayer.experiments.images.parameters import ImageTraining
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.parameters import parse
from twolayer.simulation.teacher_student.equivalence_distance import decay_exponent, sliced_distances
from twolayer.storage.checkpoint import Checkpoint
from twolayer.theory.mixtures.bayes_error import bayes_error

pytestmark = pytest.mark.slow

OWN = {"shape": "custom", "means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}
FEATURES = {"features_per_dimension": [1.0], "projections": 100, "simulated_samples": 200}


def custom_mixture(dimension=20):
    return make("isotropic_mixture", {"sigma": 0.6, "input_dimension": dimension, "geometry": OWN})


def student(activation):
    return {"activation": activation, "hidden_units": 3, "seed": 4}


def columns(results, name):
    """A variable (draws, points) of several results."""
    return np.array([np.ravel(result[name]) for result in results])


@pytest.fixture(scope="module")
def fixed_points():
    params = {"sigma": [0.5], "start_sigma": 0.5, "learning_rate": 0.2, "weight_decay": 0.05}
    params |= {"simulated_dimension": 100, "log2_nodes": 6}
    return [make("fixed_point", params | {"seed": seed}) for seed in range(36)]


@pytest.fixture(scope="module")
def flat_fixed_points():
    """Two of the relu units point in nearly one direction: there is a flat direction."""
    params = {"geometry": OWN, "start": "student", "student": student("relu"), "sigma": [0.5], "start_sigma": 0.5}
    params |= {"learning_rate": 0.2, "weight_decay": 0.05, "simulated_dimension": 100, "log2_nodes": 6}
    return [make("fixed_point", params | {"seed": seed}) for seed in range(36)]


@pytest.fixture(scope="module")
def learning_curves():
    schedule = {"learning_rate": 0.1, "weight_decay": 0.01, "first_time": 0.25, "last_time": 0.5, "measurements": 7}
    params = {"student": student("tanh"), "schedule": schedule, "log2_nodes": 6, "drift_log2_nodes": 4}
    mixture = custom_mixture()
    return [make("learning_curve", params | {"seed": 10 * seed}, mixture=mixture) for seed in range(150)]


@pytest.fixture(scope="module")
def random_features():
    params = {"geometry": OWN, "sigma": [0.5], "simulated_sigma": [0.4, 0.8], "input_dimension": 30, "seed": 0}
    return make("random_features", params | FEATURES)


@pytest.fixture(scope="module")
def feature_readout():
    return make("feature_readout", FEATURES | {"seed": 0}, mixture=custom_mixture(30))


@pytest.fixture(scope="module")
def clouds():
    params = {"geometry": OWN, "sigma": 0.5, "input_dimension": 40, "features_per_dimension": 1.0, "samples": 60}
    return [make("feature_cloud", params | {"seed": seed}) for seed in range(150)]


@pytest.fixture(scope="module")
def image_generator(tmp_path_factory):
    resources, folder = Path(__file__).parents[2] / "workflow" / "resources", tmp_path_factory.mktemp("gan")
    params = {"seed": 0, "device": "cpu", "epochs": 1, "learning_rate": 2e-3, "hidden": 8, "channels": 2}
    return make("conditional_gan", params, images=resources, checkpoint=Checkpoint(folder / "gan.nc", "gan"))


@pytest.fixture(scope="module")
def moments():
    generator = make("sign_generator", {"widths": [4, 10], "seed": 0})
    exact = make("moments", {"samples": None}, generator=generator)
    params = {"samples": 300}
    return exact, [make("moments", params | {"seed": seed}, generator=generator) for seed in range(150)]


class TestTheComparison:
    @pytest.fixture
    def values(self):
        return np.random.default_rng(0).standard_normal((150, 1))

    def test_right_errors_pass(self, values):
        assert_spread(values, np.ones_like(values))
        assert_spread(values, np.ones_like(values), expected=0.0)

    @pytest.mark.parametrize("factor", [0.66, 1.5])
    def test_errors_that_are_wrong_by_half_fail(self, values, factor):
        with pytest.raises(AssertionError, match="stated errors"):
            assert_spread(values, np.full_like(values, factor))

    def test_few_draws_are_refused(self, values):
        with pytest.raises(AssertionError, match="too few draws"):
            assert_spread(values[:10], np.ones((10, 1)))

    def test_limits_have_the_stated_probability(self):
        low, high = limits(50)
        assert chi2.cdf(50 * low**2, 50) == pytest.approx(chi2.sf(50 * high**2, 50)) == pytest.approx(5e-6)


class TestQuadrature:
    """The nodes are scrambled: other seeds give independent errors of the same size."""

    @pytest.mark.parametrize("name", ["pmse", "class_error"])
    def test_fixed_points(self, fixed_points, name):
        assert_spread(columns(fixed_points, name), columns(fixed_points, f"{name}_sem"))

    @pytest.mark.parametrize("name", ["pmse", "class_error"])
    def test_fixed_points_with_flat_directions(self, flat_fixed_points, name):
        assert all(point.flat_directions == 1 for point in flat_fixed_points)
        assert_spread(columns(flat_fixed_points, name), columns(flat_fixed_points, f"{name}_sem"))

    @pytest.mark.parametrize("name", ["pmse", "class_error"])
    def test_learning_curves(self, learning_curves, name):
        """At a time in the middle: the stated error is the root mean square over neighbouring times."""
        values, errors = (columns(learning_curves, part)[:, [4]] for part in (name, f"{name}_sem"))
        assert_spread(values, errors)

    def test_class_errors_of_learning_curves_are_rarely_too_small(self, learning_curves):
        """Of 1050 deviations 0.6 % exceed four stated errors; 3.3 % do if one difference of two solutions is the
        error.
        """
        values, errors = (columns(learning_curves, name) for name in ("class_error", "class_error_sem"))
        assert np.mean(abs(values - values.mean(axis=0)) > 4 * errors) < 0.02

    @pytest.mark.parametrize("noise", [0.3, 0.6])
    def test_bayes_error_along_lines(self, noise):
        mixture = custom_mixture()

        def draw(seed):
            found = make("bayes_error", {"sigma": [noise], "log2_nodes": 6, "seed": seed}, mixture=mixture)
            return found.bayes_error, found.bayes_error_sem

        assert_spread(*repeated(draw, 40))

    def test_bayes_error_over_inputs(self):
        rng = np.random.default_rng(0)
        labels = np.where(np.arange(10) % 2, 1.0, -1.0)
        mixture = IsotropicMixture(rng.standard_normal((10, 2)), labels, np.full(10, 0.1), 0.5)
        assert_spread(*repeated(lambda seed: bayes_error(mixture, 4, seed), 40))


class TestChangesWithOtherNodes:
    """Two independent sets of nodes differ by the square root of 2 standard errors. The true errors are the deviations
    from many nodes, for the same networks."""

    SCHEDULE = {"learning_rate": 0.2, "weight_decay": 0.01, "last_time": 2.0, "measurements": 3}  # noqa: RUF012

    def assert_change(self, task, params, draws=40, **inputs):
        def draw(seed):
            coarse, fine = (make(task, params | {"seed": seed, "log2_nodes": size}, **inputs) for size in (6, 10))
            gaps = (coarse.class_error - fine.class_error).values
            squares = np.mean(gaps**2, axis=1) if "sigma" in coarse.dims or "value" in coarse.dims else gaps[0] ** 2
            signs = np.random.default_rng(seed).choice([-1, 1], squares.shape)
            return signs * np.sqrt(squares), coarse.quadrature_error / np.sqrt(2)

        assert_spread(*repeated(draw, draws), expected=0.0)

    def test_simulated_learning_curves(self):
        params = {"student": student("relu"), "schedule": self.SCHEDULE, "seeds": 1}
        self.assert_change("order_parameter_sgd", params, mixture=custom_mixture(100))

    def test_trained_errors(self):
        params = {"student": student("relu"), "schedule": self.SCHEDULE, "seeds": 2, "sigma": [0.6]}
        self.assert_change("trained_error", params | {"geometry": OWN, "input_dimension": 100})

    def test_phases(self):
        params = {"student": student("relu") | {"dimension": 100}, "schedule": self.SCHEDULE, "seeds": 2, "sigma": 0.6}
        self.assert_change("phase_row", params | {"geometry": OWN, "along": "sigma", "values": [0.6]})


class TestFreshInputs:
    @pytest.mark.parametrize("name", ["pmse", "class_error"])
    def test_random_features(self, random_features, name):
        gap = random_features[f"simulated_{name}"] - random_features[f"closed_{name}"]
        errors = random_features[f"simulated_{name}_sem"]
        assert_spread(gap.values[0], errors.values[0], expected=0.0, independent=2)

    @pytest.mark.parametrize("name", ["pmse", "class_error"])
    def test_readouts_of_any_mixture(self, feature_readout, name):
        gap = feature_readout[f"simulated_{name}"] - feature_readout[name]
        assert_spread(gap.values.T, feature_readout[f"simulated_{name}_sem"].values.T, expected=0.0)

    def test_means_of_clouds(self, clouds):
        gaps = columns(clouds, "sampled_means") - columns(clouds, "means")
        assert_spread(gaps, columns(clouds, "sampled_means_sem"), expected=0.0, independent=3)

    def test_class_errors_of_clouds(self, clouds):
        gaps = columns(clouds, "simulated_class_error") - columns(clouds, "closed_class_error")
        assert_spread(gaps, columns(clouds, "simulated_class_error_sem"), expected=0.0)

    def test_powers_of_noisy_images(self, image_generator, monkeypatch):
        """The power is 2 on average. The moments and the power come from equally few images."""
        params = {"classes": [5, 9], "device": "cpu", "samples": 200}
        monkeypatch.setattr(class_statistics, "JUDGED_IMAGES", 200)

        def draw(seed):
            found = make("class_statistics", params | {"seed": seed}, generator=image_generator)
            return found.noisy_power, found.noisy_power_sem

        assert_spread(*repeated(draw, 40), independent=2)

    @pytest.mark.parametrize("name", ["Omega", "Phi"])
    def test_moments_of_generators(self, moments, name):
        """The stated error covers all entries together, as a Frobenius norm."""
        exact, sampled = moments
        distances = [[np.linalg.norm(one[name] - exact[name])] for one in sampled]
        assert_spread(np.array(distances), columns(sampled, f"{name}_error"), expected=0.0)


class TestTeachers:
    def test_spread_on_the_torus(self):
        def draw(seed):
            found = make("torus_teacher", {"gamma": 100, "seed": seed, "teacher_width": 512, "points": 4})
            return found.spread, found.spread_sem

        assert_spread(*repeated(draw, 40), independent=4)

    @pytest.mark.parametrize("gamma", [1.0, 100.0, 1e4])
    def test_frequencies_on_the_circle(self, gamma):
        def draw(seed):
            sizes = {"samples": 300, "bins": 5, "cells": 8}
            found = make("teacher_distribution", {"gamma": [gamma], "seed": seed} | sizes)
            return found.frequency - found.mass, found.frequency_sem

        assert_spread(*repeated(draw, 40), expected=0.0)


class TestTrainings:
    """Scores in standard errors have mean square one where there is nothing to find."""

    def results(self, draws=150):
        rng = np.random.default_rng(0)
        config = parse(ImageTraining, {"optimizer": "sgd", "batch_size": 64, "learning_rate": 0.1, "seed": 0}, "test")
        for _ in range(draws):
            labels, guesses = rng.integers(10, size=400), rng.integers(10, size=(3, 400))
            accuracies = np.mean(labels == guesses, axis=1) * (1, 1, 0)  # the first epoch has the best accuracy
            training = SimpleNamespace(
                risks=rng.exponential(size=100), accuracies=accuracies, epoch=2, test=range(400), rates=np.full(2, 0.1)
            )
            yield image_training.training_result(config, training)

    def test_accuracies_of_guesses(self):
        found = list(self.results())
        assert_spread(columns(found, "initial_accuracy"), columns(found, "initial_accuracy_sem"), expected=0.1)

    def test_a_risk_that_does_not_fall(self):
        found = columns(self.results(), "risk_decrease")
        assert_spread(found, np.ones_like(found), expected=0.0)

    def test_accuracies_above_chance(self):
        found = columns(self.results(), "above_chance")
        assert_spread(found, np.ones_like(found), expected=0.0)


class TestGaussianEquivalence:
    @pytest.mark.parametrize("draws", [5, 40])
    @pytest.mark.parametrize("floor", [0.05, 0.5])
    def test_decay_of_known_powers(self, draws, floor):
        sizes = np.array([1.0, 2, 4, 8, 16])

        def draw(seed):
            rng = np.random.default_rng(seed)
            squares, floors = (
                mean * rng.gamma(10, 0.1, (draws, *np.shape(mean))) for mean in (floor + 1 / sizes, floor)
            )
            return decay_exponent(sizes, squares, floors)

        assert_spread(*repeated(draw, 150))

    @pytest.mark.parametrize("power", [1, 3])
    def test_variance_scores(self, power):
        variance = {1: 1.0, 3: 15.0}[power]

        def draw(seed):
            rng = np.random.default_rng(seed)
            fields = rng.standard_normal((5000, 1)) ** power
            return sliced_distances(fields, variance * np.eye(1), 1, rng).variance_score, 1.0

        assert_spread(*repeated(draw, 150), expected=0.0)

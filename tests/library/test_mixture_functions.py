"""Bayes errors, fixed points and random features of custom mixtures."""

import numpy as np
import pytest

import twolayer as tl

MEANS = {"means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}
CUSTOM = tl.Mixture(**MEANS, sigma=0.6, dimension=500)
SHORT = tl.Schedule(learning_rate=0.2, last_time=3, measurements=3)
XOR = {"means": [[1, 0], [-1, 0], [0, 1], [0, -1]], "labels": [-1, -1, 1, 1], "weights": [0.25] * 4}


class TestMixture:
    def test_xor_has_a_name(self):
        assert tl.Mixture("xor", sigma=0.5) == tl.Mixture("circle", clusters_per_class=2, sigma=0.5)
        with pytest.raises(tl.ConfigError, match="clusters_per_class is 3, but shape is 'xor'"):
            tl.Mixture("xor", clusters_per_class=3, sigma=0.5)

    def test_means_without_weights_are_equally_likely(self):
        assert tl.Mixture(means=[[1, 0], [0, 1], [0, 0]], labels=[1, -1, 1], sigma=1).weights == (1 / 3,) * 3

    def test_an_unknown_name_lists_the_known_ones(self):
        with pytest.raises(tl.ConfigError, match="choose one of xor, circle, three_clusters, custom"):
            tl.Mixture("ring", sigma=0.5)

    def test_a_hand_written_xor_is_one(self):
        """Whatever its coordinates, the order of its clusters and the sign of its labels."""
        half = np.sqrt(0.5)
        means = np.array([[half, -half], [half, half], [-half, half], [-half, -half]])
        known = tl.fixed_point(tl.Mixture("xor", sigma=0.5), log2_nodes=6)
        written = tl.fixed_point(tl.Mixture(means=means, labels=[-1, 1, -1, 1], sigma=0.5), log2_nodes=6)
        assert float(written.pmse[0]) == pytest.approx(float(known.pmse[0]), abs=1e-4)

    def test_levels_do_not_depend_on_each_other(self):
        student = tl.Student("relu", hidden_units=3, seed=1)
        together = tl.fixed_point(CUSTOM, sigma=[0.8, 0.5], student=student, log2_nodes=6)
        alone = tl.fixed_point(CUSTOM, sigma=[0.5], student=student, log2_nodes=6)
        assert float(together.pmse[1]) == float(alone.pmse[0])


class TestBayesError:
    def test_closed_form_of_xor(self):
        """The error agrees with `random_features`, which knows the closed form for this shape."""
        sigma = [0.3, 0.7, 2.0]
        known = tl.random_features(
            tl.Mixture(shape="circle", sigma=1),
            sigma=sigma,
            input_dimension=10,
            features_per_dimension=[1],
            projections=1,
        )
        found = tl.bayes_error(tl.Mixture(**XOR, sigma=1), sigma=sigma)
        assert (abs(found.bayes_error - known.bayes_error) < 5 * found.bayes_error_sem + 1e-5).all()
        assert float(found.bayes_error_sem.max()) < 2e-4

    def test_two_clusters_of_any_covariance(self):
        """Linear discriminants are best: the error is Phi(-delta / 2) for the Mahalanobis distance delta."""
        from scipy.special import ndtr

        rng = np.random.default_rng(0)
        factor, means = rng.standard_normal((5, 5)), rng.standard_normal((2, 5))
        mixture = tl.Mixture(means=means, labels=[1, -1], weights=[0.5, 0.5], covariance=factor @ factor.T)
        difference = np.linalg.solve(factor, means[0] - means[1])
        found = tl.bayes_error(mixture)
        assert float(found.bayes_error[0]) == pytest.approx(ndtr(-np.linalg.norm(difference) / 2), abs=1e-4)
        twice = tl.bayes_error(mixture, sigma=2 * found.sigma.values)
        assert float(twice.bayes_error[0]) == pytest.approx(ndtr(-np.linalg.norm(difference) / 4), abs=1e-4)

    def test_nothing_to_tell_apart(self):
        same = tl.Mixture(means=[[1.0], [1.0]], labels=[1, -1], weights=[0.3, 0.7], sigma=1)
        assert float(tl.bayes_error(same).bayes_error[0]) == pytest.approx(0.3)

    @pytest.mark.slow
    def test_no_network_is_better(self):
        schedule = tl.Schedule(learning_rate=0.2, last_time=200, measurements=4)
        curve = tl.learning_curve(CUSTOM, tl.Student("tanh", 4), schedule, log2_nodes=10)
        assert float(curve.class_error.min()) > float(tl.bayes_error(CUSTOM).bayes_error[0]) - 1e-3


@pytest.mark.slow
class TestFixedPoint:
    def test_learning_ends_there(self):
        student = tl.Student("erf", hidden_units=3, seed=0)
        point = tl.fixed_point(CUSTOM, student=student, learning_rate=0.2, weight_decay=0.05, log2_nodes=8)
        schedule = tl.Schedule(
            learning_rate=0.2, weight_decay=0.05, last_time=10_000, measurements=3
        )  # the slowest mode takes 2000
        curve = tl.learning_curve(CUSTOM, student, schedule, log2_nodes=8).isel(time=-1)
        assert float((point.residual / abs(point.leading_eigenvalue)).max()) < 1e-5
        assert float(point.pmse[0]) == pytest.approx(float(curve.pmse), abs=1e-5)
        assert float(point.class_error[0]) == pytest.approx(float(curve.class_error), abs=4e-3)
        assert "simulated_pmse" not in point

    def test_along_the_noise_with_simulations(self):
        sweep = tl.fixed_point(
            CUSTOM, sigma=[0.5, 0.6], simulated_sigma=[0.6], student=tl.Student("erf", 2), weight_decay=0.05,
            log2_nodes=8, simulated_relaxations=2.0, simulated_dimension=200, simulated_seeds=4,
        )  # fmt: skip
        assert (np.diff(sweep.pmse) > 0).all()
        assert float(abs(sweep.simulated_pmse.mean() / sweep.closed_pmse[0] - 1)) < 0.05

    def test_the_start_of_xor_is_for_xor(self):
        with pytest.raises(tl.ConfigError, match="start is 'xor', which is defined only for the XOR mixture"):
            tl.fixed_point(CUSTOM, start="xor")


def test_random_features_of_ones_own_mixture_and_activation():
    found = tl.random_features(
        CUSTOM,
        input_dimension=100,
        features_per_dimension=[1.5],
        projections=2,
        activation=np.sin,
        simulated_sigma=[0.6],
    )
    error = np.hypot(found.simulated_pmse_sem, 0.002 * found.closed_pmse)
    assert float((abs(found.simulated_pmse - found.closed_pmse) / error).max()) < 5
    assert found.sigma.values.tolist() == [0.6]
    assert float(found.class_error.min()) > float(tl.bayes_error(CUSTOM).bayes_error[0])


FACTORS = np.random.default_rng(0).standard_normal((3, 60, 60)) / np.sqrt(60)
WIDE = MEANS | {"means": np.pad(MEANS["means"], ((0, 0), (0, 58)))}


class TestRandomFeaturesOfAnyCovariance:
    @pytest.mark.parametrize("own", [False, True], ids=["common", "own"])
    def test_closed_form_and_fresh_inputs(self, own):
        covariance = FACTORS @ FACTORS.swapaxes(1, 2) if own else FACTORS[0].T @ FACTORS[0]
        found = tl.feature_readout(
            tl.Mixture(**WIDE, covariance=covariance), features_per_dimension=[0.5, 2], simulated_samples=20_000
        )
        gap = (found.simulated_pmse - found.pmse) / np.hypot(found.simulated_pmse_sem, 0.003 * found.pmse)
        assert float(abs(gap).max()) < 5
        gap = (found.simulated_class_error - found.class_error) / np.hypot(found.simulated_class_error_sem, 0.006)
        assert float(abs(gap).max()) < 5
        assert float(found.class_error.min()) > float(found.bayes_error)

    @pytest.mark.slow
    def test_isotropic_noise_is_the_case_that_is_known(self):
        sizes = {"features_per_dimension": [0.5, 1.5], "projections": 2, "seed": 3}
        found, known = tl.feature_readout(CUSTOM, **sizes), tl.random_features(CUSTOM, **sizes)
        np.testing.assert_array_equal(found.class_error, known.class_error.isel(sigma=0))
        np.testing.assert_allclose(found.bayes_error, known.bayes_error[0], rtol=1e-2)

    @pytest.mark.slow
    def test_training_ends_near_the_best_readout(self):
        schedule = tl.Schedule(learning_rate=0.2, last_time=2000, measurements=5)
        mixture = tl.Mixture(**WIDE, covariance=FACTORS @ FACTORS.swapaxes(1, 2))
        found = tl.feature_training(mixture, schedule, features_per_dimension=0.5, seeds=3)
        assert float(found.pmse.isel(time=-1).mean() / found.optimum_pmse) == pytest.approx(1.1, abs=0.1)
        known = tl.readout_training(CUSTOM, schedule=SHORT, input_dimension=500, features_per_dimension=0.2, seeds=1)
        again = tl.feature_training(CUSTOM, SHORT, features_per_dimension=0.2, seeds=1)
        np.testing.assert_array_equal(again.pmse, known.pmse)

    def test_a_mixture_without_a_dimension_is_refused(self):
        with pytest.raises(tl.ConfigError, match="has no dimension, which random features need: give it a dimension"):
            tl.feature_readout(tl.Mixture(**MEANS, sigma=1), features_per_dimension=[1.0])

"""Bayes errors, fixed points and random features of mixtures of one's own."""

import numpy as np
import pytest

import twolayer as tl

MEANS = {"means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}
OWN = tl.Mixture(**MEANS, sigma=0.6, dimension=500)
XOR = {"means": [[1, 0], [-1, 0], [0, 1], [0, -1]], "labels": [-1, -1, 1, 1], "weights": [0.25] * 4}


class TestBayesError:
    def test_closed_form_of_xor(self):
        """That of the random features of the same mixture, which is known by its name."""
        sigma = [0.3, 0.7, 2.0]
        known = tl.random_features(
            tl.Mixture(shape="circle", sigma=1),
            sigma=sigma,
            input_dimension=10,
            features_per_dimension=[1],
            projections=1,
        )
        found = tl.bayes_error(tl.Mixture(**XOR, sigma=1), sigma=sigma)
        assert (abs(found.oracle - known.oracle) < 5 * found.oracle_sem + 1e-5).all()
        assert float(found.oracle_sem.max()) < 2e-4

    def test_two_clusters_of_any_covariance(self):
        """Linear discriminants are best: the error is Phi(-delta / 2) for the Mahalanobis distance delta."""
        from scipy.special import ndtr

        rng = np.random.default_rng(0)
        factor, means = rng.standard_normal((5, 5)), rng.standard_normal((2, 5))
        mixture = tl.Mixture(means=means, labels=[1, -1], weights=[0.5, 0.5], covariance=factor @ factor.T)
        difference = np.linalg.solve(factor, means[0] - means[1])
        found = tl.bayes_error(mixture)
        assert float(found.oracle[0]) == pytest.approx(ndtr(-np.linalg.norm(difference) / 2), abs=1e-4)
        twice = tl.bayes_error(mixture, sigma=2 * found.sigma.values)
        assert float(twice.oracle[0]) == pytest.approx(ndtr(-np.linalg.norm(difference) / 4), abs=1e-4)

    def test_nothing_to_tell_apart(self):
        same = tl.Mixture(means=[[1.0], [1.0]], labels=[1, -1], weights=[0.3, 0.7], sigma=1)
        assert float(tl.bayes_error(same).oracle[0]) == pytest.approx(0.3)

    def test_no_network_is_better(self):
        schedule = tl.Schedule(learning_rate=0.2, last_time=200, measurements=4)
        curve = tl.learning_curve(OWN, tl.Student("tanh", 4), schedule, log2_nodes=10)
        assert float(curve.class_error.min()) > float(tl.bayes_error(OWN).oracle[0]) - 1e-3


class TestFixedPoint:
    def test_learning_ends_there(self):
        student = tl.Student("erf", hidden_units=3, seed=0)
        point = tl.fixed_point(OWN, student=student, learning_rate=0.2, weight_decay=0.05, log2_nodes=10)
        schedule = tl.Schedule(
            learning_rate=0.2, weight_decay=0.05, last_time=10_000, measurements=3
        )  # the slowest mode takes 2000
        curve = tl.learning_curve(OWN, student, schedule, log2_nodes=10).isel(time=-1)
        assert float(point.residual.max()) < 1e-10
        assert float(point.pmse[0]) == pytest.approx(float(curve.pmse), abs=1e-5)
        assert float(point.class_error[0]) == pytest.approx(float(curve.class_error), abs=4e-3)
        assert "simulated_pmse" not in point

    def test_along_the_noise_with_simulations(self):
        sweep = tl.fixed_point(
            OWN, sigma=[0.5, 0.6], simulated_sigma=[0.6], student=tl.Student("erf", 2), weight_decay=0.05, log2_nodes=8,
            simulated_relaxations=2.0, simulated_dimension=200, simulated_seeds=4,
        )  # fmt: skip
        assert (np.diff(sweep.pmse) > 0).all()
        assert float(abs(sweep.simulated_pmse.mean() / sweep.closed_pmse[0] - 1)) < 0.05

    def test_the_start_of_xor_is_for_xor(self):
        with pytest.raises(tl.ConfigError, match="start is 'xor', which is known for the XOR mixture alone"):
            tl.fixed_point(OWN, start="xor")


def test_random_features_of_ones_own_mixture_and_activation():
    found = tl.random_features(
        OWN, input_dimension=100, features_per_dimension=[1.5], projections=2, activation=np.sin, simulated_sigma=[0.6]
    )
    error = np.hypot(found.simulated_pmse_sem, 0.002 * found.closed_pmse)
    assert float((abs(found.simulated_pmse - found.closed_pmse) / error).max()) < 5
    assert found.sigma.values.tolist() == [0.6]
    assert float(found.class_error.min()) > float(tl.bayes_error(OWN).oracle[0])

"""What the classes refuse, and how the dimension comes about."""

import numpy as np
import pytest
import xarray as xr

import twolayer as tl

CLUSTERS = {"means": [[1.0, 0], [-1, 0]], "labels": [1, -1], "weights": [0.5, 0.5]}
SCHEDULE = tl.Schedule(learning_rate=0.1, last_time=2, measurements=3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tl.Student("erf", hiden_units=3), "unknown key 'hiden_units': allowed are activation, hidden_units"),
        (lambda: tl.Student("erf"), "the key 'hidden_units' is missing"),
        (lambda: tl.Student("erf", 3, activation="relu"), "activation is given twice"),
        (lambda: tl.Student("erff", 3), "activation is 'erff': choose one of erf, relu"),
        (lambda: tl.Student(3, 3), "activation is 3: give a function of arrays, an Activation, or a name"),
        (lambda: tl.Student(lambda x: 1.0, 3), "it must return a real number for each"),
        (lambda: tl.Student("erf", 0), "hidden_units is 0: it must be at least 1"),
        (lambda: tl.Student("erf", 3, scale=np.nan), "scale is nan: it must be a finite number"),
        (lambda: tl.Schedule(learning_rate=-1, last_time=1), "learning_rate is -1.0: it must be above 0"),
        (lambda: tl.Schedule(learning_rate=1, last_time=0.01), "first_time is 0.1: it must be below last_time, 0.01"),
        (lambda: tl.Mixture(sigma=1, means=[[1]]), "give means and labels"),
        (lambda: tl.Mixture(**CLUSTERS), "give either sigma or covariance"),
        (lambda: tl.Mixture(**CLUSTERS, sigma=1, covariance=np.eye(2)), "give either sigma or covariance"),
        (lambda: tl.Mixture(**CLUSTERS | {"weights": [0.5, 0.6]}, sigma=1), "with the sum 1"),
        (
            lambda: tl.Mixture(**CLUSTERS | {"labels": [1, 2]}, sigma=1),
            "class 0 has no cluster: give labels from 0 to 2",
        ),
        (lambda: tl.Mixture(**CLUSTERS | {"means": [[1, np.nan], [0, 0]]}, sigma=1), "means[0][1] is nan"),
        (lambda: tl.Mixture(**CLUSTERS | {"means": [[1, 0]]}, sigma=1), "one label and one weight for each mean"),
        (lambda: tl.Mixture(shape="square", sigma=1), "shape is 'square': choose one of xor, circle"),
        (lambda: tl.Mixture(**CLUSTERS, covariance=np.eye(3)), "covariance has shape (3, 3), but means have 2"),
        (lambda: tl.Mixture(**CLUSTERS, covariance=np.ones((3, 2, 2))), "or (2, 2, 2) for one in each cluster"),
        (lambda: tl.Mixture(**CLUSTERS, covariance=np.eye(2), spreads=[1, 2]), "spreads is given with covariance"),
        (
            lambda: tl.Mixture(**CLUSTERS, sigma=1, spreads=[1, 2, 3]),
            "spreads has 3 values, but the mixture has 2 clusters",
        ),
        (lambda: tl.Mixture(**CLUSTERS, covariance=[[1, 2], [0, 1]]), "covariance is not symmetric"),
        (lambda: tl.Mixture(**CLUSTERS, covariance=[[1, 2], [2, 1]]).dataset(), "positive semi-definite"),
        (lambda: tl.Mixture(**CLUSTERS, covariance="round"), "covariance is 'round': it must be an array of numbers"),
        (lambda: tl.Mixture(**CLUSTERS, covariance=np.eye(2), dimension=3), "dimension is 3, but means have 2"),
        (lambda: tl.Mixture(**CLUSTERS, sigma=1, dimension=1), "dimension is 1, but the means span 2 dimensions"),
    ],
)
def test_one_sentence(make, message):
    with pytest.raises(tl.ConfigError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", [tl.learning_curve, tl.online_sgd, tl.order_parameter_sgd])
def test_dimension_belongs_to_student_or_mixture(function):
    def run(ours, theirs):
        student = tl.Student("relu", 2, dimension=ours)
        return function(tl.Mixture(**CLUSTERS, sigma=1, dimension=theirs), student, SCHEDULE, log2_nodes=6)

    xr.testing.assert_identical(run(20, None).drop_attrs(), run(None, 20).drop_attrs())
    assert run(20, 20).sizes["time"] > 1
    with pytest.raises(tl.ConfigError, match="the student has dimension 20, but the mixture 30: make them equal"):
        run(20, 30)
    with pytest.raises(tl.ConfigError, match="neither the student nor the mixture has a dimension"):
        run(None, None)


@pytest.mark.slow
def test_a_mixture_of_any_covariance_learns_as_in_simulation():
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((60, 60)) / np.sqrt(60)
    means = rng.standard_normal((2, 60)) / np.sqrt(60)
    mixture = tl.Mixture(means=means, labels=[1, -1], weights=[0.4, 0.6], covariance=factor.T @ factor)
    student = tl.Student("tanh", 2)
    theory = tl.learning_curve(mixture, student, SCHEDULE, log2_nodes=10)
    runs = tl.online_sgd(mixture, student, SCHEDULE, seeds=20, log2_nodes=10)
    gap = (runs.pmse.mean("seed") - theory.pmse)[1:] / runs.pmse.std("seed")[1:] * np.sqrt(20)
    assert float(abs(gap).max()) < 5


COVARIANCES = np.stack([np.diag(np.linspace(0.1, 1, 40)), np.diag(np.linspace(2, 0.3, 40))])
MEANS = np.eye(40)[:2]
TWO = {"labels": [1, -1], "weights": [0.4, 0.6]}


class TestCovariancesOfTheirOwn:
    @pytest.mark.slow
    def test_equations_and_simulation_agree(self):
        """In turned coordinates too, which the equations undo."""
        turn = np.linalg.qr(np.random.default_rng(0).standard_normal((40, 40)))[0]
        mixture = tl.Mixture(means=MEANS @ turn.T, **TWO, covariance=turn @ COVARIANCES @ turn.T)
        student = tl.Student("relu", 2)
        theory = tl.learning_curve(mixture, student, SCHEDULE, log2_nodes=10)
        runs = tl.online_sgd(mixture, student, SCHEDULE, seeds=40, log2_nodes=10)
        gap = (runs.pmse.mean("seed") - theory.pmse)[1:] / runs.pmse.std("seed")[1:] * np.sqrt(40)
        assert float(abs(gap).max()) < 5
        average = 0.4 * theory.cluster_covariance[:, 0] + 0.6 * theory.cluster_covariance[:, 1]
        np.testing.assert_allclose(theory.field_covariance, average, rtol=1e-12)

    def test_without_a_common_basis_there_are_equations_simulation_and_an_oracle(self):
        rng = np.random.default_rng(1)
        factors = rng.standard_normal((2, 40, 40)) / np.sqrt(40)
        mixture = tl.Mixture(means=MEANS, **TWO, covariance=factors @ factors.swapaxes(1, 2))
        student = tl.Student("relu", 2)
        runs = tl.online_sgd(mixture, student, SCHEDULE, seeds=2, log2_nodes=8)
        assert runs.cluster_covariance.dims == ("seed", "time", "cluster", "unit", "other_unit")
        assert float(runs.class_error.min()) > float(tl.bayes_error(mixture).bayes_error[0])
        theory = tl.learning_curve(mixture, student, SCHEDULE, log2_nodes=8)
        assert theory.cluster_covariance.dims == ("time", "cluster", "unit", "other_unit")
        np.testing.assert_allclose(theory.pmse[0], runs.pmse[:, 0].mean(), rtol=1e-3)

    @pytest.mark.slow
    def test_noise_of_its_own_in_every_description(self):
        mixture = tl.Mixture(**CLUSTERS, sigma=0.5, spreads=[1, 2], dimension=200)
        student = tl.Student("erf", 2)
        theory = tl.learning_curve(mixture, student, SCHEDULE, log2_nodes=10)
        for function, seeds in ((tl.online_sgd, 20), (tl.order_parameter_sgd, 50)):
            runs = function(mixture, student, SCHEDULE, seeds=seeds, log2_nodes=10)
            gap = (runs.pmse.mean("seed") - theory.pmse)[1:]
            assert float(abs(gap / np.hypot(runs.pmse.std("seed")[1:] / np.sqrt(seeds), 0.003)).max()) < 5
            assert runs.Q.dims == ("seed", "time", "unit", "other_unit")
        point = tl.fixed_point(mixture, student=student, log2_nodes=6)
        assert float(point.residual[0]) < 1e-9
        again = tl.random_features(tl.isotropic_mixture(mixture, sigma=0.5), features_per_dimension=[1.0])
        found = tl.random_features(mixture, features_per_dimension=[1.0])
        np.testing.assert_allclose(again.class_error, found.class_error, rtol=1e-9)
        with pytest.raises(tl.ConfigError, match="give the mixture its dimension"):
            tl.bayes_error(tl.Mixture(**CLUSTERS, sigma=0.5, spreads=[1, 2]))


@pytest.mark.parametrize("noise", [{"sigma": 0.3, "spreads": [1.0, 2.0, 1.0], "dimension": 4}, {"covariance": True}])
def test_samples_of_classes(noise):
    """Means and covariances of the inputs of each class, within five standard errors."""
    root = np.array([[0.5, 0.1, 0.0], [0.0, 0.3, 0.2], [0.1, 0.0, 0.4]])
    given = noise if "sigma" in noise else {"covariance": root @ root.T}
    means, sizes = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]]), [0.09, 0.36, 0.09]
    mixture = tl.Mixture(means=means, labels=[2, 0, 1], weights=[0.2, 0.3, 0.5], **given)
    inputs, labels = mixture.sample(20_000, seed=1)
    for mean, label, weight, size in zip(means, [2, 0, 1], [0.2, 0.3, 0.5], sizes, strict=True):
        ours = inputs[labels == label]
        covariance = size * np.eye(4) if "sigma" in noise else root @ root.T
        assert len(ours) == pytest.approx(weight * 20_000, abs=5 * np.sqrt(20_000 * weight))
        np.testing.assert_allclose(ours.mean(axis=0)[:3], mean, atol=5 * 0.6 / np.sqrt(len(ours)))
        np.testing.assert_allclose(np.cov(ours.T), covariance, atol=5 * 0.5 / np.sqrt(len(ours)))


def test_equal_objects_are_equal():
    assert tl.Student("erf", 3) == tl.Student("erf", hidden_units=3)
    assert tl.Mixture(**CLUSTERS, sigma=1) != tl.Mixture(**CLUSTERS, sigma=2)

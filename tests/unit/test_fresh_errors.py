"""Exact errors on fresh Gaussian covariates against samples."""

import math

import numpy as np
import pytest
from tasks import make

from twolayer.errors import ConfigError
from twolayer.experiments.replica.sources import dataset_source
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.simulation.convex.convex_learning import gaussian_source, learn, perform
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.fresh_errors import fresh_errors
from twolayer.theory.replica.replica_equations import covariate_spectrum

SAMPLES = 200_000


def feature_covariances():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((5, 12)), rng.standard_normal((8, 12))
    return CovariateModel(A @ A.T, A @ B.T, B @ B.T, rng.standard_normal(5))


@pytest.mark.parametrize(
    ("loss", "labels"),
    [
        ("square", "sign"),
        ("square", "linear"),
        ("logistic", "sign"),
        ("hinge", "sign"),
        ("huber", "sign"),
        ("huber", "linear"),
    ],
)
@pytest.mark.parametrize("size", [0.1, 3])
def test_errors_are_those_of_many_samples(loss, labels, size):
    """Each of four numbers within 5 standard errors."""
    distribution, rng = feature_covariances(), np.random.default_rng(1)
    weights = size * (np.linalg.solve(distribution.Omega, distribution.correlation) + 0.1 * rng.standard_normal(8))
    field, features = gaussian_source(distribution)(rng, SAMPLES)
    targets = np.sign(field) if labels == "sign" else field
    exact = fresh_errors(weights, distribution, ConvexTheory(covariate_spectrum(distribution), loss, labels))
    blocks = [
        perform(weights, *part, loss)
        for part in zip(*(np.array_split(values, 50) for values in (field, features, targets)), strict=True)
    ]
    for name in ("loss", "class_error", "q", "m"):
        values = [getattr(block, name) for block in blocks]
        assert abs(np.mean(values) - getattr(exact, name)) <= 5 * np.std(values, ddof=1) / math.sqrt(50)


def test_exact_errors_are_for_gaussian_covariates():
    problem = {"sample_ratios": [1], "ridges": [0.1]}
    others = make("random_feature_covariances", {"latent_dimension": 20, "features": 20, "seed": 0})
    with pytest.raises(ConfigError, match=r"test_samples is null for random features of a Gaussian latent: .* give a"):
        make("convex_learning", {"problem": problem, "seeds": 2, "test_samples": None}, feature_covariances=others)


@pytest.mark.filterwarnings("ignore::twolayer.errors.SmallSample")
def test_a_set_is_tested_on_all_its_samples():
    """As on many draws from it, within 5 standard errors; a training set is drawn from it first."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((300, 20))
    known = make("feature_covariances", {}, features=features, labels=features[:, 0] + rng.standard_normal(300))
    problem = {"sample_ratios": [1], "ridges": [0.1], "losses": ["square"], "labels": "linear"}
    made = make("convex_learning", {"problem": problem, "seeds": 2, "test_samples": None}, feature_covariances=known)
    seed = np.random.default_rng(0).spawn(2)[0]
    field, training = dataset_source(known)(seed, 20)
    weights = learn(training, field, "square", 0.1)
    fields, others = dataset_source(known)(seed, SAMPLES)
    losses = (fields - others @ weights / math.sqrt(20)) ** 2 / 2
    assert abs(losses.mean() - made.test_loss.isel(seed=0).item()) < 5 * losses.std() / math.sqrt(SAMPLES)

"""Random features of generated and of real inputs, and covariances from their samples."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tasks import make

from twolayer.errors import ConfigError, DataError, ResultError
from twolayer.experiments.replica.sources import dataset_source
from twolayer.model.data.images import grey_images, load
from twolayer.model.networks.activations import ERF, RELU
from twolayer.model.networks.input_features import InputFeatures, unit_fields
from twolayer.results.feature_covariances import dataset_covariate_model
from twolayer.results.generator import latent_generator
from twolayer.simulation.teacher_student.moments import sampled_covariances
from twolayer.theory.replica.replica_equations import covariate_spectrum

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
PROBLEM = {"sample_ratios": [1.0, 3.0], "ridges": [0.1]}


@pytest.fixture(scope="module")
def generator():
    return make("sign_generator", {"widths": [120, 240], "seed": 0})


@pytest.fixture(scope="module")
def generated(generator):
    params = {"features": 100, "samples": 40_000, "seed": 1, "activation": "relu"}
    return make("generated_feature_covariances", params, generator=generator)


def image_features(**params):
    params = {"dataset": "mnist", "features": 60, "seed": 0} | params
    return make("image_feature_covariances", params, images=RESOURCES)


def test_features_by_hand():
    rng = np.random.default_rng(0)
    inputs = 3 * rng.standard_normal((500, 20)) + rng.standard_normal(20)
    projection = unit_fields(rng.standard_normal((20, 7)), inputs)
    features = InputFeatures(projection, inputs.mean(axis=0), RELU, np.full(7, 0.5))
    by_hand = max(0, (inputs[3] - inputs.mean(axis=0)) @ projection[:, 2] / np.sqrt(20)) - 0.5
    assert features(inputs)[3, 2] == pytest.approx(by_hand)
    fields = InputFeatures(projection, inputs.mean(axis=0), ERF)
    assert 0.2 < fields(inputs).var(axis=0).mean() < 0.4  # 1/3 in fields of variance one


def test_sampled_covariances_in_batches():
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((300, 4)) + 5, rng.standard_normal((300, 3)) - 7
    batches = ((u[start : start + 70], v[start : start + 70]) for start in range(0, 300, 70))
    feature_covariances, mean = sampled_covariances(batches, np.ones(4), 3)
    joint = np.cov(np.hstack([u, v]).T, bias=True)
    for found, expected in ((feature_covariances.Psi, joint[:4, :4]), (feature_covariances.Phi, joint[:4, 4:])):
        np.testing.assert_allclose(found, expected, atol=1e-13)
    np.testing.assert_allclose(feature_covariances.Omega, joint[4:, 4:], atol=1e-13)
    np.testing.assert_allclose(mean, v.mean(axis=0))
    with pytest.raises(DataError, match="covariances need at least two samples"):
        sampled_covariances([(u[:1], v[:1])], np.ones(4), 3)


def test_a_teacher_that_the_features_explain_whatever_the_samples():
    """Few samples: with the exact Psi, sampled Phi and Omega would explain more than the variance of its field."""
    u = np.random.default_rng(0).standard_normal((30, 6))
    feature_covariances, _ = sampled_covariances([(u, u)], np.arange(1.0, 7.0), 6)
    assert covariate_spectrum(feature_covariances).power == pytest.approx(feature_covariances.power)
    with pytest.raises(ConfigError, match="do not match: the features explain"):
        covariate_spectrum(replace(feature_covariances, Psi=feature_covariances.Psi / 2))


def test_fresh_samples_of_a_generator_have_the_covariances(generated, generator):
    """Standard errors of entries of order 0.3 from 20,000 and 40,000 samples are below 0.005."""
    feature_covariances = dataset_covariate_model(generated)
    assert feature_covariances.Psi == pytest.approx(np.eye(120), abs=0.05)
    field, features = dataset_source(generated, latent_generator(generator))(np.random.default_rng(2), 20_000)
    assert field.var() == pytest.approx(feature_covariances.power, rel=0.06)
    assert np.abs(features.mean(axis=0)).max() < 0.03
    np.testing.assert_allclose(features.T @ features / 20_000, feature_covariances.Omega, atol=0.03)
    np.testing.assert_allclose(field @ features / 20_000, feature_covariances.correlation, atol=0.05)


def test_generated_features_agree_with_the_theory(generated, generator):
    """Of 12 z scores with 11 degrees of freedom, one exceeds 6 in 10^3."""
    theory = make("replica", {"problem": PROBLEM}, feature_covariances=generated)
    params = {"problem": PROBLEM, "seeds": 12, "seed": 3, "test_samples": 2000}
    samples = make("convex_learning", params, feature_covariances=generated, generator=generator)
    for name in ("training_loss", "test_loss", "class_error"):
        error = samples[name].std("seed", ddof=1) / np.sqrt(12)
        assert float(abs((samples[name].mean("seed") - theory[name]) / error).max()) < 6


@pytest.mark.parametrize("labels", ["classes", "pixels", "signs"])
def test_a_set_of_images_is_the_whole_law(labels):
    dataset = image_features(labels=labels)
    feature_covariances = dataset_covariate_model(dataset)
    field, features = dataset.field.values, dataset.features.values.astype(float)
    np.testing.assert_allclose(features.T @ features / len(features), feature_covariances.Omega, atol=1e-6)
    np.testing.assert_allclose(field @ features / len(features), feature_covariances.correlation, atol=1e-5)
    assert np.mean(field**2) == pytest.approx(feature_covariances.power)
    assert np.mean(field) == pytest.approx(0, abs=1e-9 * np.abs(field).max())
    assert (len(np.unique(field)) == 2) == (labels != "pixels")
    drawn_field, drawn = dataset_source(dataset)(np.random.default_rng(0), 3000)
    rows = {row.tobytes(): index for index, row in enumerate(features)}
    origin = [rows[row.tobytes()] for row in drawn]
    assert np.array_equal(field[origin], drawn_field)
    assert 1400 < len(set(origin)) < 1700  # with replacement: 2000 (1 - e^-1.5) = 1554 of them


def test_labels_of_images():
    _, classes = load(RESOURCES, "mnist", "train")
    field = image_features(labels="classes").field.values
    assert np.array_equal(field > 0, classes % 2 == 0)
    pixels, signs = (image_features(labels=labels).field.values for labels in ("pixels", "signs"))
    assert np.array_equal(signs > 0, pixels > 0)


def test_the_teacher_is_linear_in_the_pixels():
    grey = grey_images(load(RESOURCES, "mnist", "train")[0])
    centred = grey - grey.mean(axis=0)
    dataset = image_features(labels="pixels", features=5)
    np.testing.assert_allclose(dataset.field, centred @ dataset.teacher.values / 28, atol=1e-9)


def test_features_of_generated_inputs_need_their_own_generator(generated, generator):
    params = {"problem": PROBLEM, "seeds": 2, "seed": 3, "test_samples": 20}
    with pytest.raises(ConfigError, match="'generator' do not fit: give it only for features of generated inputs"):
        make("convex_learning", params, feature_covariances=generated)
    other = make("sign_generator", {"widths": [120, 240], "seed": 9})
    with pytest.raises(ConfigError, match="'generator' differs from the generator of the covariates"):
        make("convex_learning", params, feature_covariances=generated, generator=other)
    gaussian = make("gaussian_feature_covariances", {"dimension": 20})
    with pytest.raises(ConfigError, match="do not fit"):
        make("convex_learning", params, feature_covariances=gaussian, generator=generator)
    with pytest.raises(ResultError, match="found a result of type 'generator'"):
        make("replica", {"problem": PROBLEM}, feature_covariances=generator)


def test_labels_of_a_trained_network():
    """Its outputs have the signs of the classes for most images. Before the training they do not."""
    network, classes = (image_features(labels=labels).field for labels in ("network", "classes"))
    assert float(np.mean(np.sign(network) == np.sign(classes))) > 0.85
    assert len(np.unique(network)) > 1000
    assert abs(float(network.mean())) < 1e-12

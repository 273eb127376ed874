"""Learning by a convex loss from samples, at every sample ratio and ridge."""

import itertools
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.experiments.replica.finite_sets import warn_of_small_set
from twolayer.experiments.replica.parameters import ConvexLearning, ConvexProblem
from twolayer.experiments.replica.replica import theory_of
from twolayer.experiments.replica.sources import dataset_source
from twolayer.experiments.replica.spectra import dataset_spectrum
from twolayer.experiments.sweeps import sweep
from twolayer.model.networks.feature_count import count_of
from twolayer.progress import track
from twolayer.results.feature_covariances import (
    GAUSSIAN,
    SAMPLES,
    SPECTRUM,
    dataset_covariate_model,
    gaussian_to_dataset,
    needs_generator,
)
from twolayer.simulation.convex.convex_learning import learn, perform
from twolayer.theory.replica.fresh_errors import fresh_errors

if TYPE_CHECKING:
    from twolayer.model.generators.latent_generators import LatentGenerator


def run(
    config: ConvexLearning, feature_covariances: xr.Dataset, generator: "xr.Dataset | LatentGenerator | None" = None
) -> xr.Dataset:
    """Return errors and overlaps at every point, for every draw of training and test samples.

    Args:
        generator: generator of the inputs, for random features of generated inputs.
    """
    if config.gaussian_equivalent:
        feature_covariances = gaussian_to_dataset(dataset_covariate_model(feature_covariances))
    warn_of_small_set(feature_covariances, config.problem)
    draw, d = _source(feature_covariances, generator), feature_covariances.sizes["feature"]
    exact = _exact_test(feature_covariances, config.problem) if config.test_samples is None else None
    axes, rows = {"seed": list(range(config.seeds)), **axes_of(config.problem)}, {}
    streams = track(np.random.default_rng(config.seed).spawn(config.seeds), "draws")
    with sweep() as point:
        for seed, stream in zip(axes["seed"], streams, strict=True):
            training, test = _drawn_sets(config, draw, d, exact, stream)
            for loss, ratio, ridge in itertools.product(*axes_of(config.problem).values()):
                with point(seed=seed, loss=loss, sample_ratio=ratio, ridge=ridge):
                    rows[seed, loss, ratio, ridge] = _errors(config.problem, loss, ridge, training[ratio], test)
    return points_to_dataset(axes, rows).drop_vars("seed")


def _exact_test(feature_covariances, problem):
    """Return an exact test of weights on the whole distribution: by its covariances, or on all samples of a set."""
    kind = feature_covariances.attrs["kind"]
    if kind == SAMPLES and not problem.noise:
        field, features = feature_covariances.field.values, feature_covariances.features.values.astype(float)
        return _sampled_test((field, features, labels_of(problem, field)), problem.huber_delta)
    if kind not in (GAUSSIAN, SPECTRUM):
        raise ConfigError(
            f"test_samples is null for {kind}: exact errors are known only for {GAUSSIAN} and {SAMPLES}: give a number"
        )
    distribution, spectrum = dataset_covariate_model(feature_covariances), dataset_spectrum(feature_covariances)
    return lambda weights, loss: fresh_errors(weights, distribution, theory_of(problem, spectrum, loss))


def _source(feature_covariances, generator):
    if needs_generator(feature_covariances) != (generator is not None):
        raise ConfigError(
            "the covariates and the input 'generator' do not fit: give it only for features of generated inputs"
        )
    if generator is None:
        return dataset_source(feature_covariances)
    from twolayer.results.generator import latent_generator  # needs torch
    from twolayer.results.network import weights_digest

    if feature_covariances.attrs["generator"] != weights_digest(generator):
        raise ConfigError("input 'generator' differs from the generator of the covariates: give the same generator")
    return dataset_source(feature_covariances, latent_generator(generator))


def _drawn_sets(config, draw, d, exact, rng):
    """Return the training sets of one draw by their sample ratios, and the test of weights.

    All losses and ridges use the same samples, and all sample ratios the same test samples.
    """
    problem = config.problem
    test = exact or _sampled_test(_labelled(problem, draw, config.test_samples, rng), problem.huber_delta)
    counts = {alpha: count_of(alpha, d, "sample_ratios", "sample") for alpha in problem.sample_ratios}
    return {alpha: _labelled(problem, draw, count, rng) for alpha, count in counts.items()}, test


def _sampled_test(samples, huber_delta):
    return lambda weights, loss: perform(weights, *samples, loss, huber_delta)


def _labelled(problem, draw, count, rng):
    """Return field, features and labels of samples; the noise comes after all other random numbers of a set."""
    field, features = draw(rng, count)
    if not problem.noise:
        return field, features, labels_of(problem, field)
    noise = rng.logistic(size=count) if problem.labels == "logit" else rng.standard_normal(count)
    return field, features, labels_of(problem, field + problem.noise * noise)


def labels_of(problem: ConvexProblem, field: np.ndarray) -> np.ndarray:
    """Return the labels of fields that include their noise."""
    return field if problem.labels == "linear" else np.sign(field)


def _errors(problem, loss, ridge, training, test):
    _, features, labels = training
    weights = learn(features, labels, loss, ridge, penalty=problem.penalty, huber_delta=problem.huber_delta)
    known, fresh = perform(weights, *training, loss, problem.huber_delta), test(weights, loss)
    linear = problem.labels == "linear"
    return {
        "training_loss": known.loss,
        "test_loss": fresh.loss,
        "training_class_error": None if linear else known.class_error,
        "class_error": None if linear else fresh.class_error,
        "class_error_clean": fresh.class_error_clean,
        "excess": fresh.excess if linear else None,
        "q": fresh.q,
        "m": fresh.m,
    }

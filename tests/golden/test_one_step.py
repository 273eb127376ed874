"""One gradient step against the stored numbers in one_step/: single steps, replayed streams, statistics."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from twolayer.experiments.one_step.one_step_simulation import run
from twolayer.experiments.one_step.parameters import Axes, OneStepSweep, SpikedData
from twolayer.model.generators.conditional_generator import ConditionalGenerator
from twolayer.model.mixtures.noisy_images import class_moments, noisy_images
from twolayer.model.mixtures.spiked_mixtures import (
    Samples,
    SpikedMixture,
    component_labels,
    component_sizes,
    draw_inputs,
)
from twolayer.model.networks.activations import RELU, SIGMOID, TANH
from twolayer.model.networks.hermite_expansion import converged_expansion, degree_for, hermite_expansion
from twolayer.model.random.streams import Stream
from twolayer.simulation.one_step.gradient_step import StartingNetwork, fitted_errors, gradient_steps

FOLDER = Path(__file__).parent / "one_step"
ENTRIES = json.loads((FOLDER / "goldens.json").read_text())["entries"]
ACTIVATIONS = {"relu": RELU, "tanh": TANH, "sigmoid": SIGMOID}


def entries(kind):
    return [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == kind]


class Given(Stream):
    """Stored numbers in the place of random ones."""

    def __init__(self, normals=None, feature=None, test=None):
        self.normals, self.feature, self.test = normals, feature, test

    def normal(self, *shape):
        block, self.normals = np.split(self.normals, [shape[0]])
        return block

    def feature_noise(self, samples, width):
        return self.feature.T

    def readout_noise(self, readout, samples):
        return readout @ self.test


@pytest.mark.parametrize("entry", entries("hermite_coeffs"))
def test_hermite_coefficients(entry):
    inputs = entry["inputs"]
    for name, expected in entry["expected"].items():
        for degree in range(inputs["max_degree"] + 1):
            expansion = hermite_expansion(ACTIVATIONS[name].value, inputs["b"], degree, inputs["nodes"])
            assert expansion.coefficients == pytest.approx(expected["h"][: degree + 1], abs=entry["tol"]["abs"])
            assert expansion.rest == pytest.approx(expected["h_s"][degree], abs=entry["tol"]["abs"])


def test_exact_coefficients_of_relu():
    expansion, _ = converged_expansion(RELU.value, 1.0, 3)
    exact = [1 / math.sqrt(2 * math.pi), 0.5, 0.5 / math.sqrt(2 * math.pi), 0]
    assert expansion.coefficients == pytest.approx(exact, abs=1e-12)
    assert expansion.rest == pytest.approx(
        math.sqrt(0.5 - sum(h**2 * c for h, c in zip(exact, (1, 1, 2, 6), strict=True))), abs=1e-12
    )


@pytest.mark.parametrize("entry", entries("degree_rule"))
def test_degree(entry):
    assert degree_for(entry["inputs"]["beta"]) == entry["expected"]["l"]


@pytest.mark.parametrize("entry", entries("structure_deterministic"))
def test_structure(entry):
    inputs, expected, stored = entry["inputs"], entry["expected"], np.load(FOLDER / entry["file"])
    spikes, frames = ((stored["theta1"], stored["theta2"]), (stored["gamma1"], stored["gamma2_mixed"]))
    mixture = SpikedMixture(frames, spikes, np.array([inputs["rho"], 1 - inputs["rho"]]))
    assert mixture.trace == pytest.approx(expected["trace"], rel=1e-9)
    assert mixture.norm == pytest.approx(expected["sigma_spectral_norm"], rel=1e-9)
    teacher = stored["xi_direction"][:, 0] / math.sqrt(mixture.norm)
    np.testing.assert_allclose(teacher, stored["expected_xi"][:, 0], rtol=1e-9)
    X = draw_inputs(Given(np.vstack([stored["A1"], stored["A2"]])), mixture, inputs["m"])
    np.testing.assert_allclose(X, stored["expected_X"], rtol=1e-9, atol=1e-12)
    regression = inputs["labels"] == "regression"
    labels = np.maximum(X @ teacher, 0) if regression else component_labels(component_sizes(mixture, inputs["m"]))
    np.testing.assert_allclose(labels, stored["expected_y"][:, 0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("entry", entries("cgan_architecture"))
def test_parameters_of_the_generator(entry):
    assert sum(weights.numel() for weights in ConditionalGenerator().parameters()) == entry["expected"]["n_parameters"]


@pytest.mark.parametrize("entry", entries("fashion_preprocess_deterministic"))
def test_noisy_images(entry):
    expected, stored = entry["expected"], np.load(FOLDER / entry["file"])
    moments = [class_moments(np.array_split(stored[f"stat_samples{c}"], 7)) for c in (1, 2)]
    assert moments[0].trace == pytest.approx(expected["trace1"], rel=1e-10)
    assert moments[1].trace == pytest.approx(expected["trace2_raw"], rel=1e-10)
    images = stored["raw1"], stored["raw2"]
    for keep_means, name in ((False, "expected_X_demeaned"), (True, "expected_X_mean_kept")):
        inputs = noisy_images(Given(stored["noise"]), images, moments, entry["inputs"]["theta"], keep_means)
        np.testing.assert_allclose(inputs, stored[name], rtol=1e-10, atol=1e-12)


def fitted(entry, name, feature=None, test=None):
    """Network and Hermite model with the stored data, and the first layer."""
    inputs, stored = entry["inputs"], np.load(FOLDER / entry["file"])
    sets = [Samples(stored[f"X{of}"], stored[f"y{of}"][:, 0]) for of in ("_tilde", "", "_new")]
    network = StartingNetwork(stored["F"], stored["w"][:, 0])
    (first_layer,) = gradient_steps(network, sets[0], [ACTIVATIONS[name]], step=inputs["eta"])
    expansion = hermite_expansion(ACTIVATIONS[name].value, inputs.get("b", 1.0), inputs.get("l", 1))
    stream = Given(feature=stored["noise"] if feature is None else feature, test=stored["noise_new"])
    if feature is not None:
        stream.test = np.zeros_like(stream.test)
    fit = {"train": sets[1], "test": sets[2], "ridge": inputs["lambda"], "stream": stream}
    errors = fitted_errors(first_layer, ACTIVATIONS[name], expansion, **fit)
    return *errors, first_layer, network


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("entry", entries("nn_deterministic"))
def test_network(entry, name):
    expected, step = entry["expected"][name], entry["inputs"]["eta"]
    errors, _, first_layer, network = fitted(entry, name)
    gradient = (first_layer - network.F) / step
    assert np.linalg.norm(gradient) == pytest.approx(expected["G_fro"], rel=1e-7)
    assert gradient[0, :3] == pytest.approx(expected["G_first_row_head"], rel=1e-7)
    assert np.linalg.norm(first_layer) == pytest.approx(expected["Fhat_fro"], rel=1e-7)
    assert (errors.training_loss, errors.test_loss) == pytest.approx((expected["train"], expected["gen"]), rel=1e-7)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("entry", entries("hermite_deterministic"))
def test_hermite_model(entry, name):
    expected = entry["expected"][name]
    _, errors, first_layer, _ = fitted(entry, name)
    assert (errors.training_loss, errors.test_loss) == pytest.approx((expected["train"], expected["gen"]), rel=1e-6)
    silent = fitted(entry, name, feature=np.zeros((len(first_layer), entry["inputs"]["m"])))[1]
    assert silent.training_loss == pytest.approx(expected["train_noise_off"], rel=1e-6)
    assert silent.test_loss == pytest.approx(expected["gen_noise_off"], rel=1e-6)


def sweep(points, n, m, **options):
    """The sweep that runs through these points of a golden, one after the other, and its axis."""
    names = {"k_over_m": "width", "align": "alignment", "rho": "ratio", "d": "rank"}
    data, degree, axes = {"input_dimension": n, "samples": m}, None, {}
    for point in points:
        for key, value in point.items():
            if key == "l":
                degree = value
            elif key == "random_eigs":
                data["random_spikes"] = value
            elif key == "aligned_xi":
                data["teacher"], options["activations"] = "aligned", ("relu",)
            elif key == "labels":
                data["labels"] = value
            else:
                axes[names.get(key, key)] = (*axes.get(names.get(key, key), ()), value)
    axes = {name: tuple(dict.fromkeys(values)) for name, values in axes.items()}
    return OneStepSweep(SpikedData(**data), Axes(**axes), degree=degree, **options), tuple(axes)


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries("legacy_rng_replay"))
def test_replay(entry):
    inputs, params = entry["inputs"], entry["inputs"]["params"]
    points = [point if isinstance(point, dict) else {"k_over_m": point} for point in inputs["points"]]
    draws = "fresh" if params.get("fresh") else "shared"
    options = {"seeds": params["T"], "seed": inputs["seed"], "draws": draws, "stream": "published"}
    config, axes = sweep(points, params["n"], params["m"], **options)
    result = run(config).stack(point=axes)
    for point, trials in enumerate(entry["expected"]["per_point_per_trial"]):
        for trial, models in enumerate(trials):
            for model, expected in models.items():
                kind, activation = model.replace("nn", "network").replace("he", "hermite").split("_")
                here = result.isel(point=point, seed=trial).sel(activation=activation)
                errors = float(here[f"{kind}_training"]), float(here[kind])
                assert errors == pytest.approx(expected, rel=entry["tol"]["rel"])


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries("reduced_size_statistic"))
def test_statistics_of_fresh_draws(entry):
    inputs, draws = entry["inputs"], 10
    config, axes = sweep([inputs["point"]], inputs["n"], inputs["m"], seeds=draws, seed=1)
    result = run(config).squeeze(axes)
    for model, expected in entry["expected"].items():
        kind, activation = model.replace("nn", "network").replace("he", "hermite").split("_")
        for name, stored in ((kind, "gen"), (f"{kind}_training", "train")):
            values = result[name].sel(activation=activation)
            error = math.hypot(values.std(ddof=1) / math.sqrt(draws), expected[f"{stored}_se"])
            assert abs(float(values.mean()) - expected[f"{stored}_mean"]) < 4 * error

"""Giant steps against stored steps, theories and simulations (tests/golden/field/giant_*)."""

import csv
from pathlib import Path

import numpy as np
import pytest

from twolayer.model.mixtures.spiked_mixtures import Samples
from twolayer.model.networks.activations import SIGMOID, as_activation
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.simulation.one_step.gradient_step import StartingNetwork, gradient_steps
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.giant_step import drawn_layer_outputs
from twolayer.theory.one_step.second_step import second_step

FOLDER = Path(__file__).parent / "field"


def two_index(s):
    return np.sin(s[..., 0] + s[..., 1] / 2) + np.tanh(2 * s[..., 1]) / 2 - 0.3 * s[..., 0] * s[..., 1]


def he3(x):
    return (x**3 - 3 * x) / np.sqrt(6)


TEACHERS = {
    "tanh(s1)": ("tanh", 1),
    "relu(s1)": ("relu", 1),
    "sin(s1)": ("sin", 1),
    "he3": ("hermite3", 1),
    "s/2+he3": (lambda x: x / 2 + he3(x), 1),
    "x+x2": (lambda x: x + (x**2 - 1) / 2, 1),
    "sin(s1+s2/2)+tanh(2 s2)/2-0.3 s1 s2": (two_index, 2),
}


def teacher(name):
    return LabelFunction.of(*TEACHERS.get(name, (name, 1)))


def rows(name):
    with (FOLDER / f"giant_{name}.csv").open() as lines:
        table = list(csv.DictReader(lines))
    texts = ("teacher", "student")
    return [{key: value if key in texts else float(value) for key, value in row.items()} for row in table]


def step_of(row):
    return GiantStep(
        as_activation(row["student"]), teacher(row["teacher"]), row["eta"], row["alpha0"], row.get("noise", 0.0)
    )


def limit_of(row):
    width = row.get("k_over_n", 1.0)
    return giant_step_limit(step_of(row), width_ratio=width, sample_ratio=row["alpha"], penalty=row["penalty"])


def squares(outputs):
    """Mean squares on fresh samples and on training samples, and the training loss."""
    training = outputs.weights @ (outputs.squares * outputs.gain**2)
    return np.array([2 * outputs.losses.test_loss, training, 2 * outputs.losses.training_loss])


@pytest.mark.parametrize("name", ["tanh", "relu", "sigmoid"])
def test_first_layers(name):
    stored = np.load(FOLDER / "giant_step.npz")
    network, data = StartingNetwork(stored["F"], stored["w"]), Samples(stored["X"], stored["y"])
    activations, step = [SIGMOID if name == "sigmoid" else as_activation(name)], float(stored["eta"])
    (first,) = gradient_steps(network, data, activations, step=step)
    (second,) = gradient_steps(network, data, activations, step=step, further=[data])
    np.testing.assert_allclose(first, stored[f"first_{name}"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(second, stored[f"second_same_batch_{name}"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["tanh", "relu", "relu_normal", "two_index"])
def test_drawn_layers(name):
    """The theory has the stored values; stored simulations at n = 200 lie within 4 %."""
    one = np.load(FOLDER / f"giant_drawn_{name}.npz")
    layer, spike = one["first_layer"].astype(float), one["spike_direction"][:, None]
    problem = layer, spike, as_activation(str(one["student"])), teacher(str(one["teacher"])), one["teacher_directions"]
    for samples, penalty, expected, simulated in zip(
        one["samples"], one["penalty"], one["conditional"], one["simulation"], strict=True
    ):
        size = {"samples": int(samples), "penalty": penalty, "label_noise": float(one["label_noise"])}
        found = squares(drawn_layer_outputs(*problem, **size))
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        np.testing.assert_allclose(found, simulated, rtol=0.04)


@pytest.mark.parametrize("row", rows("limit"), ids=lambda row: "{teacher}-{eta}-{alpha}".format(**row))
def test_limit(row):
    step, outputs = step_of(row), limit_of(row)
    several = row["teacher"] == "sin(s1+s2/2)+tanh(2 s2)/2-0.3 s1 s2"
    found = [step.h1, step.s2, step.power, step.gradient, np.linalg.norm(step.overlaps), step.spike, step.bulk]
    expected = [row[name] for name in ("h1", "s2", "r2", "G", "gamma", "spike", "c2")]
    np.testing.assert_allclose(found, expected, rtol=1e-4 if several else 1e-7, atol=1e-10)
    errors = [row[name] for name in ("mse", "train", "loss")]
    np.testing.assert_allclose(squares(outputs), errors, rtol=1e-4 if several else 1e-6)
    if row["teacher"] != "he3" and np.isfinite(row["sim_mse"]):  # He3 has heavy tails
        assert squares(outputs)[0] == pytest.approx(row["sim_mse"], abs=3 * row["sim_mse_se"] + 0.02 * row["mse"])


@pytest.mark.parametrize("row", rows("class"), ids=lambda row: "{alpha0}-{alpha}".format(**row))
def test_class_errors(row):
    outputs = limit_of(row)
    assert outputs.class_error == pytest.approx(row["class_error"], abs=1e-6)
    assert squares(outputs)[0] == pytest.approx(row["mse"], rel=1e-6)


@pytest.mark.parametrize("row", rows("two_step"), ids=lambda row: "{teacher}".format(**row))
def test_second_steps(row):
    for batch in ("same", "fresh"):
        found = second_step(step_of(row), batch == "same")
        assert found == pytest.approx((row[f"overlap_{batch}"], row[f"mse_{batch}"]), abs=1e-6)

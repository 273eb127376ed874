"""The tasks on generated images, from a generator trained for a moment to errors of networks."""

from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from tasks import make

from twolayer import io
from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.experiments.generated_images import image_sweep
from twolayer.model.generators.conditional_generator import LATENT
from twolayer.model.mixtures.noisy_images import class_moments
from twolayer.model.random.streams import Stream
from twolayer.parameters import parse
from twolayer.results.conditional_generator import generate, generated_batches, generator_from_dataset
from twolayer.simulation.training.adversarial_training import AdversarialTraining
from twolayer.storage.checkpoint import Checkpoint

RESOURCES = Path(__file__).parents[2] / "workflow" / "resources"
CPU = torch.device("cpu")
GAN = {"seed": 0, "device": "cpu", "epochs": 10, "learning_rate": 2e-3, "hidden": 24, "channels": 6}
STATISTICS = {"classes": [5, 9], "seed": 0, "device": "cpu", "samples": 1200}
SWEEP = {"samples": 40, "axes": {"width": [0.5, 2]}, "seeds": 3, "seed": 0}


def train(folder, **changes):
    return make("conditional_gan", GAN | changes, images=RESOURCES, checkpoint=Checkpoint(folder / "gan.nc", "gan"))


def stream(seed=0):
    return Stream(np.random.default_rng(seed))


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    return train(tmp_path_factory.mktemp("gan"))


@pytest.fixture(scope="module")
def statistics(generator):
    return make("class_statistics", STATISTICS, generator=generator)


@pytest.mark.slow
def test_an_interrupted_task_gives_the_same_generator(tmp_path, tmp_path_factory, monkeypatch):
    run_epoch, sizes = AdversarialTraining.run_epoch, {"epochs": 2, "hidden": 8, "channels": 2}
    expected = train(tmp_path_factory.mktemp("straight"), **sizes)

    def interrupted(training):
        if training.epoch == 1:
            raise KeyboardInterrupt
        run_epoch(training)

    monkeypatch.setattr(AdversarialTraining, "run_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, **sizes)
    monkeypatch.setattr(AdversarialTraining, "run_epoch", run_epoch)
    assert train(tmp_path, **sizes).identical(expected)


@pytest.mark.slow
def test_weights_come_back_from_the_file(generator, tmp_path):
    io.write(io.made_by(generator, "conditional_gan", "{}", 1), tmp_path / "gan.nc")
    found = generator_from_dataset(io.read(tmp_path / "gan.nc", task="conditional_gan"), CPU)
    expected = generator_from_dataset(generator, CPU)
    latents = torch.rand(4, LATENT)
    assert found(latents, torch.arange(4)).equal(expected(latents, torch.arange(4)))
    assert sum(weights.numel() for weights in found.parameters()) == int(generator.parameters)


def test_images_in_batches(generator):
    network = generator_from_dataset(generator, CPU)
    whole = generate(network, 3, 1200, stream())
    assert whole.shape == (1200, 784)
    assert 0 <= whole.min() < whole.max() <= 1
    batches = list(generated_batches(network, 3, 1200, stream()))
    assert max(len(batch) for batch in batches) == 500
    np.testing.assert_array_equal(np.concatenate(batches), whole)


def test_statistics_are_those_of_the_images(generator, statistics):
    network = generator_from_dataset(generator, CPU)
    other = generate(network, 9, 1200, stream(1))
    error = np.sqrt(2 * float(statistics.trace.sel({"class": 9})) / 1200)  # standard error of the distance of two means
    assert np.linalg.norm(statistics["mean"].sel({"class": 9}) - other.mean(axis=0)) < 2 * error
    trace = class_moments([other]).trace
    assert float(statistics.trace.sel({"class": 9})) == pytest.approx(trace, rel=0.15)
    np.testing.assert_allclose(
        statistics.trace_fraction, statistics.trace / generator.image_trace.sel({"class": [5, 9]})
    )
    half = np.linalg.norm(statistics["mean"][0] - statistics["mean"][1]) / 2
    np.testing.assert_allclose(statistics.distance, [half, half])
    noise = statistics.noisy - np.sqrt(784 / float(statistics.trace[0])) * statistics.centred
    assert float(noise.std()) == pytest.approx(1, abs=0.03)  # 5 standard errors


def test_a_generator_that_ignores_the_class_is_found(generator):
    """The classes are compared with the generator's own mean images, so that no course of a training matters."""
    fractions = {}
    for factor in (0, 30):
        altered = generator.copy(deep=True)
        altered["weights.dense.0.weight"][:, LATENT:] *= factor
        if factor:
            means = make("class_statistics", STATISTICS, generator=altered)["mean"]
            altered["image_mean"].loc[{"class": means["class"]}] = means.values
        fractions[factor] = make("class_statistics", STATISTICS, generator=altered).nearest_mean_accuracy
    assert float(fractions[0].mean()) == pytest.approx(0.5, abs=0.07)  # 3 standard errors
    assert float(fractions[30].mean()) > 0.95


@pytest.mark.slow
def test_sweeps(generator, statistics):
    inputs = {"generator": generator, "statistics": statistics}
    result = make("image_sweep", SWEEP, **inputs)
    assert result.network.sizes == {"width": 2, "activation": 3, "seed": 3}
    assert (int(result.input_dimension), int(result.samples), int(result.images)) == (784, 40, 750)
    assert result.identical(make("image_sweep", SWEEP, **inputs))
    assert not result.identical(make("image_sweep", SWEEP | {"seed": 1}, **inputs))
    step = make("image_sweep", SWEEP | {"axes": {"step_exponent": [0, 1]}, "draws": "shared"}, **inputs)
    assert step.network.sizes == {"step_exponent": 2, "activation": 3, "seed": 3}


def test_images_have_as_much_variance_as_their_noise(generator, statistics, monkeypatch):
    """A total of n either, in every data set; of 500 inputs it is known to a few percent."""
    drawn = []
    monkeypatch.setattr(
        image_sweep, "errors_along", lambda config, draw, *_: drawn.append(draw({}, stream())) or xr.Dataset()
    )
    image_sweep.run(parse(TASKS["image_sweep"].parameters, SWEEP | {"samples": 500}, "here"), generator, statistics)
    for samples in (drawn[0].gradient, drawn[0].train, drawn[0].test):
        assert samples.inputs.var(axis=0).sum() == pytest.approx(drawn[0].trace, rel=0.1)


def test_means_help(generator, statistics):
    inputs = {"generator": generator, "statistics": statistics}
    kept, without = (make("image_sweep", SWEEP | {"keep_means": kept}, **inputs).network for kept in (True, False))
    for activation in ("tanh", "sigmoid"):
        assert float(kept.sel(activation=activation).max()) < float(without.sel(activation=activation).min())


@pytest.mark.slow
def test_theory_by_measured_moments(generator, statistics):
    """Against networks of the same first layers and images, means over 12 trials and two widths: four standard errors,
    and three percent for m = 80."""
    inputs, problem = {"generator": generator, "statistics": statistics}, SWEEP | {"samples": 80, "seeds": 12}
    theory = make("image_theory", problem | {"images": 480}, **inputs)
    network = make("image_sweep", problem, **inputs)
    for kind in ("", "_training", "_misclassified"):
        one, other = theory[f"theory{kind}"], network[f"network{kind}"]
        gap = ((one - other) / other.mean("seed")).mean("width")
        error = gap.std("seed", ddof=1) / np.sqrt(12)
        assert (abs(gap.mean("seed")) < 4 * error + 0.03).all()


@pytest.mark.slow
def test_theory_of_a_large_step(generator, statistics):
    """The step divides the error by two. At this size the theory is off by a fifth."""
    inputs = {"generator": generator, "statistics": statistics}
    problem = SWEEP | {"samples": 80, "seeds": 12, "step_exponent": 0.9}
    theory = make("image_theory", problem | {"images": 480}, **inputs).theory
    network = make("image_sweep", problem, **inputs).network
    assert (abs((theory - network).mean(["seed", "width"])) < 0.3 * network.mean(["seed", "width"])).all()


@pytest.mark.parametrize(
    ("task", "params", "message"),
    [
        (
            "image_theory",
            SWEEP | {"samples": 80, "images": 90},
            "images is 90: make it 480 or more, 6 times the samples and 1.2 times the hidden units",
        ),
        ("conditional_gan", GAN | {"channels": 7}, "channels is 7: make it even"),
        ("conditional_gan", GAN | {"epochs": 0}, "epochs is 0: it must be at least 1"),
        ("class_statistics", STATISTICS | {"classes": [5, 5]}, r"classes is \[5, 5\]: give two different classes"),
        (
            "class_statistics",
            STATISTICS | {"classes": [5, 10]},
            r"classes\[1\] is 10: it must be at least 0 and at most 9",
        ),
        ("image_sweep", SWEEP | {"axes": {}}, "no axis is given: give at least one of width, step_exponent"),
        ("image_sweep", SWEEP | {"ridge": -1}, "ridge is -1.0: it must be at least 0"),
    ],
)
def test_bad_parameters(task, params, message):
    with pytest.raises(ConfigError, match=message):
        parse(TASKS[task].parameters, params, task)


def test_more_in_a_batch_than_there_is(tmp_path):
    with pytest.raises(ConfigError, match="batch_size is 1000: use at most 750, the number of images"):
        train(tmp_path, batch_size=1000)

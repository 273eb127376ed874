"""Trainings in small files, which replace hours of computation."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from twolayer.errors import ConfigError, ResultError
from twolayer.experiments.generated_images.parameters import ConditionalGan
from twolayer.experiments.generators.parameters import TrainedFlow, TrainedGenerator
from twolayer.experiments.images.parameters import ImageTraining
from twolayer.model.random.streams import Stream
from twolayer.parameters import shift_seeds, to_json
from twolayer.pipeline.catalogue import Catalogue
from twolayer.results.conditional_generator import generate, generator_from_dataset
from twolayer.storage.checkpoint import NoCheckpoint
from twolayer.storage.stored_trainings import store_training

CONFIG = ConditionalGan(hidden=8, channels=2, epochs=1, batch_size=250, seed=3)


@pytest.fixture(scope="module")
def trained():
    result = ConditionalGan.task.run(CONFIG, images="workflow/resources", checkpoint=NoCheckpoint())
    return result.assign_attrs(params=to_json(CONFIG))


@pytest.fixture
def stored(trained, tmp_path):
    store_training(trained, tmp_path / "gan.safetensors")
    return replace(CONFIG, stored=str(tmp_path / "gan.safetensors"))


def test_a_stored_training_replaces_the_training(trained, stored):
    result = ConditionalGan.task.run(stored, checkpoint=NoCheckpoint())
    assert result.sizes["epoch"] == 1
    for name in trained.variables:
        matrix = name.startswith("weights.") and trained[name].ndim > 1
        assert result[name].dtype == trained[name].dtype
        np.testing.assert_allclose(result[name], trained[name], rtol=5e-4 if matrix else 0, atol=6e-8 if matrix else 0)
    images = [
        generate(generator_from_dataset(one, "cpu"), 1, 50, Stream(np.random.default_rng(0)))
        for one in (result, trained)
    ]
    np.testing.assert_allclose(*images, atol=1e-3)


def test_matrices_of_weights_have_half_precision(stored):
    contents = Path(stored.stored).read_bytes()
    header = json.loads(contents[8 : 8 + int.from_bytes(contents[:8], "little")])
    for name, array in header.items():
        if name.startswith("weights.") and "num_batches" not in name:
            assert array["dtype"] == ("F16" if len(array["shape"]) > 1 else "F32"), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 2}, r"has epochs 1 and not 2: change epochs, or set stored to null"),
        ({"hidden": 16}, r"has hidden 8 and not 16"),
        ({"seed": 4}, r"has seed 3 and not 4"),
    ],
)
def test_other_parameters_are_refused(stored, changes, message):
    with pytest.raises(ConfigError, match=message):
        ConditionalGan.task.run(replace(stored, **changes), checkpoint=NoCheckpoint())


def test_a_damaged_file_is_refused(stored):
    with open(stored.stored, "r+b") as file:
        file.seek(2000)
        file.write(b"x")
    with pytest.raises(ResultError, match="does not match the digest"):
        ConditionalGan.task.run(stored, checkpoint=NoCheckpoint())
    with pytest.raises(ResultError, match=r"stored training none.* cannot be read \(No such file"):
        ConditionalGan.task.run(replace(stored, stored="none.safetensors"), checkpoint=NoCheckpoint())


def test_it_reads_the_file_and_no_images(stored, tmp_path):
    task = ConditionalGan.task
    assert task.image_files(stored, tmp_path) == []
    assert task.custom_files(stored) == [stored.stored]
    assert len(task.image_files(CONFIG, tmp_path)) == 2


def test_a_shift_of_the_seeds_keeps_its_seed(stored):
    assert shift_seeds(stored, 5) == stored
    assert shift_seeds(CONFIG, 5).seed == 8


@pytest.mark.slow
def test_pictures_have_half_precision_and_the_rest_is_unchanged(tmp_path):
    """A ResNet's course, whose optimizer is a text, and a generator with examples, whose sizes are attributes."""
    small = {"epochs": 1, "batch_size": 200, "device": "cpu"}
    configs = (
        TrainedGenerator(dataset="mnist", size=8, grey=True, width=4, **small),
        TrainedFlow(dataset="mnist", size=8, grey=True, width=4, blocks=1, **small),
        ImageTraining("sgd", learning_rate=0.1, layers=8, final_epochs=0, dataset="cifar-10-subset", **small),
    )
    for config in configs:
        images = {"images": Path("workflow/resources"), "checkpoint": NoCheckpoint()}
        result = config.task.run(config, **images).assign_attrs(params=to_json(config))
        store_training(result, tmp_path / "one.safetensors")
        stored = replace(config, stored=str(tmp_path / "one.safetensors"))
        found = config.task.run(stored, checkpoint=NoCheckpoint())
        assert found.attrs == {name: value for name, value in result.attrs.items() if name != "params"}
        assert set(found.coords) == set(result.coords)
        for name, variable in result.variables.items():
            halved = variable.ndim == 4 or (str(name).startswith("weights.") and variable.ndim > 1)
            assert found[name].dtype == variable.dtype
            if halved:
                np.testing.assert_allclose(found[name], variable, rtol=5e-4, atol=6e-8)
            else:
                np.testing.assert_array_equal(found[name], variable)


SHIPPED = {  # file -> study, run and number of epochs
    "conditional_gan": ("one_step", "generator", 50),
    "trained_gan": ("gaussian_equivalence", "trained_gan", 25),
    "trained_flow": ("gaussian_equivalence", "trained_flow", 25),
    "resnet_sgd_256": ("varpro", "resnet_sgd_batch_size256", 110),
    "resnet_varpro_256": ("varpro", "resnet_varpro_batch_size256", 110),
    "resnet_shampoo_256": ("varpro", "resnet_shampoo_batch_size256", 110),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_trainings_of_the_project_have_the_parameters_of_the_configuration(name):
    study, of, epochs = SHIPPED[name]
    run = Catalogue.load(Path(), {"generators": "shipped"}, {}).run("paper", study, of)
    result = run.parameters.task.run(run.parameters, checkpoint=NoCheckpoint())
    assert result.sizes["epoch"] == epochs


def test_all_trainings_of_the_project_are_small_and_used():
    files = list(Path("workflow/resources/trained").glob("*"))
    assert {path.stem for path in files} == set(SHIPPED)
    assert sum(path.stat().st_size for path in files) < 25e6

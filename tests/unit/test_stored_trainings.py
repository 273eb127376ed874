"""Trainings in small files, which replace hours of computation."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from twolayer.errors import ConfigError, ResultError
from twolayer.experiments.generated_images import conditional_gan
from twolayer.experiments.generated_images.parameters import ConditionalGan
from twolayer.model.random.streams import Stream
from twolayer.parameters import shift_seeds, to_json
from twolayer.results.conditional_generator import generate, generator_from_dataset
from twolayer.storage.checkpoint import NoCheckpoint
from twolayer.storage.stored_trainings import store_training

CONFIG = ConditionalGan(hidden=8, channels=2, epochs=1, batch_size=250, seed=3)


@pytest.fixture(scope="module")
def trained():
    result = conditional_gan.run(CONFIG, NoCheckpoint(), "workflow/resources")
    return result.assign_attrs(params=to_json(CONFIG))


@pytest.fixture
def stored(trained, tmp_path):
    store_training(trained, tmp_path / "gan.safetensors")
    return replace(CONFIG, stored=str(tmp_path / "gan.safetensors"))


def test_a_stored_training_replaces_the_training(trained, stored):
    result = conditional_gan.run(stored, NoCheckpoint())
    assert ConditionalGan.task.result.complete(result, stored).sizes["epoch"] == 1
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
        conditional_gan.run(replace(stored, **changes), NoCheckpoint())


def test_a_damaged_file_is_refused(stored):
    with open(stored.stored, "r+b") as file:
        file.seek(2000)
        file.write(b"x")
    with pytest.raises(ResultError, match="does not match the digest"):
        conditional_gan.run(stored, NoCheckpoint())
    with pytest.raises(ResultError, match=r"stored training none.* cannot be read \(No such file"):
        conditional_gan.run(replace(stored, stored="none.safetensors"), NoCheckpoint())


def test_it_reads_the_file_and_no_images(stored, tmp_path):
    task = ConditionalGan.task
    assert task.image_files(stored, tmp_path) == []
    assert task.custom_files(stored) == [stored.stored]
    assert len(task.image_files(CONFIG, tmp_path)) == 2


def test_a_shift_of_the_seeds_keeps_its_seed(stored):
    assert shift_seeds(stored, 5) == stored
    assert shift_seeds(CONFIG, 5).seed == 8

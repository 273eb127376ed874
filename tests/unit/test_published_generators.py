"""The generators of the authors, tested on files of the same form: entries, checksum, and refusal of other files."""

import csv
import json
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from judged import outcomes
from small_project import CATALOGUE

from twolayer.errors import ConfigError, DataError
from twolayer.experiments.generators import published_generator as task
from twolayer.experiments.generators.parameters import PublishedGenerator
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.one_step import generated_images
from twolayer.figures.outcomes import NOT_APPLICABLE, PASS
from twolayer.model.data.images import image_files
from twolayer.model.generators import convolutional_generator, published_files
from twolayer.model.generators.conditional_generator import ConditionalGenerator
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator, calibrate
from twolayer.model.generators.published_files import PUBLISHED_FILES, blob_id
from twolayer.model.generators.published_generators import published_generator
from twolayer.results.generator import latent_generator

GOLDEN = Path(__file__).parents[1] / "golden"
TABLES = {
    "cifar-10-batches-bin": GOLDEN / "gaussian_equivalence" / "dcgan_state_dict.csv",
    "fashion-mnist": GOLDEN / "one_step" / "cgan_state_dict.csv",
}
PICKLED = [False, True]  # whether the file is of the old format, which is no zip archive


def entries(dataset):
    """Names and shapes of the publisher's entries, in order."""
    with TABLES[dataset].open() as file:
        rows = list(csv.DictReader(file))
    return {row["key"]: () if row["shape"] == "scalar" else tuple(map(int, row["shape"].split("x"))) for row in rows}


def network(dataset):
    """Of the published architecture, with weights and statistics of its own."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        made = ConvolutionalGenerator() if dataset == "cifar-10-batches-bin" else ConditionalGenerator()
        for name, buffer in made.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                buffer.uniform_(0.5, 1.5)
    return made.eval()


def as_published(dataset):
    """A network, and its weights under the publisher's names: both list their entries in the same order."""
    made = network(dataset)
    return made, OrderedDict(zip(entries(dataset), made.state_dict().values(), strict=True))


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a content where the file of a set belongs, and has it for the published one."""

    def write(dataset, content, old=False):
        path = tmp_path / dataset / PUBLISHED_FILES[dataset].name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            torch.save(content, path, _use_new_zipfile_serialization=not old)
        entry = replace(PUBLISHED_FILES[dataset], blob=blob_id(path.read_bytes()))
        monkeypatch.setitem(published_files.PUBLISHED_FILES, dataset, entry)
        return path

    return write


def test_a_blob_has_the_name_that_git_gives_it():
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


@pytest.mark.parametrize("dataset", TABLES)
def test_our_networks_have_the_published_entries(dataset, write, tmp_path):
    """An entry that is missing, has another shape or does not belong there is refused."""
    write(dataset, {name: torch.full(shape, 0.5) for name, shape in entries(dataset).items()})
    assert all(torch.all(weights == 0.5) for weights in published_generator(tmp_path, dataset).parameters())


@pytest.mark.parametrize("old", PICKLED)
@pytest.mark.parametrize("dataset", TABLES)
def test_published_weights_give_the_same_images(dataset, old, write, tmp_path):
    made, weights = as_published(dataset)
    write(dataset, weights, old)
    found = published_generator(tmp_path, dataset)
    assert not found.training
    latents = made.draw_latents(3, torch.Generator().manual_seed(2))
    classes = (torch.tensor([0, 5, 9]),) if dataset == "fashion-mnist" else ()
    with torch.no_grad():
        assert found(latents, *classes).equal(made(latents, *classes))


def test_files_without_counters_are_as_good(write, tmp_path):
    made, weights = as_published("cifar-10-batches-bin")
    write("cifar-10-batches-bin", {k: v for k, v in weights.items() if not k.endswith("tracked")}, old=True)
    latents = torch.zeros(1, 100)
    with torch.no_grad():
        assert published_generator(tmp_path, "cifar-10-batches-bin")(latents).equal(made(latents))


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "fashion-mnist" / "CGAN_G.pkl"
    with pytest.raises(DataError, match=r"CGAN_G.pkl cannot be read .*: replace it by https://.*generators: trained"):
        published_generator(tmp_path, "fashion-mnist")
    path.parent.mkdir()
    path.write_bytes(b"another")
    with pytest.raises(DataError, match="is not the conditional GAN of Demir and Dogan 2025: its git blob is not"):
        published_generator(tmp_path, "fashion-mnist")
    with pytest.raises(ConfigError, match="no generator of 'mnist' is published: choose one of"):
        published_generator(tmp_path, "mnist")


class Harmful:
    """Pickled code: unpickled, it makes a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def test_no_code_in_a_file_is_run(write, tmp_path):
    write("cifar-10-batches-bin", {"main.0.weight": Harmful(tmp_path / "harm")}, old=True)
    with pytest.raises(DataError, match="has no weights"):
        published_generator(tmp_path, "cifar-10-batches-bin")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("content", [b"no weights at all", b""])
def test_a_file_without_weights_ends_in_a_sentence(content, write, tmp_path):
    write("cifar-10-batches-bin", content)
    with pytest.raises(DataError, match="has no weights"):
        published_generator(tmp_path, "cifar-10-batches-bin")


@pytest.mark.parametrize("change", ["missing", "shape", "unknown"])
def test_weights_of_another_network_end_in_a_sentence(change, write, tmp_path):
    _, weights = as_published("cifar-10-batches-bin")
    if change == "missing":
        del weights["main.6.weight"]
    elif change == "shape":
        weights["main.6.weight"] = torch.zeros(256, 128, 3, 3)
    else:
        weights["other.weight"] = torch.zeros(1)
    write("cifar-10-batches-bin", weights)
    with pytest.raises(
        DataError, match=r"does not contain the weights of the dcGAN of Goldt et al\. 2021 .*: replace it"
    ) as caught:
        published_generator(tmp_path, "cifar-10-batches-bin")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_task_gives_what_a_training_gives(write, tmp_path, monkeypatch):
    made, weights = as_published("cifar-10-batches-bin")
    monkeypatch.setattr(convolutional_generator, "BATCHES", 1)  # of 200 images, enough for an approximate calibration
    calibrate(made, torch.Generator().manual_seed(3))
    write("cifar-10-batches-bin", OrderedDict(zip(weights, made.state_dict().values(), strict=True)))
    pixels = np.random.default_rng(4).integers(256, size=(80, 32, 32, 3), dtype=np.uint8)
    monkeypatch.setattr(task, "load", lambda *_: (pixels, np.arange(80) % 10))
    result = PublishedGenerator.task.run(PublishedGenerator(seed=1), images=tmp_path)
    assert result.original.shape == result.generated.shape == (64, 3, 32, 32)
    assert result.attrs["trained_on"] == "CIFAR-10, as published"
    latents = torch.ones(1, 100)
    with torch.no_grad():
        assert latent_generator(result)(latents).equal(made(latents))


def test_the_file_lies_beside_the_images():
    assert image_files("cifar-10-batches-bin", "generator") == ("dcgan_cifar10_weights.pth",)
    with pytest.raises(ConfigError, match="no generator of 'mnist' is published"):
        image_files("mnist", "generator")


@pytest.mark.parametrize(("images", "status"), [(60_000, PASS), (750, NOT_APPLICABLE)])
def test_published_figures_are_those_of_a_generator_of_all_images(images, status):
    draws = xr.DataArray([[0.2, 0.1], [0.22, 0.12]], dims=("seed", "width"), coords={"width": [0.5, 1.0]})
    sweep = xr.Dataset({"network": draws, "hermite": draws, "images": images})
    (run,) = (one for one in CATALOGUE.figure_runs("fig24", "paper") if one.name == "tops")
    sources = {"tops": Source(sweep, parameters=json.loads(run.params)), "published": Source(sweep.mean("seed"))}
    for scale, expected in (("paper", status), ("quick", NOT_APPLICABLE)):
        judged = outcomes(generated_images.published(Evidence(scale, sources), "tops", "published", "width"))
        assert [outcome.status for outcome in judged] == [expected] * 2

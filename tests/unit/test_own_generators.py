"""Generators of one's own, named or with weights from a file, and the shape of local fields."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import twolayer as tl
from twolayer.errors import ConfigError, DataError
from twolayer.experiments.generators.parameters import NamedGeneratorParameters
from twolayer.model.flows import DenseFlow
from twolayer.results.generator import latent_generator

SOURCE = """import torch


def network():
    return torch.nn.Sequential(torch.nn.Linear(10, 30, bias=False), torch.nn.Tanh())


def function():
    return lambda latents: torch.sign(latents @ torch.ones(10, 20))


def nothing():
    return None
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirmodule.py").write_text(SOURCE)
    return tmp_path


def test_a_module_drawn_at_random_stays_the_same(here):
    made = tl.named_generator(module="theirmodule:network", latent_size=10)
    first, second = (latent_generator(made) for _ in range(2))
    latents = torch.randn(4, 10)
    torch.testing.assert_close(first(latents), second(latents))
    assert first.output_size == 30


def test_a_result_is_as_good_as_the_object(here):
    made = tl.named_generator(module="theirmodule:network", latent_size=10)
    ours = tl.moments(made, samples=500)
    theirs = tl.moments(latent_generator(made), samples=500)
    np.testing.assert_array_equal(ours.Omega, theirs.Omega)


def test_a_function_will_do(here):
    made = tl.named_generator(module="theirmodule:function", latent_size=10)
    assert latent_generator(made).output_size == 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("theirmodule:nothing", "gives None: return a torch module"),
        ("theirmodule:missing", "cannot be made .AttributeError"),
        ("theirmodule.network", "name a function as package.module:function"),
    ],
)
def test_names_of_nothing(here, name, message):
    with pytest.raises(ConfigError, match=message):
        tl.named_generator(module=name, latent_size=10)


def test_a_wrong_number_of_latents(here):
    with pytest.raises(ConfigError, match="module fails on latents of latent_size 7"):
        tl.named_generator(module="theirmodule:network", latent_size=7)


def test_naming_it_imports_nothing(here):
    (here / "loudmodule.py").write_text("raise RuntimeError('it ran')")
    assert NamedGeneratorParameters(module="loudmodule:network", latent_size=3).module == "loudmodule:network"


class TestWeights:
    def test_of_ours(self, here):
        flow = DenseFlow(16, 2)
        save_file(flow.state_dict(), here / "flow.safetensors")
        options = {"architecture": "dense_flow", "latent_size": 16, "couplings": 2}
        made = tl.named_generator(weights="flow.safetensors", **options)
        latents = torch.randn(3, 16)
        torch.testing.assert_close(latent_generator(made)(latents), flow.eval()(latents))
        with pytest.raises(ConfigError, match=r"weights flow\.safetensors do not fit dense_flow"):
            tl.named_generator(weights="flow.safetensors", **options | {"latent_size": 18})
        with pytest.raises(DataError, match=r"weights file none\.safetensors is missing"):
            tl.named_generator(weights="none.safetensors", **options)

    def test_pickles_are_not_read(self, here):
        torch.save(DenseFlow(16, 2).state_dict(), here / "flow.pth")
        with pytest.raises(DataError, match=r"flow\.pth cannot be read .*: give a safetensors file; no pickle is read"):
            tl.named_generator(weights="flow.pth", architecture="dense_flow", latent_size=16, couplings=2)

    def test_one_or_the_other(self):
        with pytest.raises(ConfigError, match="give either module or architecture"):
            NamedGeneratorParameters(latent_size=3)
        with pytest.raises(ConfigError, match="weights belong to an architecture of ours"):
            NamedGeneratorParameters(latent_size=3, module="a:b", weights="w.safetensors")


class TestLocalFields:
    def measured(self, module, latents, **options):
        generator = tl.Generator(module, latents)
        return tl.local_fields(generator, tl.moments(generator, samples=20_000), samples=10_000, seeds=3, **options)

    def test_of_a_linear_generator_are_gaussian(self):
        torch.manual_seed(0)
        found = self.measured(torch.nn.Linear(30, 60, bias=False), 30)
        assert float(found.distance.mean()) < 1.3 * float(found.floor_distance.mean())
        assert float(found.variance_score) < 5.4

    def test_of_few_latents_are_not(self):
        torch.manual_seed(0)
        module = torch.nn.Sequential(torch.nn.Linear(2, 60, bias=False), torch.nn.ReLU())
        found = self.measured(module, 2)
        assert float(found.distance.mean()) > 3 * float(found.floor_distance.mean())
        assert float(found.kurtosis.mean()) > 3 * float(found.floor_kurtosis.mean())

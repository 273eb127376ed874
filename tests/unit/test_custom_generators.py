"""Custom generators, named or with weights from a file, and the distribution of pre-activations."""

import importlib
import shutil
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import twolayer as tl
from twolayer.errors import ConfigError, DataError
from twolayer.experiments.generators.parameters import NamedGeneratorParameters
from twolayer.model.generators.flows import DenseFlow
from twolayer.results.generator import latent_generator

SOURCE = """import torch


def network():
    return torch.nn.Sequential(torch.nn.Linear(10, 30, bias=False), torch.nn.Tanh())


def function():
    return lambda latents: torch.sign(latents @ torch.ones(10, 20))


def nothing():
    return None


def closure():
    matrix = torch.randn(10, 20)
    return lambda latents: latents @ matrix


def hidden():
    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.matrix = torch.randn(10, 20)

        def forward(self, latents):
            return latents @ self.matrix

    return Hidden()


_matrix = torch.randn(10, 20)


def imported():
    return lambda latents: latents @ _matrix


def needy(size):
    return torch.nn.Linear(10, size)


def on_gpu():
    return torch.nn.Linear(10, 20).to("cuda")


def leaving():
    raise SystemExit(3)


def broken():
    return 1 / 0
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
        ("theirmodule:missing", "cannot be created .AttributeError"),
        ("theirmodule.network", "give the name of a function as package.module:function"),
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


@pytest.mark.parametrize("function", ["closure", "hidden"])
def test_weights_that_are_not_in_the_state_are_refused(here, function):
    with pytest.raises(ConfigError, match=f"theirmodule:{function} gives a different generator each time"):
        tl.named_generator(module=f"theirmodule:{function}", latent_size=10)


def test_weights_that_an_import_draws_are_refused_by_the_next_job(here, monkeypatch):
    made = tl.named_generator(module="theirmodule:imported", latent_size=10)
    tl.moments(made, samples=100)
    monkeypatch.delitem(sys.modules, "theirmodule")  # another process does not have the module yet
    with pytest.raises(ConfigError, match="gives a different generator each time, or has changed since"):
        tl.moments(made, samples=100)


def test_a_module_with_other_weights_than_the_result(here, monkeypatch):
    made = tl.named_generator(module="theirmodule:network", latent_size=10)
    (here / "theirmodule.py").write_text(
        SOURCE.replace("torch.nn.Linear(10, 30, bias=False)", "torch.nn.Linear(10, 30)")
    )
    monkeypatch.delitem(sys.modules, "theirmodule")
    importlib.invalidate_caches()
    shutil.rmtree(here / "__pycache__", ignore_errors=True)
    with pytest.raises(ConfigError, match=r"does not have the weights of the result .*: make the result again"):
        tl.moments(made, samples=100)


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        ("needy", "give a function without arguments"),
        ("leaving", r"\(SystemExit: 3\): correct the function"),
        ("broken", r"\(ZeroDivisionError: .*\): correct the function"),
        ("absent", "give a function of a file that can be imported from the project's folder"),
        pytest.param(
            "on_gpu",
            "this machine has no GPU: create it on the CPU",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU"),
        ),
    ],
)
def test_the_remedy_fits_the_failure(here, function, remedy):
    with pytest.raises(ConfigError, match=remedy):
        tl.named_generator(module=f"theirmodule:{function}", latent_size=10)


MATRIX = torch.randn(10, 20, generator=torch.Generator().manual_seed(0))


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, latents):
        self.calls += 1
        return self.calls * latents @ MATRIX


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (lambda c: c @ MATRIX + torch.randn(len(c), 20), "must not draw random numbers"),
        (lambda c: torch.nn.functional.dropout(c @ MATRIX), "must not draw random numbers"),
        (Counting(), "or keep a state"),
        (lambda c: torch.ones(len(c), 20), "the same input for all latents: it must depend on them"),
        (lambda c: 0 * (c @ MATRIX), "the same input for all latents: it must depend on them"),
        (lambda c: c @ MATRIX[:, : len(c)], "shape must not depend on the number of rows"),
        (lambda c: (c - c.mean(0)) @ MATRIX, "each output must depend only on its row"),
        (lambda c: c.half() @ MATRIX.half(), "gives float16 numbers: it must give float32 or float64"),
        (lambda c: (c @ MATRIX).bfloat16(), "gives bfloat16 numbers"),
        (lambda c: (c @ MATRIX).to(torch.complex64), "gives complex64 numbers"),
        (lambda c: (c @ MATRIX > 0).long(), "gives int64 numbers"),
        (lambda c: (c @ MATRIX, c), "give a dense tensor with one row for each input"),
        (lambda c: (c @ MATRIX).numpy(), "give a dense tensor"),
        (lambda c: (c @ MATRIX).to_sparse(), "give a dense tensor"),
        (lambda c: (c @ MATRIX)[:, :0], "gives 2 x 0 numbers for 2 rows: it must give one row for each"),
        (lambda c: (c @ MATRIX)[:-1], "gives 1 x 20 numbers for 2 rows"),
        (
            lambda c: c.mul_(2) @ MATRIX,
            "changes its inputs: set inplace=False in its layers, or clone the inputs first",
        ),
        (torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(10, 20)), "changes its inputs"),
        (torch.nn.Linear(10, 20, dtype=torch.complex64), "fails on latents of latent_size 10"),
        (torch.nn.Linear(10, 20, device="meta"), "has weights without values"),
        (torch.nn.Linear(10, 20).half(), "has weights of float16: convert it by module.float"),
    ],
)
def test_what_is_no_function_of_one_latent(module, message):
    with pytest.raises(ConfigError, match=message) as caught:
        tl.Generator(module, 10)
    assert "\n" not in str(caught.value)


def test_inputs_that_are_not_finite_are_refused_when_they_come():
    generator = tl.Generator(lambda c: torch.log(c @ MATRIX + 12), 10)
    with pytest.raises(ConfigError, match="gives NaN or infinity for some latents: its outputs must be finite"):
        tl.moments(generator, samples=5000)


def test_looking_at_a_module_leaves_the_random_state_as_it_is():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    tl.Generator(lambda c: c @ MATRIX, 10)
    torch.testing.assert_close(torch.rand(3), expected)


class TestWeights:
    def test_of_ours(self, here):
        flow = DenseFlow(16, 2)
        save_file(flow.state_dict(), here / "flow.safetensors")
        options = {"architecture": "dense_flow", "latent_size": 16, "couplings": 2}
        made = tl.named_generator(weights="flow.safetensors", **options)
        latents = torch.randn(3, 16)
        torch.testing.assert_close(latent_generator(made)(latents), flow.eval()(latents))
        with pytest.raises(
            ConfigError, match=r"weights flow\.safetensors do not fit dense_flow \(.*\): change architecture, or give"
        ):
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
        with pytest.raises(ConfigError, match="weights belong to an architecture of this package"):
            NamedGeneratorParameters(latent_size=3, module="a:b", weights="w.safetensors")


class TestLocalFields:
    def measured(self, module, latents, **options):
        generator = tl.Generator(module, latents)
        return tl.local_fields(generator, tl.moments(generator, samples=20_000), samples=10_000, seeds=3, **options)

    def test_of_a_linear_generator_are_gaussian(self):
        torch.manual_seed(0)
        found = self.measured(torch.nn.Linear(30, 60, bias=False), 30)
        assert float(found.distance.mean()) < 1.3 * float(found.null_distance.mean())
        assert float(found.variance_score) < 5.4

    def test_of_few_latents_are_not(self):
        torch.manual_seed(0)
        module = torch.nn.Sequential(torch.nn.Linear(2, 60, bias=False), torch.nn.ReLU())
        found = self.measured(module, 2)
        assert float(found.distance.mean()) > 3 * float(found.null_distance.mean())
        assert float(found.kurtosis.mean()) > 3 * float(found.null_kurtosis.mean())

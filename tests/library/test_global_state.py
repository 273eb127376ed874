"""Results do not depend on global settings of numpy and torch, and calls do not change these settings."""

from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr

import twolayer as tl

IMAGES = Path(__file__).parents[2] / "workflow" / "resources"
SMALL = {"images": IMAGES, "dataset": "mnist", "epochs": 1, "batch_size": 500, "device": "cpu"}


class Latents(torch.nn.Module):
    """A generator of the user."""

    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(4, 16), torch.nn.Linear(16, 8)

    def forward(self, latents):
        return self.last(torch.tanh(self.first(latents)))


torch.manual_seed(0)
LATENTS = Latents()


def variable_projection():
    """Variable projection of a few points."""
    x = np.random.default_rng(0).standard_normal((30, 2))
    return tl.variable_projection(x, np.sin(x[:, 0]), width=20, ridge=0.1, descent=tl.Descent(20, 0.01, 10))


def convex_learning():
    """Learning from samples."""
    problem = tl.ConvexProblem(sample_ratios=[0.5, 3], ridges=[1e-2], losses=["logistic"])
    return tl.convex_learning(tl.Mixture("xor", sigma=0.3, dimension=30), problem, seeds=2, test_samples=100)


def learning_curve():
    """The order-parameter equations of weights that nearly vanish."""
    schedule = tl.Schedule(learning_rate=0.1, weight_decay=0.1, last_time=300, measurements=3)
    mixture = tl.Mixture("three_clusters", sigma=3.0)
    return tl.learning_curve(mixture, tl.Student("tanh", 2, dimension=100), schedule, log2_nodes=6)


def moments():
    """Moments of the inputs from a torch module."""
    return tl.moments(tl.Generator(LATENTS, 4), samples=2000)


def conditional_gan():
    """A conditional generator of images."""
    return tl.conditional_gan(**SMALL, hidden=8, channels=4)


def trained_generator():
    """A generator of images."""
    return tl.trained_generator(**SMALL, size=8, grey=True, width=4, latent_size=5)


def trained_flow():
    """A flow of images."""
    return tl.trained_flow(**SMALL, size=8, grey=True, width=4, blocks=1)


def image_training():
    """A small residual network."""
    sizes = {"batch_size": 64, "epochs": 1, "final_epochs": 0, "layers": 8, "device": "cpu"}
    return tl.image_training(IMAGES, optimizer="varpro", learning_rate=0.1, dataset="cifar-10-subset", **sizes)


@pytest.fixture(autouse=True)
def one_thread():
    """Sums of several threads may differ in rounding from call to call."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@contextmanager
def set_for_a_while(change, value, before):
    change(value)
    try:
        yield
    finally:
        change(before)


SETTINGS = {
    "numpy errors": lambda: np.errstate(all="raise"),
    "no gradients": torch.no_grad,
    "inference": torch.inference_mode,
    "double precision": lambda: set_for_a_while(torch.set_default_dtype, torch.float64, torch.float32),
    "another device": lambda: set_for_a_while(torch.set_default_device, "meta", None),
    "deterministic": lambda: set_for_a_while(torch.use_deterministic_algorithms, True, False),
    "autocast": lambda: torch.autocast("cpu"),
    "short products": lambda: set_for_a_while(torch.set_float32_matmul_precision, "medium", "highest"),
}


def settings():
    """Everything that a call must leave as it is."""
    return {
        "numpy errors": np.geterr(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "type": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "products": torch.get_float32_matmul_precision(),
        "threads": torch.get_num_threads(),
        "stream": torch.random.get_rng_state().numpy().tobytes(),
        "numpy stream": np.random.get_state()[1].tobytes(),  # noqa: NPY002 (the global stream)
    }


def assert_independent(call, names):
    plain, before = call(), settings()
    assert settings() == before
    with ExitStack() as state:
        for name in names:
            state.enter_context(SETTINGS[name]())
        inside = settings()
        found = call()
        assert settings() == inside
    # The last digits of double precision may depend on addresses in memory. A setting changes at least digit eight.
    xr.testing.assert_allclose(found.drop_attrs(), plain.drop_attrs(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting(name):
    assert_independent(variable_projection, [name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [convex_learning, learning_curve, moments, conditional_gan, trained_generator, trained_flow, image_training],
)
def test_all_settings_together(call):
    assert_independent(call, SETTINGS)

"""Training of ResNet-20 against plain textbook code, on one thread: steps of 64 images, and their augmentation."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from twolayer.model.networks.resnet import ResNet
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.training.image_batches import ImageBatches
from twolayer.simulation.training.image_training import OuterProjection, take_step
from twolayer.simulation.training.shampoo import Shampoo

pytestmark = pytest.mark.usefixtures("one_thread")
BATCH, RIDGE, RATE, MOMENTUM = 64, 1e-3, 0.064, 0.5
RISK = Risk(RIDGE, 0.0)


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(BATCH, 3, 32, 32, generator=generator)
    return images, functional.one_hot(torch.arange(BATCH) % 10, 10).float()


def network(momentum=0.1):
    torch.manual_seed(0)
    return ResNet(momentum)


def ours(batch, optimizer):
    """A step that can be repeated."""
    projects = optimizer == "varpro"
    trained = network(0.19 if projects else 0.1).to(memory_format=torch.channels_last)
    trained.outer.requires_grad_(not projects)
    parameters = [parameter for parameter in trained.parameters() if parameter.requires_grad]
    chosen = Shampoo(parameters, 0.64) if optimizer == "shampoo" else torch.optim.SGD(parameters, RATE)
    images = batch[0].contiguous(memory_format=torch.channels_last)
    projection = OuterProjection(RISK, MOMENTUM) if projects else None
    return lambda: float(take_step(trained, images, batch[1], RISK, chosen, projection))


def textbook(batch, optimizer):
    """The same step, features twice and no thought for memory; Shampoo by a singular value decomposition a mode."""
    trained, (images, targets) = network(), batch
    state = {}

    def step():
        if optimizer == "varpro":
            with torch.no_grad():
                features = trained.features(images)
                dual = features @ features.T / (BATCH * 64) + RIDGE * torch.eye(BATCH)
                best = features.T @ torch.linalg.solve(dual, targets) / BATCH
                trained.outer.copy_(MOMENTUM * trained.outer + (1 - MOMENTUM) * best)
        error = trained(images) - targets
        risk = 0.5 * (error**2).mean() / RIDGE + 0.5 * (trained.outer**2).mean()
        trained.zero_grad()
        risk.backward()
        with torch.no_grad():
            for name, parameter in trained.named_parameters():
                if optimizer == "shampoo":
                    parameter -= 0.64 * textbook_shampoo(parameter.grad, state.setdefault(name, {}))
                elif name != "outer":
                    parameter -= RATE * parameter.grad
        return float(risk.detach())

    return step


def textbook_shampoo(gradient, state):
    for mode in range(gradient.ndim):
        matrix = gradient.movedim(mode, 0).flatten(1) if gradient.ndim > 1 else gradient[:, None]
        state[mode] = state.get(mode, 1e-4 * torch.eye(len(matrix))) + matrix @ matrix.T
        left, values, right = torch.linalg.svd(state[mode])
        root = left * values ** (-1 / gradient.ndim) @ right
        gradient = (root @ matrix).reshape(gradient.movedim(mode, 0).shape).movedim(0, mode)
    return gradient


@pytest.mark.benchmark(group="step of 64 images: ")
@pytest.mark.parametrize("optimizer", ["varpro", "shampoo"])
@pytest.mark.parametrize("way", [ours, textbook])
def test_step(benchmark, batch, optimizer, way):
    benchmark.group += optimizer
    step = way(batch, optimizer)
    benchmark.pedantic(step, rounds=5, warmup_rounds=1)
    if way is ours:
        np.testing.assert_allclose(ours(batch, optimizer)(), textbook(batch, optimizer)(), rtol=1e-4)


def augmented(pixels):
    batches = ImageBatches(pixels, np.zeros(len(pixels), np.uint8), torch.device("cpu"))
    generator = torch.Generator().manual_seed(0)
    return lambda: [images for images, _ in batches.shuffled(BATCH, generator)]


def textbook_augmented(pixels):
    mean, deviation = torch.tensor([0.4914, 0.4822, 0.4465]), torch.tensor([0.2023, 0.1994, 0.2010])
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2)

    def one(image):
        padded = nn.functional.pad(image, (4, 4, 4, 4))
        top, left = np.random.default_rng().integers(9, size=2)
        window = padded[:, top : top + 32, left : left + 32] / 255
        window = window.flip(2) if np.random.default_rng().random() < 0.5 else window
        return (window - mean[:, None, None]) / deviation[:, None, None]

    return lambda: [torch.stack([one(image) for image in part]) for part in images.split(BATCH)]


@pytest.mark.benchmark(group="augmentation of 640 images")
@pytest.mark.parametrize("way", [augmented, textbook_augmented])
def test_augmentation(benchmark, way):
    pixels = np.random.default_rng(0).integers(0, 256, size=(640, 32, 32, 3), dtype=np.uint8)
    assert len(benchmark(way(pixels))) == 10

"""Steps of ResNet-20 in double precision against the stored ones of varpro_resnet.json, at inputs made of a hash."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from twolayer.model.networks.resnet import ResNet
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.training.image_training import OuterProjection, take_step

ENTRIES = json.loads((Path(__file__).parent / "varpro_resnet.json").read_text())["entries"]
TWO_PASSES = 1 - 0.9**2  # momentum of the running statistics where the original passes each batch twice


def hashed(shape, stream):
    """Numbers in [-1/2, 1/2), the same on every machine."""
    x = (np.arange(np.prod(shape), dtype=np.uint64) * 2654435761 + stream * 40503 + 12345) % 2**32
    x ^= x >> np.uint64(16)
    x = x * 2246822519 % 2**32
    x ^= x >> np.uint64(13)
    x = x * 3266489917 % 2**32
    x ^= x >> np.uint64(16)
    return torch.from_numpy((x / 2**32 - 0.5).reshape(shape))


def batch(step, size):
    labels = (10 * (hashed((size,), 2000 + step) + 0.5)).long()
    return 4 * hashed((size, 3, 32, 32), 1000 + step), functional.one_hot(labels, 10).double()


def convolutions(network):
    return [module for module in network.modules() if isinstance(module, nn.Conv2d)]


def prepared(entry):
    """Network, optimizer, risk and projection of an entry."""
    projects = entry["optimizer"] == "VarPro"
    network = ResNet(TWO_PASSES if projects else 0.1).double()
    for stream, convolution in enumerate(convolutions(network)):
        weight = convolution.weight
        weight.data = hashed(weight.shape, stream) * np.sqrt(24 / weight[0].numel())
    network.outer.data = 0.25 * hashed((10, 64), 500).T.contiguous()
    network.outer.requires_grad_(not projects)
    risk = Risk(entry["lmbda"], 0.0)
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, entry["lr"], 0.0 if projects else 0.9)
    return network, optimizer, risk, OuterProjection(risk, entry["momentum"]) if projects else None


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["id"] for entry in ENTRIES])
def test_steps(entry):
    network, optimizer, risk, projection = prepared(entry)
    first_outer = network.outer.detach().clone()
    losses = []
    for step in range(entry["steps"]):
        losses.append(float(take_step(network, *batch(step, entry["B"]), risk, optimizer, projection)))
        if step == 0:
            first_outer = network.outer.detach().clone() if projection else first_outer
            norms = [float(convolution.weight.grad.norm()) for convolution in convolutions(network)]
            np.testing.assert_allclose(norms, entry["grad_norm_first_step_per_conv"], rtol=1e-9)
    np.testing.assert_allclose(losses, entry["losses"], rtol=1e-9)
    np.testing.assert_allclose(float(first_outer.norm()), entry["outer_norm_after_first_projection"], rtol=1e-9)
    np.testing.assert_allclose(first_outer.T.flatten()[:5], entry["outer_first5"], rtol=1e-9)
    norm = network.features.first_norm
    np.testing.assert_allclose(norm.running_mean[:4], entry["bn1_running_mean"], rtol=1e-9)
    np.testing.assert_allclose(norm.running_var[:4], entry["bn1_running_var"], rtol=1e-9)
    network.eval()
    images, targets = batch(77, 32)
    with torch.no_grad():
        outputs, features = network(images), network.features(images)
    np.testing.assert_allclose(float(outputs.norm()), entry["eval_pred_norm"], rtol=1e-9)
    np.testing.assert_allclose(float(features.mean()), entry["eval_feat_mean"], rtol=1e-9)
    assert float((outputs.argmax(1) == targets.argmax(1)).double().mean()) == entry["eval_acc"]

"""A generator for `config/custom_generator.yaml`. Replace it by your module."""

import torch
from torch import nn


def network() -> nn.Module:
    """Return a random network with one hidden layer, from 100 latents to 400 inputs."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(100, 300, bias=False), nn.Tanh(), nn.Linear(300, 400, bias=False), nn.Tanh())

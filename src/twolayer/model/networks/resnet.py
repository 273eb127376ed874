"""ResNet-20 and similar networks with fewer or more layers, as a feature map with a linear readout (torch)."""

import torch
from torch import Tensor, nn

from twolayer.model.data.images import CLASSES

FEATURES = 64
_STAGES = ((16, 1), (32, 2), (64, 2))  # channels, and stride of the first block
_DEEPER = 2 * len(_STAGES)  # number of additional layers for one more block in every stage


class Block(nn.Module):
    """Two convolutions with a shortcut, which is a convolution if the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int, momentum: float):
        super().__init__()
        self.first = _convolution(inputs, outputs, 3, stride)
        self.first_norm = nn.BatchNorm2d(outputs, momentum=momentum)
        self.second = _convolution(outputs, outputs, 3, 1)
        self.second_norm = nn.BatchNorm2d(outputs, momentum=momentum)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            norm = nn.BatchNorm2d(outputs, momentum=momentum)
            self.shortcut = nn.Sequential(_convolution(inputs, outputs, 1, stride), norm)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H / stride, W / stride)."""
        inner = self.first_norm(self.first(x)).relu_()
        return self.second_norm(self.second(inner)).add_(self.shortcut(x)).relu_()


class ResNetFeatures(nn.Module):
    """A residual network without its readout: convolutions without bias, batch norms, average pooling.

    Args:
        momentum: weight of a batch in the running statistics of the batch norms.
        layers: number of layers with weights, including the readout: 8, 14, 20, ...

    Source: barboni2025, section 6.2.
    """

    def __init__(self, momentum: float, layers: int = 20):
        super().__init__()
        channels = _STAGES[0][0]
        self.first = _convolution(3, channels, 3, 1)
        self.first_norm = nn.BatchNorm2d(channels, momentum=momentum)
        blocks = []
        for outputs, stride in _STAGES:
            for position in range(layers // _DEEPER):
                blocks.append(Block(channels, outputs, stride if position == 0 else 1, momentum))
                channels = outputs
        self.blocks = nn.Sequential(*blocks)

    def forward(self, images: Tensor) -> Tensor:
        """Map normalised images (B, 3, 32, 32) to features (B, FEATURES)."""
        return self.blocks(self.first_norm(self.first(images)).relu_()).mean((2, 3))


class ResNet(nn.Module):
    """A feature map phi and outer weights u: the outputs are phi(x) u / FEATURES.

    Args:
        momentum, layers: see `ResNetFeatures`.

    Attributes:
        features: of type `ResNetFeatures`. outer: (FEATURES, CLASSES).
    """

    def __init__(self, momentum: float = 0.1, layers: int = 20):
        super().__init__()
        self.features = ResNetFeatures(momentum, layers)
        bound = FEATURES**-0.5  # torch's initialisation of a linear layer
        self.outer = nn.Parameter(torch.empty(FEATURES, CLASSES).uniform_(-bound, bound))

    def forward(self, images: Tensor) -> Tensor:
        """Map normalised images (B, 3, 32, 32) to outputs (B, CLASSES)."""
        return self.features(images) @ self.outer / FEATURES


def _convolution(inputs, outputs, size, stride):
    return nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)

import torch
from torch import nn

from twolayer.model.networks.resnet import FEATURES, ResNet, ResNetFeatures


def test_shapes():
    network = ResNet()
    images = torch.randn(2, 3, 32, 32)
    assert network.features(images).shape == (2, FEATURES)
    assert network(images).shape == (2, 10)


def test_twenty_layers_of_weights():
    network = ResNet()
    convolutions = [module for module in network.modules() if isinstance(module, nn.Conv2d)]
    assert sum(convolution.kernel_size == (3, 3) for convolution in convolutions) + 1 == 20
    assert [convolution.kernel_size for convolution in convolutions].count((1, 1)) == 2
    widths = {16: 7, 32: 6, 64: 6}  # 3 x 3 convolutions by their output channels
    # weights of the convolutions, two of the shortcuts, a scale and a shift for each channel, the readout
    inner = 27 * 16 + 9 * (6 * 16**2 + 16 * 32 + 5 * 32**2 + 32 * 64 + 5 * 64**2) + 16 * 32 + 32 * 64
    norms = 2 * (sum(width * count for width, count in widths.items()) + 32 + 64)
    assert sum(parameter.numel() for parameter in network.parameters()) == inner + norms + 64 * 10


def test_thirty_two_layers_of_weights():
    convolutions = [module for module in ResNet(layers=32).modules() if isinstance(module, nn.Conv2d)]
    widths = [convolution.out_channels for convolution in convolutions if convolution.kernel_size == (3, 3)]
    assert widths == [16] * 11 + [32] * 10 + [64] * 10


def test_outputs_are_means_over_features():
    network = ResNet().eval()
    images = torch.randn(3, 3, 32, 32)
    torch.testing.assert_close(network(images), torch.einsum("bk,kc->bc", network.features(images), network.outer) / 64)


def test_initial_outer_weights_spread_as_torch_has_them():
    torch.manual_seed(0)
    outer, linear = ResNet().outer, nn.Linear(64, 10, bias=False).weight
    assert abs(outer.max() - linear.max()) < 0.005
    assert abs(outer.std() - linear.std()) < 0.01


def test_one_pass_of_momentum_19_percent_is_two_of_10_percent():
    torch.manual_seed(0)
    twice, once = ResNetFeatures(0.1).double(), ResNetFeatures(1 - 0.9**2).double()
    once.load_state_dict(twice.state_dict())
    images = torch.randn(8, 3, 32, 32, dtype=torch.float64)
    torch.testing.assert_close(twice(images), twice(images))  # the statistics play no part in it
    once(images)
    for name, statistic in once.state_dict().items():
        if "running" in name:
            torch.testing.assert_close(statistic, twice.state_dict()[name], rtol=1e-12, atol=1e-14)

import numpy as np
import pytest
import torch

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.resnet import ResNet
from twolayer.simulation.mean_field.reduced_risk import Risk
from twolayer.simulation.training import image_training as module
from twolayer.simulation.training.devices import device_named
from twolayer.simulation.training.image_batches import ImageBatches
from twolayer.simulation.training.image_training import OuterProjection, Training, take_step
from twolayer.simulation.training.shampoo import Shampoo

CPU = torch.device("cpu")
RISK = Risk(1e-3, 0.0)
OPTIMIZERS = ("varpro", "sgd", "shampoo")


def images_of(count, seed):
    """Return random images whose mean grey depends on their class."""
    labels = np.arange(count, dtype=np.uint8) % 10
    noise = np.random.default_rng(seed).integers(0, 30, size=(count, 8, 8, 3))
    return ImageBatches((noise + 22 * labels[:, None, None, None]).astype(np.uint8), labels, CPU)


def network_and_ways(optimizer, **ways):
    """A network, and how it learns: the arguments of `take_step` besides images and targets."""
    torch.manual_seed(0)
    network = ResNet(layers=8).to(memory_format=torch.channels_last)
    projection = None
    if optimizer == "varpro":
        network.outer.requires_grad_(False)
        projection = OuterProjection(RISK, 0.5)
    trained = network.features.parameters() if optimizer == "varpro" else network.parameters()
    chosen = Shampoo(trained, 0.1) if optimizer == "shampoo" else torch.optim.SGD(trained, 0.1, 0.9)
    return network, {"risk": RISK, "optimizer": chosen, "projection": projection} | ways


def training_of(network, rates=(0.05, 0.05, 0.025), **ways):
    return Training(network, images_of(50, 0), images_of(20, 1), 16, rates, 7, **ways)


def training(optimizer, rates=(0.05, 0.05, 0.025), **ways):
    network, ways = network_and_ways(optimizer, **ways)
    return training_of(network, rates, **ways)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_resumed_training_is_the_same_to_the_last_bit(optimizer, check_resuming):
    check_resuming(*(training(optimizer) for _ in range(3)))


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_risk_falls(optimizer):
    run = training(optimizer, rates=[0.05] * 6)
    for _ in range(6):
        run.run_epoch()
    assert len(run.risks) == 6 * 4  # the last batch of an epoch has two images
    assert len(run.accuracies) == 7
    full = run.risks.reshape(6, 4)[:, :3].mean(axis=1)
    assert full[-1] < 0.95 * full[0]


def test_each_epoch_has_its_learning_rate():
    run = training("sgd", rates=[0.0, 0.05])
    before = run.state()["network.outer"].copy()
    run.run_epoch()
    np.testing.assert_array_equal(run.state()["network.outer"], before)
    run.run_epoch()
    assert not np.array_equal(run.state()["network.outer"], before)
    assert run.rates.tolist() == [0.0, 0.05]


def test_accuracy_is_the_fraction_of_right_classes():
    network, ways = network_and_ways("sgd")
    run = training_of(network, **ways)
    network.eval()
    images, labels = next(run.test.in_order(20))
    assert run.accuracies[0] == float((network(images).argmax(1) == labels).double().mean())


@pytest.mark.parametrize("count", [8, 100])
def test_projection_goes_half_way_to_the_minimiser_of_the_risk(count):
    """Fewer images than features, and more: both linear systems."""
    torch.manual_seed(0)
    features = torch.rand(count, 64, dtype=torch.float64)
    targets = torch.nn.functional.one_hot(torch.arange(count) % 10, 10).double()
    outer = torch.randn(64, 10, dtype=torch.float64)
    rows = torch.cat([features / 64 / np.sqrt(1e-3 * count), torch.eye(64, dtype=torch.float64) / 8])
    best = torch.linalg.lstsq(rows, torch.cat([targets / np.sqrt(1e-3 * count), torch.zeros(64, 10)])).solution
    moved = outer.clone()
    OuterProjection(RISK, 0.5)(moved, features, targets)
    torch.testing.assert_close(moved, (outer + best) / 2, rtol=1e-8, atol=1e-8)


def test_varpro_follows_the_gradient_of_the_reduced_risk():
    """Without momentum of the outer weights: a central difference of min_u risk along the step."""
    torch.manual_seed(0)
    network = ResNet().double()
    network.outer.requires_grad_(False)
    images, targets = torch.randn(8, 3, 8, 8, dtype=torch.float64), torch.eye(10, dtype=torch.float64)[:8]
    parameter = network.features.blocks[4].second.weight
    still = torch.optim.SGD(network.features.parameters(), lr=0.0)

    def reduced_risk(shift, direction):
        with torch.no_grad():
            parameter.add_(direction, alpha=shift)
        value = take_step(network, images, targets, RISK, still, OuterProjection(RISK, 0.0))
        gradient = parameter.grad.clone()
        with torch.no_grad():
            parameter.sub_(direction, alpha=shift)
        return float(value), gradient

    _, gradient = reduced_risk(0.0, torch.zeros_like(parameter))
    direction, step = gradient / gradient.norm(), 1e-6
    slope = (reduced_risk(step, direction)[0] - reduced_risk(-step, direction)[0]) / (2 * step)
    assert slope == pytest.approx(float(gradient.norm()), rel=1e-5)


def test_half_precision_stays_near_single():
    exact, rounded = training("sgd"), training("sgd", half_precision=True)
    exact.run_epoch()
    rounded.run_epoch()
    assert not np.array_equal(exact.risks, rounded.risks)
    np.testing.assert_allclose(rounded.risks[0], exact.risks[0], rtol=0.02)


def test_a_risk_that_explodes():
    run = training("sgd", rates=[1e30])
    with pytest.raises(NotConverged, match="no longer finite in epoch 1: reduce learning_rate, now 1e\\+30"):
        run.run_epoch()


@pytest.mark.parametrize(("limit", "remedy"), [(6, "use 4"), (1, "free some memory, because not even two images fit")])
def test_out_of_memory_names_a_batch_that_fits(monkeypatch, limit, remedy):
    run = training("sgd")
    real = module.take_step

    def with_little_memory(network, images, *rest, **ways):
        if len(images) > limit:
            raise torch.OutOfMemoryError
        return real(network, images, *rest, **ways)

    monkeypatch.setattr(module, "take_step", with_little_memory)
    with pytest.raises(ConfigError, match=f"batch_size is 16: a batch does not fit into the memory of cpu: {remedy}"):
        run.run_epoch()


def test_devices():
    assert device_named("cpu") == CPU
    assert device_named("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    if not torch.cuda.is_available():
        with pytest.raises(ConfigError, match="device is 'cuda', but torch finds no GPU"):
            device_named("cuda")


def test_test_passes_have_the_precision_of_the_training():
    found = set()
    network, ways = network_and_ways("sgd", half_precision=True)
    network.features.register_forward_hook(lambda module, _, features: found.add((module.training, features.dtype)))
    training_of(network, **ways).run_epoch()
    assert found == {(True, torch.bfloat16), (False, torch.bfloat16)}


def test_convolutions_on_a_gpu_have_all_digits_unless_asked_otherwise():
    for tf32 in (False, True):
        found = set()
        network, ways = network_and_ways("sgd", tf32=tf32)
        network.features.register_forward_hook(
            lambda module, *_, found=found: found.add(
                (module.training, torch.backends.cudnn.allow_tf32, torch.backends.cudnn.deterministic)
            )
        )
        training_of(network, **ways).run_epoch()
        assert found == {(True, tf32, True), (False, tf32, True)}
    assert not torch.backends.cuda.matmul.allow_tf32  # the default of torch


def test_a_projection_that_fails_shows_in_the_risk():
    features = torch.full((8, 4), torch.nan)
    assert RISK.project(features, torch.zeros(8, 1)).isnan().all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("optimizer", ["varpro", "sgd"])
def test_a_step_on_a_gpu_never_waits_for_it(optimizer):
    network, ways = network_and_ways(optimizer)
    network.cuda()
    images = torch.randn(64, 3, 32, 32, device="cuda").contiguous(memory_format=torch.channels_last)
    targets = torch.eye(10, device="cuda")[torch.arange(64, device="cuda") % 10]
    take_step(network, images, targets, **ways)  # what is set up once may wait
    torch.cuda.set_sync_debug_mode("error")
    try:
        take_step(network, images, targets, **ways)
    finally:
        torch.cuda.set_sync_debug_mode("default")

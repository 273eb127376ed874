"""The checks of the figures of ResNet-20 at the paper preset pass on the published curves.

They fail on the curves of another optimizer.
"""

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from judged import outcomes

from twolayer import io
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import FAIL, PASS, UNDECIDED
from twolayer.figures.varpro import fig15, fig15_first, fig16

OPTIMIZERS, SIZES = ("varpro", "sgd", "shampoo"), (64, 128, 256, 512, 1024)
RATES = {"varpro": (0.064, 0.5), "sgd": (0.064, 0.9), "shampoo": (0.64, 0.0)}
PARAMETERS = {
    optimizer: {
        "learning_rate": rate,
        "momentum": momentum,
        "ridge": 1e-3,
        "layers": 20,
        "dataset": "cifar-10-batches-bin",
    }
    for optimizer, (rate, momentum) in RATES.items()
}
TABLE = Path(__file__).parents[2] / "workflow" / "resources" / "reference" / "varpro_resnet.csv"


@pytest.fixture(scope="module")
def published():
    return io.read_reference(TABLE, ["optimizer", "batch_size", "completed_epochs"])


@pytest.fixture(scope="module")
def runs(published):
    """A run of each optimizer and size."""
    return {(optimizer, size): run_like(published, optimizer, size) for optimizer, size in product(OPTIMIZERS, SIZES)}


def run_like(published, optimizer, batch_size):
    """A run with the published curves, and everything else as it should be."""
    curves = published.sel(optimizer=optimizer, batch_size=batch_size, drop=True)
    ones = {name: ("step", np.ones(3)) for name in ("first_risk", "reference_risk")}
    ones |= {name: ("image", np.ones(3)) for name in ("confidence", "reference_confidence")}
    scalars = {"risk_decrease": 9.0, "above_chance": 9.0, "initial_risk": 50.05}
    scalars |= {"initial_accuracy": 0.101, "initial_accuracy_sem": 0.003}
    return curves[["risk", "accuracy"]].assign(rate=("epoch", [0.2, 0.1]), **ones, **scalars)


def source(data, optimizer, size):
    """A run of the grid with the paper's parameters."""
    return Source(data, f"resnet_{optimizer}", {"batch_size": size}, PARAMETERS[optimizer])


def failures(published, runs, replaced=None, by=None):
    """Checks of the two figures that fail, where one training has the curves of another."""
    sources = {"published": Source(published)}
    for (optimizer, size), own in runs.items():
        curves = runs[by] if (optimizer, size) == replaced else own
        data = curves.assign_coords(optimizer=optimizer, batch_size=size)
        sources[f"resnet_{optimizer}_{size}"] = source(data, optimizer, size)
    evidence = Evidence("paper", sources)
    return (
        outcome for figure in (fig15, fig16) for outcome in outcomes(figure.checks(evidence)) if outcome.status == FAIL
    )


@pytest.mark.slow
def test_the_published_curves_pass(published, runs):
    assert not list(failures(published, runs))


def test_one_batch_size_is_enough(published, runs):
    """Published curves pass, curves of another optimizer fail, and the figure names the missing sizes."""
    one_size = {(optimizer, 256): runs[optimizer, 256] for optimizer in OPTIMIZERS}
    assert not list(failures(published, one_size))
    assert next(failures(published, one_size, ("varpro", 256), ("sgd", 256)), None)
    sources = {
        f"resnet_{name}_256": source(run.assign_coords(optimizer=name, batch_size=256), name, 256)
        for (name, _), run in one_size.items()
    }
    figure = fig15.draw(Evidence("paper", {"published": Source(published), **sources}))
    assert "without batches of 64, 128, 512, 1024" in figure.get_suptitle()


@pytest.mark.parametrize(("decrease", "status"), [(-6.0, FAIL), (0.5, UNDECIDED), (4.0, PASS)])
def test_the_risk_falls_beyond_chance(published, runs, decrease, status):
    sources = {"published": Source(published)}
    for name in OPTIMIZERS:
        data = runs[name, 256].assign_coords(optimizer=name, batch_size=256).assign(risk_decrease=decrease)
        sources[f"resnet_{name}_256"] = source(data, name, 256)
    judged = outcomes(fig15.checks(Evidence("paper", sources)))
    assert {outcome.status for outcome in judged if "the risk falls" in outcome.title} == {status}


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_another_optimizer_is_noticed(published, runs, size):
    for one, other in permutations(OPTIMIZERS, 2):
        assert next(failures(published, runs, (one, size), (other, size)), None), f"{other} passes for {one}"


def first_five(published, accuracy=1.0, **curves_of):
    """How many checks of the first five epochs fail or are undecided, where an optimizer has the curves of another.

    The accuracy of variable projection is multiplied by a factor.
    """
    sources = {"published": Source(published)}
    for optimizer in OPTIMIZERS:
        run = run_like(published, curves_of.get(optimizer, optimizer), 256).sel(completed_epochs=slice(0, 5))
        data = run.drop_vars("rate").assign(epoch_risk=("epoch", run.risk.values[:5]))
        data = data.assign_coords(epoch=range(5), optimizer=optimizer, batch_size=256)
        parameters = PARAMETERS[optimizer] | {"batch_size": 256}
        if optimizer != "varpro":
            sources[f"resnet_first_{optimizer}"] = Source(data, parameters=parameters)
            continue
        for seed, change in enumerate(np.random.default_rng(0).standard_normal((5, 6))):
            one = data.assign(
                accuracy=accuracy * data.accuracy + 0.05 * change, epoch_risk=data.epoch_risk * (1 + change[:5] / 30)
            )
            family = f"resnet_first_{optimizer}"
            sources[f"{family}_seed{seed}"] = Source(one, family, {"seed": seed}, parameters)
    return sum(
        outcome.status in (FAIL, UNDECIDED) for outcome in outcomes(fig15_first.checks(Evidence("paper", sources)))
    )


@pytest.mark.slow
def test_the_first_five_epochs_tell_the_optimizers_apart_but_for_two(published):
    """The curves of SGD and of Shampoo differ by less than two runs of one optimizer."""
    assert first_five(published) == 0
    for one, other in permutations(OPTIMIZERS, 2):
        assert (first_five(published, **{one: other}) > 0) == ("varpro" in (one, other)), f"{other} for {one}"


def test_an_accuracy_of_variable_projection_that_is_half_as_large_is_noticed(published):
    assert first_five(published, accuracy=0.5) == 1
    assert first_five(published, accuracy=0.9) == 0


def test_a_first_epoch_that_is_a_seventh_too_large_is_noticed(published):
    risk = published.risk.where(published.completed_epochs > 0, published.risk * 8 / 7)
    runs = published.assign(risk=risk)
    sources = {"published": Source(published)}
    for optimizer, size in product(OPTIMIZERS, SIZES):
        data = run_like(runs, optimizer, size).assign_coords(optimizer=optimizer, batch_size=size)
        sources[f"resnet_{optimizer}_{size}"] = source(data, optimizer, size)
    judged = outcomes(fig15.checks(Evidence("paper", sources)))
    noticed = [outcome.title for outcome in judged if outcome.status in (FAIL, UNDECIDED)]
    assert any("risk of the first epoch" in title for title in noticed)

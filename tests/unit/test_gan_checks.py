"""The checks of figure 30 at the paper preset pass for the published training, and fail for wrong ones."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from judged import outcomes

from twolayer import io
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.one_step import fig30
from twolayer.figures.outcomes import FAIL, NOT_APPLICABLE, PASS

REFERENCE = Path(__file__).parents[2] / "workflow" / "resources" / "reference"
TRAINING = {"epochs": 50, "batch_size": 64, "learning_rate": 2e-4, "hidden": 1024, "channels": 128}
LOSSES = "loss of the discriminator in each epoch", "loss of the generator in each epoch"
TRACE = "tops and trousers, variance of either class"
REAL = "variance of the real images of each class"
DISTANCES = {0: 3.2288, 1: 3.2288, 5: 3.5124, 9: 3.5124}  # of the real images


@pytest.fixture(scope="module")
def tables():
    printed = io.read_reference(REFERENCE / "one_step_gan.csv", ["class"])
    return {"printed": printed, "losses": io.read_reference(REFERENCE / "one_step_gan_losses.csv", ["epoch"])}


def results(tables, speed=1.0, scale=1.0, real=1.0):
    """A training with the published losses and moments.

    Args:
        speed: factor of the speed of the training. scale: factor of the variance of generated trousers.
        real: factor of the variance of the real images.
    """
    printed, losses = tables["printed"], tables["losses"]
    epochs = np.minimum(losses.epoch * speed, losses.epoch.max())
    curves = {name: ("epoch", np.interp(epochs, losses.epoch, losses[name])) for name in fig30.LOSSES}
    classes = printed["class"].values
    means = np.zeros((len(classes), 784))
    means[np.arange(len(classes)), 0] = [DISTANCES[number] * (-1) ** place for place, number in enumerate(classes)]
    generator = xr.Dataset(
        {**curves, "image_trace": real * printed.real_trace, "image_mean": (("class", "pixel"), means)},
        coords={"class": classes, "epoch": losses.epoch},
    ).assign(images=60_000)
    traces = printed.trace * xr.where(printed["class"] == 1, scale, 1.0)
    moments = printed[["distance"]].assign(trace=traces, trace_fraction=traces / printed.real_trace, images=60_000)
    ones = xr.ones_like(printed.trace)
    moments = moments.assign(nearest_mean_accuracy=ones, noisy_power=2 * ones, noisy_power_sem=0.01 * ones)
    return {"generator": generator, "moments": moments.assign_coords(pixel=np.arange(784))}


def judged(tables, training=None, **changes):
    """The statuses of all checks by their titles."""
    found = results(tables, **changes)
    sources = {name: Source(table) for name, table in tables.items()}
    parameters = {"dataset": "fashion-mnist", **(training or TRAINING)}
    sources["generator"] = Source(found["generator"], "generator", {}, parameters)
    for run, classes in {"tops_and_trousers": [0, 1], "sandals_and_boots": [5, 9]}.items():
        sources[run] = Source(found["moments"].sel({"class": classes}), run, {}, {"classes": classes})
    return {outcome.title: outcome.status for outcome in outcomes(fig30.checks(Evidence("paper", sources)))}


def test_the_published_training_passes(tables):
    assert set(judged(tables).values()) == {PASS}


@pytest.mark.parametrize("speed", [0.95, 1.06])
def test_another_learning_rate_fails(tables, speed):
    """A training that is six percent faster, or five percent slower, has other losses."""
    statuses = judged(tables, speed=speed)
    assert {title for title, status in statuses.items() if status == FAIL} == set(LOSSES)


def test_another_variance_of_a_class_fails(tables):
    assert judged(tables, scale=1.15)[TRACE] == PASS
    assert {judged(tables, scale=scale)[TRACE] for scale in (0.7, 1.3)} == {FAIL}


def test_other_real_images_fail(tables):
    assert judged(tables, real=1.001)[REAL] == FAIL


def test_other_trainings_are_not_compared(tables):
    statuses = judged(tables, TRAINING | {"epochs": 10})
    assert {statuses[title] for title in LOSSES} == {NOT_APPLICABLE}

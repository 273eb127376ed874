"""Figure 30: generated images, and the quality of the generator's training."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import (
    INDEPENDENT,
    NUMERICS,
    PUBLISHED,
    THEORY,
    Check,
    among,
    at_most,
    main,
    relative,
    z_score,
)
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.one_step import generated_images
from twolayer.figures.style import BLUE, PAGE, READ_OFF, RED

PAIRS = {"tops_and_trousers": "tops and trousers", "sandals_and_boots": "sandals and boots"}
TOPS, TROUSERS = 0, 1
_NAMES = ("tops", "trousers", "pullovers", "dresses", "coats", "sandals", "shirts", "sneakers", "bags", "boots")
LOSSES = {"discriminator_loss": ("discriminator", BLUE), "generator_loss": ("generator", RED)}
_TRAINING = {"epochs": 50, "batch_size": 64, "learning_rate": 2e-4, "hidden": 1024, "channels": 128}  # in the paper
_TOLERATED = 4  # standard deviations of the difference of two trainings


def draw(r: Evidence) -> Figure:
    """Draw generated images (original, without their mean, with noise), the losses, and the variances of the
    classes."""
    figure = plt.figure(figsize=(PAGE, 4.6))
    grid = figure.add_gridspec(2, 4, height_ratios=(1, 1.3))
    _draw_pictures([figure.add_subplot(grid[0, column]) for column in range(4)], r["tops_and_trousers"])
    _draw_losses(figure.add_subplot(grid[1, :2]), r)
    _draw_variances(figure.add_subplot(grid[1, 2:]), r)
    figure.suptitle(generated_images.training(r, "tops_and_trousers"))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the generator's classes vary and differ, by the same amounts as for the published generator, and that
    the training has the published losses.
    """
    for run, pair in PAIRS.items():
        yield at_most(
            0.5,
            r[run].trace_fraction,
            f"{pair}, generated images vary",
            source="half the variance of the images of the class; a generator that has collapsed stays below",
            compared=NUMERICS,
        )
        yield at_most(
            0.75,
            r[run].nearest_mean_accuracy,
            f"{pair}, generated images depend on the class",
            source="fraction of images closer to the mean of their class, "
            "1/2 on average if they do not depend on it, and 1 at best",
            compared=NUMERICS,
        )
        yield z_score(
            r[run].noisy_power,
            2.0,
            f"{pair}, under noise, as much variance from the images as from the noise",
            source=f"theta = n = {r[run].sizes['pixel']} for the images of a class, and one for each pixel's noise",
            compared=THEORY,
        )
        yield from _printed_checks(r, run, pair)
    yield from _loss_checks(r)
    yield relative(
        _complete(r).image_trace,
        r["printed"].real_trace,
        "variance of the real images of each class",
        tolerance=2e-4,
        source="from the image files, by another code; four digits",
        compared=INDEPENDENT,
    )
    yield main(
        z_score(
            _mean_power(r),
            2.0,
            "all classes, under noise, as much variance from the images as from the noise, on average",
            source="theta = n for the images of every class, and one for each pixel's noise; classes are independent",
            compared=THEORY,
        )
    )


def _mean_power(r):
    """Return the mean over all classes of their variance with noise, with its standard error."""
    powers = xr.concat([r[run].noisy_power for run in PAIRS], "class")
    error = float(np.sqrt((powers.noisy_power_sem**2).sum())) / powers.sizes["class"]
    return powers.mean().rename("noisy_power").assign_coords(noisy_power_sem=error)


def _complete(r, **training):
    """Return the result of the generator, if it learned from all images of Fashion-MNIST, with these parameters."""
    return generated_images.like_the_published(r, "generator", dataset="fashion-mnist", **training)


def _printed_checks(r, run, pair):
    """Compare moments with the printed output of the published code for a million images.

    Only the published generator reproduces it exactly. Two trainings differ. The deviation of the published generator
    from real images gives the size of that difference, since deviations of two trainings are independent.
    """
    for quantity, name in (("trace", "variance of either class"), ("distance", "distance of the classes")):
        printed = r["printed"][quantity]
        if _is_trained(r):
            deviation = _deviation(printed, _of_real_images(r, quantity))
            tolerance = _TOLERATED * np.sqrt(2) * deviation
            source = (
                f"for another training, which deviates from real images by {100 * deviation:.2g} percent (root mean "
                f"square over the classes); the limit is {_TOLERATED} times this and the root of two"
            )
        else:
            tolerance, source = 0.005, "for the same generator; its repeats differ by 0.0015"
        yield relative(
            generated_images.like_the_published(r, run)[quantity],
            printed,
            f"{pair}, {name}",
            tolerance=tolerance,
            source=f"printed by the published code, {source}",
            compared=PUBLISHED,
        )


def _is_trained(r):
    """Return whether the weights are of a training here, and not the published ones."""
    return "discriminator_loss" in r["generator"]


def _of_real_images(r, quantity):
    """Return the trace of each class, or the distance of its mean from the mean of both classes of a pair."""
    if quantity == "trace":
        return r["generator"].image_trace
    means = [among(r["generator"].image_mean, **{"class": list(r[run]["class"].values)}) for run in PAIRS]
    return xr.concat([((mean - mean.mean("class")) ** 2).sum("pixel") ** 0.5 for mean in means], "class")


def _deviation(printed, real):
    """Return the root mean square of the relative deviation over the classes."""
    return float(((printed / real - 1) ** 2).mean() ** 0.5)


def _loss_checks(r):
    """Compare the mean losses of each epoch with the published ones; steps of an epoch count as independent."""
    unknown = Absent("for a generator that is trained here, because the published weights have no losses")
    training = _complete(r, **_TRAINING) if _is_trained(r) else unknown
    for loss, (player, _) in LOSSES.items():
        published = r["losses"][loss]
        yield z_score(
            training[loss].assign_coords({f"{loss}_sem": published[f"{loss}_sem"]}),
            published,
            f"loss of the {player} in each epoch",
            source="printed losses of the published training, with their standard error over the steps of an epoch, "
            "which counts for both trainings",
            compared=PUBLISHED,
        )


def _draw_pictures(panels: list[Axes], result: xr.Dataset) -> None:
    shown = {
        "tops, generated": result.generated[TOPS],
        "trousers, mean removed": result.centred[TROUSERS],
        "tops, under noise": result.noisy[TOPS],
        "trousers, under noise": result.noisy[TROUSERS],
    }
    for axes, (title, pictures) in zip(panels, shown.items(), strict=True):
        axes.imshow(_tiled(pictures.values), cmap="gray", interpolation="nearest")
        axes.set_title(title)
        axes.set_axis_off()


def _draw_losses(axes: Axes, r: Evidence) -> None:
    """Draw the losses against epochs, and the published ones at the paper preset."""
    for loss, (player, colour) in LOSSES.items():
        if _is_trained(r):
            axes.plot(r["generator"].epoch, r["generator"][loss], color=colour, label=player)
        if r.preset == "paper":
            points = r["losses"][loss]
            axes.plot(points.epoch, points, "o", ms=3, color=colour, label=f"{player}, published", **READ_OFF)
    axes.set(xlabel="epochs", ylabel="mean cross entropy")
    axes.legend()


def _draw_variances(axes: Axes, r: Evidence) -> None:
    """Draw the variance of each class of generated images, relative to the real images of the class."""
    fraction = xr.concat([r[run].trace_fraction for run in PAIRS], "class")
    published = r["printed"].trace / r["generator"].image_trace
    axes.axhline(1, color="black", linestyle=":", linewidth=0.8, label="real images")
    axes.plot(_names(fraction), fraction, "s", ms=4, color=BLUE, label="generated")
    if r.preset == "paper":
        axes.plot(_names(published), published, "o", ms=5, color=RED, label="generated, published", **READ_OFF)
    axes.minorticks_off()
    axes.set(ylim=(0, 1.2), ylabel="relative variance")
    axes.margins(x=0.15)
    axes.legend(loc="lower left")


def _names(classes):
    return [_NAMES[number] for number in classes["class"].values]


def _tiled(pictures: np.ndarray) -> np.ndarray:
    """Arrange the first 16 pictures (n, H, W), four in a row."""
    height, width = pictures.shape[1:]
    return pictures[:16].reshape(4, 4, height, width).swapaxes(1, 2).reshape(4 * height, 4 * width)

"""Figure 30: generated images, and the quality of the generator's training."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, PUBLISHED, THEORY, Check, at_most, main, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import generated_images
from twolayer.figures.style import PAGE

PAIRS = {"tops_and_trousers": "tops and trousers", "sandals_and_boots": "sandals and boots"}
TOPS, TROUSERS = 0, 1


def draw(r: Evidence) -> Figure:
    """Draw generated images: original, without their mean, and with noise."""
    result = r["tops_and_trousers"]
    figure, panels = plt.subplots(1, 4, figsize=(PAGE, 2.25))
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
    figure.suptitle(generated_images.training(r, "tops_and_trousers"))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the generator's classes vary and differ, by the same amounts as for the published generator."""
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


def _printed_checks(r, run, pair):
    """Compare moments with the printed output of the published code for a million images.

    Only the published generator reproduces it exactly.
    """
    tolerance, source = 0.1, "for another training of the GAN; ten percent is a choice, because trainings differ"
    if "discriminator_loss" not in r["generator"]:
        tolerance, source = 0.005, "for the same generator; its repeats differ by 0.0015"
    for quantity, name in (("trace", "variance of either class"), ("distance", "distance of the classes")):
        yield relative(
            generated_images.like_the_published(r, run)[quantity],
            r["printed"][quantity],
            f"{pair}, {name}",
            tolerance=tolerance,
            source=f"printed by the published code, {source}",
            compared=PUBLISHED,
        )


def _tiled(pictures: np.ndarray) -> np.ndarray:
    """Arrange the first 16 pictures (n, H, W), four in a row."""
    height, width = pictures.shape[1:]
    return pictures[:16].reshape(4, 4, height, width).swapaxes(1, 2).reshape(4 * height, 4 * width)

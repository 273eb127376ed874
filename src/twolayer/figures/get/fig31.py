"""Images that generators learned from, and images that they give."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, Verdict, at_most
from twolayer.figures.evidence import Evidence


def draw(r: Evidence) -> Figure:
    """Real images and those of the generators, 64 of each."""
    figure, panels = plt.subplots(1, 5, figsize=(11, 2.7))
    gan, flow, random = (r[run] for run in ("trained_gan", "trained_flow", "random_gan"))
    pictures = {
        f"learned from by the dcGAN:\n{gan.attrs['trained_on']}": gan.original,
        "dcGAN, trained": gan.generated,
        "dcGAN, random weights": random.generated,
        f"learned from by the flow:\n{flow.attrs['trained_on']}": flow.original,
        "real NVP, trained": flow.generated,
    }
    for axes, (title, images) in zip(panels, pictures.items(), strict=True):
        axes.imshow(_mosaic(images.values), cmap="gray", interpolation="nearest")
        axes.set_title(title, fontsize=8)
        axes.axis("off")
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The trainings got somewhere: images of the right brightness, and fewer bits for each."""
    for run in ("trained_gan", "trained_flow"):
        yield at_most(
            r[run].brightness_gap,
            0,
            f"{run}, generated images are as bright as those it learned from",
            tolerance=0.1,
            source="64 images of either kind, from -1 for black to 1 for white; a training matches no moment exactly",
            compared=NUMERICS,
        )
    bits = r["trained_flow"].bits
    yield at_most(
        bits.sel(epoch=20),
        bits.sel(epoch=1),
        "the flow needs fewer bits for an image after 20 epochs than in the first",
        tolerance=1e-9,
        source="maximum likelihood",
        compared=NUMERICS,
    )


def _mosaic(images: np.ndarray) -> np.ndarray:
    """The first 64 images (n, C, H, W) in [-1, 1], eight in a row, as one with or without colours."""
    _, colours, height, width = images.shape
    rows = images[:64].reshape(8, 8, colours, height, width).transpose(0, 3, 1, 4, 2)
    picture = np.clip(rows.reshape(8 * height, 8 * width, colours) / 2 + 0.5, 0, 1)  # flows can leave the range
    return picture if colours == 3 else picture[..., 0]

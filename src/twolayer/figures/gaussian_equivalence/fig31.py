"""Training images of generators, and generated images."""

import math
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.escaping import mathtext
from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import INDEPENDENT, NUMERICS, THEORY, Check, at_most, main, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.gaussian_equivalence.published_moments import published_moment_checks, spectrum
from twolayer.figures.style import BLUE, PAGE, READ_OFF, RED

PIXELS = ("colour", "row", "column")
SPECTRA = {"trained": ("trained_gan", RED, "o"), "random": ("random_gan", BLUE, "s")}


def draw(r: Evidence) -> Figure:
    """Draw 64 real and 64 generated images for each generator, and the singular values of Phi."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 5.0))
    gan, flow, random = (r[run] for run in ("trained_gan", "trained_flow", "random_gan"))
    pictures = {
        f"training images of the dcGAN:\n{mathtext(gan.attrs['trained_on'])}": gan.original,
        f"dcGAN, trained,\n{brightness_difference(gan)}": gan.generated,
        "dcGAN, random weights": random.generated,
        f"training images of the flow:\n{mathtext(flow.attrs['trained_on'])}": flow.original,
        f"real NVP, trained,\n{brightness_difference(flow)}": flow.generated,
    }
    for axes, (title, images) in zip(panels.flat, pictures.items(), strict=False):
        axes.imshow(_mosaic(images.values), cmap="gray", interpolation="nearest")
        axes.set_title(title)
        axes.axis("off")
    _spectra(panels[-1, -1], r)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the trainings made progress, and that published weights have the published moments."""
    for run, name in {"trained_gan": "trained dcGAN", "trained_flow": "trained flow"}.items():
        brightness = _brightness_check(r, run, name)
        yield main(brightness) if run == "trained_gan" else brightness
        yield _power_check(r, run, name)
        yield _likeness_check(r[run], name)
    yield at_most(
        _losses(r).max("epoch"),
        2 * math.log(2),
        "trained dcGAN, cross entropy of the discriminator",
        tolerance=1e-9,
        source="cross entropy of a discriminator that has learned nothing; a trained one stays below",
        compared=THEORY,
    )
    for kind, (run, *_) in SPECTRA.items():
        yield at_most(
            _linear_share(r[f"{run}_moments"]),
            1,
            f"dcGAN, {kind} weights, the part linear in the latents is at most a pixel's variance",
            source="Bessel's inequality for the latents, which are independent and of variance one",
            compared=THEORY,
        )
    bits = r["trained_flow"].bits
    yield at_most(
        bits.isel(epoch=-1),
        bits.isel(epoch=0),
        "the flow needs fewer bits for an image in the last epoch than in the first",
        tolerance=1e-9,
        source="maximum likelihood",
        compared=NUMERICS,
    )
    yield from published_moment_checks(r)


def _of_images(pixels: xr.DataArray) -> xr.DataArray:
    """Return the mean over the pixels of each image; images count as independent draws."""
    values = pixels.mean(PIXELS)
    return values.rename({values.dims[0]: "seed"})


def _brightness(pixels: xr.DataArray) -> xr.DataArray:
    """Return the mean of pixels, which are in [-1, 1], from 0 (black) to 1 (white)."""
    return (pixels + 1) / 2


def brightness_difference(generator: xr.Dataset) -> str:
    """Return how much brighter generated images are than training images, with its error, since trainings differ in
    it."""
    (one, error), (other, other_error) = (
        mean_and_error(_brightness(_of_images(generator[kind]))) for kind in ("generated", "original")
    )
    difference = rf"{float(one - other):+.2f} $\pm$ {float(np.hypot(error, other_error)):.2f}"
    return f"brightness minus\ntraining images: {difference}"


def _brightness_check(r: Evidence, run: str, name: str) -> Check:
    """Compare the brightness of the images shown with the moments of the same generator, which depend on its
    training."""
    return z_score(
        _brightness(_of_images(r[run].generated)),
        float(_brightness(r[f"{run}_moments"]["mean"].mean())),
        f"{name}, brightness of the images shown against the moments",
        source=f"mean of the moments, of {r.parameter(f'{run}_moments', 'samples'):,} other images of the generator; "
        "errors are in units of the range from black (0) to white (1)",
        compared=INDEPENDENT,
        relative_to=1.0,
    )


def _power_check(r: Evidence, run: str, name: str) -> Check:
    """Compare the mean square of a pixel in the images shown with the moments of the same generator."""
    moments = r[f"{run}_moments"]
    return z_score(
        _of_images(r[run].generated ** 2),
        float(np.mean(np.diag(moments.Omega) + moments["mean"].values ** 2)),
        f"{name}, mean square of a pixel in the images shown against the moments",
        source=f"mean and covariance of {r.parameter(f'{run}_moments', 'samples'):,} other images of the generator",
        compared=INDEPENDENT,
    )


def _likeness_check(generator: xr.Dataset, name: str) -> Check:
    """Check that mean images of generated and original images are alike; no training matches the mean exactly."""
    images = [generator[kind] for kind in ("generated", "original")]
    return at_most(
        0.5,
        xr.DataArray(_cosine(*(one.mean(one.dims[0]).values.ravel() for one in images))),
        f"{name}, the mean images are alike",
        tolerance=1e-9,
        source=f"correlation over pixels, of {len(images[0])} images of either kind; a mean without structure has none",
        compared=NUMERICS,
    )


def _linear_share(moments: xr.Dataset) -> xr.DataArray:
    """Return the part of each pixel's variance that its covariances with the latents explain."""
    return (moments.Phi**2).sum("latent") / np.diag(moments.Omega)


def _losses(r: Evidence) -> xr.DataArray | Absent:
    gan = r["trained_gan"]
    return gan.discriminator_loss if "discriminator_loss" in gan else Absent("for a generator that is trained here")


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Return the correlation of two images over their pixels, or 0 if one has no structure."""
    one, other = one - one.mean(), other - other.mean()
    size = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other / size) if size else 0.0


def _spectra(axes: Axes, r: Evidence) -> None:
    """Draw singular values of Phi over the root of their mean square, from this project and as published."""
    for kind, (run, colour, marker) in SPECTRA.items():
        published = r["phi_spectra"][kind].values
        for values, name, style in (
            (spectrum(r[f"{run}_moments"]).values, f"{kind}, here", {"linestyle": "-", "linewidth": 0.9}),
            (published, f"{kind}, published", {"marker": marker, "markersize": 3, "markevery": 6, **READ_OFF}),
        ):
            place = (np.arange(len(values)) + 0.5) / len(values)
            axes.plot(place, values / np.sqrt(np.mean(values**2)), color=colour, label=name, **style)
    axes.set(yscale="log", xlabel="number / $D$", title=r"singular values of $\Phi$")
    axes.legend()


def _mosaic(images: np.ndarray) -> np.ndarray:
    """Return the first 64 images (n, C, H, W) in [-1, 1], eight in a row, as one image."""
    _, colours, height, width = images.shape
    rows = images[:64].reshape(8, 8, colours, height, width).transpose(0, 3, 1, 4, 2)
    picture = np.clip(rows.reshape(8 * height, 8 * width, colours) / 2 + 0.5, 0, 1)  # flows can leave the range
    return picture if colours == 3 else picture[..., 0]

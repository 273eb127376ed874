"""Moments of the authors' dcGAN, for comparison with the published ones: mean image, columns and spectrum of Phi."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from twolayer.figures.checks import PUBLISHED, Check, relative, z_score
from twolayer.figures.evidence import Absent, Evidence

_COLOURS = 3
_LEADING = 10  # number of singular values that few samples do not change
_SOURCE = "covariances that the authors published with their code"


def published_moment_checks(r: Evidence) -> Iterator[Check]:
    """Compare moments of the trained generator with the published ones, if it is the published generator."""
    moments = _of_published_weights(r)
    yield z_score(
        _mean_image(moments),
        r["mean_image"]["mean"],
        "published dcGAN, every pixel of the mean image",
        source=_SOURCE,
        compared=PUBLISHED,
    )
    yield z_score(
        _column_means(moments),
        r["phi_columns"].phi_mean,
        "published dcGAN, mean of Phi over the pixels of a colour, for each latent",
        source=_SOURCE,
        compared=PUBLISHED,
    )
    samples = r.parameter("trained_gan_moments", "samples")
    leading = r["phi_spectra"].trained.sel(number=slice(1, _LEADING))
    yield relative(
        spectrum(moments),
        leading,
        "published dcGAN, the leading singular values of Phi",
        tolerance=0.01,
        source=f"{_SOURCE}; {samples:,} samples have an error of a third of the tolerance",
        compared=PUBLISHED,
    )


def spectrum(moments: xr.Dataset | Absent) -> xr.DataArray | Absent:
    """Return singular values of Phi, the largest first, by their numbers from one on."""
    if isinstance(moments, Absent):
        return moments
    values = np.linalg.svd(moments.Phi.values, compute_uv=False)
    return xr.DataArray(values, dims="number", coords={"number": np.arange(1, len(values) + 1)})


def _of_published_weights(r: Evidence) -> xr.Dataset | Absent:
    if "discriminator_loss" in r["trained_gan"]:
        return Absent("only for the published generator, which config.yaml selects; the quick preset has no such file")
    return r["trained_gan_moments"]


def _share(moments: xr.Dataset) -> np.floating:
    """Return one over the number of samples of a Phi with this error: times D trace(Omega) it is the squared error."""
    return moments.Phi_error.values**2 / (moments.sizes["latent"] * np.trace(moments.Omega.values))


def _mean_image(moments):
    """Return the mean with its standard error."""
    if isinstance(moments, Absent):
        return moments
    error = np.sqrt(np.diag(moments.Omega) * _share(moments))
    return moments["mean"].assign_coords(input=np.arange(moments.sizes["input"]), mean_sem=("input", error))


def _column_means(moments):
    """Return means over the pixels of a colour of each column of Phi, with their standard errors."""
    if isinstance(moments, Absent):
        return moments
    pixels = moments.sizes["input"] // _COLOURS
    means = moments.Phi.values.reshape(_COLOURS, pixels, -1).mean(axis=1)
    blocks = moments.Omega.values.reshape(_COLOURS, pixels, _COLOURS, pixels)
    variances = np.einsum("cpcq->c", blocks) / pixels**2
    error = np.sqrt((variances[:, None] + means**2) * _share(moments))
    axes = {"colour": np.arange(_COLOURS), "latent": np.arange(means.shape[1])}
    return xr.DataArray(means, axes, name="phi_mean").assign_coords(phi_mean_sem=(tuple(axes), error))

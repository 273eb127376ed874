"""The mixture after random features, in three regimes."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, Check, at_most, main, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.mixtures.notation import CLASSES, REGIMES, label_classes
from twolayer.figures.style import PAGE

COUNTED = 10  # number of points on the wrong side of the plane from which their rate is known
# parameters for the bounds on the class error of the best plane
BOUNDED = {
    "sigma": 0.5,
    "features_per_dimension": 2.0,
    "geometry__shape": "circle",
    "geometry__clusters_per_class": 2,
    "geometry__positive_fraction": 0.5,
}


def draw(r: Evidence) -> Figure:
    """Draw the mixture after random features, on the three axes that the clusters' mean features span."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 4.8), sharex="col")
    for column, regime in zip(panels.T, REGIMES, strict=True):
        for axes, second in zip(column, (1, 2), strict=True):
            _cloud(axes, r[f"cloud_{regime}"], second)
        error = float(r[f"cloud_{regime}"].closed_class_error)
        column[0].set_title(f"{_name(r, regime)}\nbest plane errs on {error:.2g}")
        column[1].set_xlabel("first axis of the means")
    panels[0, 0].set_ylabel("second axis of the means")
    panels[1, 0].set_ylabel("third axis of the means")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _cloud(axes: Axes, cloud: xr.Dataset, second: int) -> None:
    """Draw points and ellipses on the first and another axis."""
    angles = np.linspace(0, 2 * np.pi, 100)
    circle = 2 * np.stack([np.cos(angles), np.sin(angles)])
    plane = [0, second]
    for cluster in range(cloud.sizes["cluster"]):
        colour = CLASSES[int(cloud.labels[cluster])]
        axes.scatter(
            *cloud.points[cluster, :400, plane].values.T, s=2, color=colour, alpha=0.4, linewidth=0, rasterized=True
        )
        root = np.linalg.cholesky(cloud.covariances[cluster, plane, plane].values)
        axes.plot(*(cloud.means[cluster, plane].values[:, None] + root @ circle), color="black", linewidth=0.8)
    label_classes(axes)
    axes.plot([], [], color="black", linewidth=0.8, label=r"$2\sigma$ ellipses, closed form")


def _name(r: Evidence, regime: str) -> str:
    return REGIMES[r.parameter(f"cloud_{regime}", "geometry.regime")]


def checks(r: Evidence) -> Iterator[Check]:
    """Compare points with the closed form, and check that a plane separates the labels in the regimes of the paper's
    claim.
    """
    for regime in REGIMES:
        cloud, name = r[f"cloud_{regime}"], _name(r, regime)
        means = z_score(
            cloud.sampled_means,
            cloud.means,
            f"mean features, {name}, closed form against samples",
            source="simulation",
            relative_to=abs(cloud.means).max(),
        )
        yield main(means) if regime == "high" else means
        if regime != "high":  # there, no point is on the wrong side
            yield z_score(
                _counted(cloud),
                cloud.closed_class_error,
                f"class error of the best plane, {name}, closed form against samples",
                source="simulation",
            )
    source = "the paper's claim: the features fold the mixture if the signal is strong, and do not if it is weak"
    for regime, most in (("high", 1e-3), ("mixed", 0.2)):
        yield at_most(
            _bounded(r, regime).closed_class_error,
            most,
            f"a plane separates the labels, {REGIMES[regime]}",
            source=source,
            compared=PUBLISHED,
        )
    yield at_most(
        0.4,
        _bounded(r, "low").closed_class_error,
        f"no plane separates the labels, {REGIMES['low']}",
        source=source,
        compared=PUBLISHED,
    )


def _counted(cloud: xr.Dataset) -> xr.DataArray | Absent:
    """Return the class error on samples, if these have enough errors for a count."""
    samples = cloud.sizes["cluster"] * cloud.sizes["sample"]
    if 0 < float(cloud.closed_class_error) * samples < COUNTED:
        return Absent(f"fewer than {COUNTED} of {samples} samples are expected on the wrong side")
    return cloud.simulated_class_error


def _bounded(r: Evidence, regime: str) -> xr.Dataset | Absent:
    bounded = r.with_parameters(f"cloud_{regime}", "the bound is for", **BOUNDED, geometry__regime=regime)
    return bounded[f"cloud_{regime}"]

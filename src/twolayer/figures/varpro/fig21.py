"""Figure 21: a teacher on the torus, and a network that learns from it."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Check, at_most, main, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import descents, torus


def draw(r: Evidence) -> Figure:
    """Draw the features of the teacher, and its outputs."""
    teacher = r["torus_teacher"]
    figure = plt.figure(figsize=(PAGE, 3.4))
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
    left.scatter(*teacher.feature.values.T, s=2, color=descents.COLOURS[0], alpha=0.5, linewidth=0, rasterized=True)
    _torus_axes(left, f"{teacher.sizes['index']} features of the teacher")
    x, y = np.meshgrid(teacher.x, teacher.y, indexing="ij")
    surface = right.plot_surface(x, y, teacher.signal.values, cmap="coolwarm", linewidth=0, rcount=100, ccount=100)
    surface.set_rasterized(True)
    right.set(xlabel="$x_1$", ylabel="$x_2$", title="output of the teacher")
    figure.colorbar(surface, ax=right, shrink=0.7, pad=0.12)
    return figure


def scatter_animation(r: Evidence) -> FuncAnimation:
    """Animate the features of a network during learning."""
    network = r["torus_ridge1e-3_unbiased"]
    iterations = r["torus_density"].iteration.values
    figure, axes = plt.subplots(figsize=(4.4, 4.2))
    dots = axes.scatter([], [], s=5, color=descents.COLOURS[0], linewidth=0)

    def update(frame):
        dots.set_offsets(network.feature.sel(snapshot=iterations[frame]).values)
        _torus_axes(axes, f"{network.sizes['index']} features, iteration {iterations[frame]}")
        return [dots]

    return FuncAnimation(figure, update, frames=len(iterations))


def density_animation(r: Evidence) -> FuncAnimation:
    """Animate the smoothed density of the same features, with one range of colours."""
    density = r["torus_density"].density
    figure, axes = plt.subplots(figsize=(4.8, 4.2))
    image = axes.imshow(
        density[0].T, cmap="coolwarm", vmin=0, vmax=float(density.max()), origin="lower", extent=(-2, 2, -2, 2)
    )
    figure.colorbar(image, ax=axes, shrink=0.8, label="density")

    def update(frame):
        image.set_data(density[frame].T)
        _torus_axes(axes, f"density of the features, iteration {int(density.iteration[frame])}")
        return [image]

    return FuncAnimation(figure, update, frames=density.sizes["iteration"])


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the features with the teacher's distribution, and check the mean and the maximum of its outputs."""
    yield from _teacher(r)
    yield main(torus.as_gradient_flow(r["torus_ridge1e-3_unbiased"]))
    yield from _animated_density(r["torus_density"].isel(iteration=-1))


def _teacher(r):
    """Compare the teacher's features and outputs with their distribution and with the published features."""
    teacher = r["torus_teacher"]
    yield z_score(
        teacher.spread,
        teacher.theory_spread,
        "coordinates of the teacher's features, median distance from the centre",
        source="quantile of the wrapped Cauchy distribution",
        compared=THEORY,
    )
    yield z_score(
        _mean_spread(teacher),
        1.0,
        "median distance of the teacher's features from the centres over theory, mean over all coordinates",
        source="quantile of the wrapped Cauchy distribution; coordinates are independent",
        compared=THEORY,
    )
    yield z_score(
        r.as_published("torus_teacher", gamma=100)["torus_teacher"].spread,
        r["published"].spread,
        "coordinates of the teacher's features, median distance from the centre, against the published features",
        source="published sample, of the same size and with other random numbers",
        compared=PUBLISHED,
    )
    yield relative(
        teacher.mean_signal,
        teacher.theory_mean_signal,
        "mean of the teacher's output over the torus",
        tolerance=1e-4,
        source="integral of a feature, which does not depend on its position; the tolerance is the error of the grid",
        compared=INDEPENDENT,
    )
    yield at_most(
        r.as_published("torus_teacher", gamma=100)["torus_teacher"].peak_distance,
        0,
        "the largest output is at a centre",
        tolerance=0.1,
        source="published surface; the tolerance is two steps of the quick grid",
        compared=PUBLISHED,
    )


def _animated_density(density):
    """Check the bandwidth and the position of a density of the animation."""
    yield relative(
        density.mean_density,
        density.pair_density,
        "the animated density has Scott's bandwidth",
        tolerance=0.02,
        source="sum over all pairs of features; the tolerance is the density that the kernel spreads over the "
        "edges, squared",
        compared=INDEPENDENT,
    )
    yield at_most(
        abs(density.centre - density.feature_centre),
        0,
        "the mean of the animated density is at the features",
        tolerance=0.1,
        source="mean position of the features; the tolerance is the density that the kernel spreads over the edges",
        compared=INDEPENDENT,
    )


def _mean_spread(teacher):
    """Return the mean over centres and axes of the median distance over its expectation, with its standard error."""
    ratio = teacher.spread / teacher.theory_spread
    error = np.sqrt(((ratio.spread_sem / teacher.theory_spread) ** 2).sum()) / ratio.size
    return ratio.mean().rename("spread").assign_coords(spread_sem=float(error))


def _torus_axes(axes, title):
    axes.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal", xlabel="$w_1$", ylabel="$w_2$", title=title)

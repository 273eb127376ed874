"""What figures of networks on the torus share: how they draw descents, and what they check."""

from collections.abc import Iterable, Iterator, Sequence

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, NUMERICS, PUBLISHED, Verdict, among, at_most, falling, relative
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.varpro import descents
from twolayer.figures.varpro.descents import COLOURS, line, published_handle, published_points

NARROW = (32, 128, 512)
WIDEST = 1024  # of the paper; at the quick scale it is narrower
EARLY, LATE = slice(100, 1000), slice(20000, 32000)
FLAT = (
    "published curve of other random numbers, where it is flat; seeds spread by 10 to 18 percent, and the tolerance is "
    "at least one and a half standard deviations of the difference of two"
)

_STEEP = "published curve of other random numbers, before and after its steep fall"
_ENDS = (6000, 32000)  # last iteration of the quick scale, and of the paper
_PUBLISHED_SAMPLES = 4096

Curve = xr.DataArray | Absent


def curves(
    axes: Axes, networks: Iterable[xr.Dataset], quantity: str, published: xr.Dataset, linestyle: str = "-"
) -> None:
    """One curve a network; with the published one where it learned from the paper's number of samples."""
    for network, colour in zip(networks, COLOURS, strict=False):
        line(axes, network[quantity], color=colour, linestyle=linestyle)
        if _is_published(network):
            published_points(axes, published[quantity], network[quantity], colour)


def legend(figure: Figure, handles: Iterable[Artist], networks: Iterable[xr.Dataset]) -> None:
    """One legend below all panels, with the published points where there are any."""
    published = [published_handle("published")] if any(map(_is_published, networks)) else []
    descents.legend(figure, [*handles, *published])


def _is_published(network):
    """Whether the network has the paper's size."""
    return int(network.samples) == _PUBLISHED_SAMPLES


def by_width(r: Evidence, regularization: str) -> dict[int, xr.Dataset]:
    """All networks at ridge 1e-3, by their width."""
    narrow = [run for point, run in r.grid("torus_narrow") if point["regularization"] == regularization]
    runs = [*narrow, r.find("torus", ridge=1e-3, regularization=regularization)]
    return {int(run.width): run for run in runs}


def at_width(r: Evidence | Absent, width: int, regularization: str) -> tuple[str, xr.Dataset | Absent]:
    """The network of a width at ridge 1e-3, with the name that titles call it by."""
    if width == WIDEST:
        return f"torus_ridge1e-3_{regularization}", r.find("torus", ridge=1e-3, regularization=regularization)
    name = f"torus_narrow_width{width}_{regularization}"
    return name, r.find("torus_narrow", width=width, regularization=regularization)


def as_dense(name: str, network: xr.Dataset) -> Verdict:
    """The risk, projected by the descent, is that of dense linear algebra."""
    return relative(
        network.verified_risk,
        network.dense_risk,
        f"{name}: the projected risk against dense linear algebra",
        tolerance=1e-4,
        source="the definition in double precision; "
        "the tolerance is what single precision leaves of the smallest misfit",
        compared=INDEPENDENT,
    )


def risk_falls(name: str, network: xr.Dataset) -> Verdict:
    """The risk falls from each recorded iteration to the next."""
    return falling(
        network.risk,
        "iteration",
        f"{name}: the risk falls along the descent",
        tolerance=1e-6,
        source="gradient descent; the tolerance is rounding, and steps over the kink of a feature at an input",
        compared=NUMERICS,
    )


def as_published(
    curve: Curve,
    published: xr.DataArray,
    title: str,
    when: slice,
    *,
    tolerance: float = 0.2,
    source: str = _STEEP,
) -> Verdict:
    """A curve agrees with the published one over a range of iterations."""
    measured = curve.sel(iteration=when)
    return relative(measured, published, title, tolerance=tolerance, source=source, compared=PUBLISHED)


def ends_below(lower: Curve, upper: Curve, title: str, iterations: Sequence[int] = _ENDS) -> Verdict:
    """One curve ends below another, as the paper says."""
    measured = among(lower, iteration=iterations)
    return at_most(measured, upper, title, tolerance=1e-9, source="the paper's claim", compared=PUBLISHED)


def ends_lower(r: Evidence, quantity: str, regularization: str, name: str) -> Iterator[Verdict]:
    """Wider networks end lower, among those of both scales."""
    narrowest, middle, widest = (at_width(r, width, regularization)[1][quantity] for width in (32, 128, WIDEST))
    yield ends_below(middle, narrowest, f"{name} at the end, width 128 below width 32")
    yield ends_below(widest, middle, f"{name} at the end, largest width below width 128")


def wide_end_lower(r: Evidence, quantity: str, name: str) -> Iterator[Verdict]:
    """Wider networks end lower, among the wide ones of the paper; unbiased ones."""
    for wider, narrower in ((512, 128), (WIDEST, 512)):
        lower, upper = (at_width(r.at("paper"), width, "unbiased")[1][quantity] for width in (wider, narrower))
        title = f"{name} at the end, width {wider} below width {narrower}"
        yield ends_below(lower, upper, title, _ENDS[1:])

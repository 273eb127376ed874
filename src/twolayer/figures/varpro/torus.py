"""Common parts of figures of networks on the torus: curves of descents, and checks.

The quick preset has the paper's numbers of samples and teacher features, narrower networks, and fewer iterations.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import xarray as xr
from matplotlib.axes import Axes

from twolayer.figures.checks import INDEPENDENT, NUMERICS, PUBLISHED, THEORY, Check, falling, relative
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.varpro import descents

EARLY, LATE = slice(100, 1000), slice(20000, 32000)
_FALLEN = slice(3000, 4000)  # iterations that both presets have
FLAT = (
    "published curve of other random numbers, in its flat part; seeds spread by 10 to 18 percent, and the tolerance is "
    "at least one and a half standard deviations of the difference of two"
)
STEEP = "published curve of other random numbers, before and after its steep fall"

NAMES = {"risk": "risk", "mmd_teacher": descents.TEACHER}
RATIO_AT = 1000  # iterations at which distances depend on the ridge and hardly on the width
_SETTLED = 100  # iterations after which all features are slow, so that no step is long
_PAPER = {"samples": 4096, "descent__step": 2**-10}
# The difference of two draws exceeds this multiple of the spread over seeds once in a thousand: sqrt(2) times 3.3.
DRAWS = 5
_NARROW = 64  # number of features below which seeds spread more
# relative spreads over 30 to 60 seeds, of narrow networks and of others: the largest one up to iteration 1000
_EARLY_SPREADS = {"risk": (0.17, 0.19), "mmd_teacher": (0.16, 0.13)}
_FALLEN_SPREADS = (0.022, 0.02)  # and of the risk of biased networks at iteration 3000
BY_CHANCE = DRAWS * _EARLY_SPREADS["mmd_teacher"][1]  # relative difference of the distances of two single runs

Curve = xr.DataArray | Absent


def curves(
    axes: Axes, networks: Iterable[xr.Dataset], quantity: str, published: xr.Dataset, linestyle: str = "-"
) -> None:
    """Draw one curve for each network, and the published curve of its width, or of the only published width."""
    for network, colour in zip(networks, descents.COLOURS, strict=False):
        descents.line(axes, network[quantity], color=colour, linestyle=linestyle)
        if isinstance(descents.where_published(network[quantity], published[quantity], but=("width",)), Absent):
            continue
        known = descents.published_of(published[quantity], network)
        name = "published" if known.width == network.width else f"published, $M = {int(known.width)}$"
        descents.published_points(axes, known, network[quantity], colour, name)


def of_paper(r: Evidence | Absent, *names: str, teacher_width: int = 4096) -> Evidence | Absent:
    """Return the evidence if these runs have the data, the teacher and the step of the paper's networks."""
    for name in names:
        r = r.as_published(name, teacher_width=teacher_width, **_PAPER)
    return r


def place(network: xr.Dataset) -> str:
    """Return the parameters that distinguish one network from others, for names of checks."""
    gamma, ridge = (f"{name} {float(network[name]):g}" for name in ("gamma", "ridge"))
    return f"{gamma}, {ridge}, {network.regularization.item()}, width {int(network.width)}"


def by_width(r: Evidence, regularization: str) -> dict[int, str]:
    """Return the runs of all networks with this regularisation, by their width.

    The widest network belongs to the family of ridges.
    """
    names = [
        r.name_of("torus_narrow", **point)
        for point, _ in r.grid("torus_narrow")
        if point["regularization"] == regularization
    ]
    names.append(r.name_of("torus", regularization=regularization))
    return {int(r[name].width): name for name in sorted(names, key=lambda name: int(r[name].width))}


def as_dense(network: xr.Dataset) -> Check:
    """Compare the risk from the descent's projection with dense linear algebra."""
    return relative(
        network.verified_risk,
        network.dense_risk,
        f"{place(network)}: the projected risk against dense linear algebra",
        tolerance=1e-4,
        source="the definition in double precision; "
        "the tolerance is the rounding error of the smallest misfit in single precision",
        compared=INDEPENDENT,
    )


def risk_falls(network: xr.Dataset) -> Check:
    """Check that the risk falls from each recorded iteration to the next, after all features are slow."""
    return falling(
        network.risk.sel(iteration=slice(_SETTLED, None)),
        "iteration",
        f"{place(network)}: the risk falls along the descent",
        tolerance=1e-6,
        source="gradient descent, after all steps are short; the tolerance is rounding, and "
        "steps over the kink of a feature at an input",
        compared=NUMERICS,
    )


def as_gradient_flow(network: xr.Dataset) -> Check:
    """Compare the decrease of the risk with the work of the features."""
    later = slice(_SETTLED + 1, None)
    settled = network.isel(iteration=int((network.iteration >= _SETTLED).values.argmax()), drop=True)
    return relative(
        settled.risk - network.risk.sel(iteration=later),
        network.dissipated.sel(iteration=later) - settled.dissipated,
        f"{place(network)}: the risk falls by the work of the features",
        tolerance=1e-3,
        source="energy identity of gradient flow: in time, the risk falls by a feature's mean square speed; the "
        "tolerance is the second order of a step",
        compared=THEORY,
    )


def as_published(
    curve: Curve,
    published: xr.DataArray,
    title: str,
    when: slice,
    *,
    tolerance: float = 0.2,
    source: str = STEEP,
) -> Check:
    """Check that a curve agrees with the published curve over a range of iterations."""
    measured = descents.where_published(curve, published).sel(iteration=when)
    return relative(measured, published, title, tolerance=tolerance, source=source, compared=PUBLISHED)


def starts_as_published(r: Evidence, name: str, quantity: str, **paper: int) -> Check:
    """Compare a network of either preset with the published network in the first thousand iterations.

    Args:
        paper: further parameters of the paper's network, see `of_paper`.
    """
    network, published = r[name], r["published"][quantity]
    width, here = int(network.width), of_paper(r, name, **paper)
    curve = descents.where_published(here[name][quantity], published, but=("width",))
    known = published if isinstance(curve, Absent) else descents.published_of(published, network)
    other = "" if isinstance(curve, Absent) or known.width == width else f", published for width {int(known.width)}"
    spread = _EARLY_SPREADS[quantity][width > _NARROW]
    return as_published(
        curve,
        known.drop_vars("width"),
        f"{place(network)}: {NAMES[quantity]} against the published curve, early",
        EARLY,
        tolerance=DRAWS * spread,
        source=f"published curve of other random numbers{other}; {DRAWS} times the spread over seeds, {spread:.0%}",
    )


def falls_as_published(r: Evidence, name: str) -> Check:
    """Compare the risk of a biased network of either preset with the published curve after its steep fall."""
    spread = _FALLEN_SPREADS[int(r[name].width) > _NARROW]
    return as_published(
        of_paper(r, name)[name].risk,
        r["published"].risk,
        f"{place(r[name])}: risk against the published curve, where it has fallen",
        _FALLEN,
        tolerance=DRAWS * spread,
        source=f"published curve of other random numbers; {DRAWS} times the spread over seeds, {spread:.1%}",
    )


def bias_as_published(r: Evidence, *, ridge: float) -> Check:
    """Compare the ratio of distances of biased and unbiased networks with the published ratio."""
    names = [r.name_of("torus", ridge=ridge, regularization=name) for name in descents.REGULARIZATIONS]
    return ratio_as_published(r, *names, f"ridge {ridge:g}, {descents.TEACHER} of biased over unbiased networks")


def ratio_as_published(r: Evidence, above: str, below: str, title: str) -> Check:
    """Compare the ratio of distances of two networks with the published ratio.

    Both have the same random numbers, whose effect mostly cancels.

    Args:
        above, below: runs of the two networks.
    """
    published = r["published"].mmd_teacher
    here = of_paper(r, above, below)
    one, other = (
        descents.where_published(here[name].mmd_teacher, published, but=("width",)) for name in (above, below)
    )
    absent = next((curve for curve in (one, other) if isinstance(curve, Absent)), None)
    known = [descents.published_of(published, curve).sel(iteration=RATIO_AT) for curve in (one, other) if not absent]
    return relative(
        absent or (one.sel(iteration=RATIO_AT) / other.sel(iteration=RATIO_AT)).reset_coords(drop=True),
        float(known[0]) / float(known[1]) if known else 1.0,
        title,
        tolerance=0.2,
        source=f"published curves of wider networks; single runs of width {int(r[above].width)} deviate by up to 9 %",
        compared=PUBLISHED,
    )


def ends_lower(r: Evidence, quantity: str, regularization: str) -> Iterator[Check]:
    """Check that the wider of two networks ends lower, for all neighbouring widths of a preset."""
    for (narrow, above), (wide, below) in pairwise(by_width(r, regularization).items()):
        here = of_paper(r, above, below)
        title = f"{regularization}, {NAMES[quantity]} at the end, width {wide} below width {narrow}"
        yield descents.ends_below(here[below][quantity], here[above][quantity], r["published"][quantity], title)

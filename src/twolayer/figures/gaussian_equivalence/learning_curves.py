"""Learning from generated inputs: equations of motion, online SGD, and SGD on the Gaussian equivalent."""

from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, ScalarFormatter

from twolayer.figures.applicable import common
from twolayer.figures.checks import (
    NUMERICS,
    THEORY,
    Check,
    Values,
    at_most,
    main,
    mean_relative,
    ordering,
    pooled,
    z_score,
)
from twolayer.figures.curves import SIMULATION, after_start, legend_below
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import GREEN, PAGE, PURPLE, RED, YELLOW

TEST, EQUIVALENT = YELLOW, PURPLE
# order parameter: axes, colour, marker
OVERLAPS = {
    "Q": ("unit", "other_unit", RED, "o"),
    "R": ("unit", "teacher_unit", GREEN, "s"),
}
GAUSSIAN = "equations of motion for Gaussian pre-activations"
_END = "end of the generator's inputs"
LATE = 3  # the last times begin at the end divided by this


def draw_learning(r: Evidence, titles: Mapping[str, str], more: int = 0) -> Figure:
    """Draw error, order parameters, and their deviations from the equations, in one row for each generator.

    Marks of the generator and of its Gaussian equivalent are on the same line; each is drawn at every other time. A
    dotted line marks the end of the generator's inputs, if only the Gaussian equivalent has later times.

    Args:
        titles: run of a generator, or the beginning of the names of its curves -> title of its row.
        more: number of empty rows below, whose panels are the last axes of the figure.
    """
    rows = len(titles) + more
    figure, panels = plt.subplots(rows, 3, figsize=(PAGE, 0.9 + 2.1 * rows), squeeze=False)
    panels = panels[: len(titles)]
    for (errors, overlaps, excess), (run, title) in zip(panels, titles.items(), strict=True):
        sides = theory, sgd, equivalent = [after_start(r[f"{run}_{side}"]) for side in ("curve", "sgd", "equivalent")]
        _errors(errors, *sides)
        _overlaps(overlaps, *sides)
        for side, colour, marker in ((sgd, SIMULATION, "o"), (equivalent, EQUIVALENT, "x")):
            _marks(excess, 100 * _excess(side, theory), colour, marker, None, 0, standard_error=True)
        excess.axhline(0, color="black", linewidth=0.8)
        if equivalent.time[-1] > sgd.time[-1]:
            for axes in (errors, overlaps, excess):
                axes.axvline(float(sgd.time[-1]), color="grey", linewidth=0.8, linestyle=":", label=_END)
        excess.set(xscale="log", ylabel=r"tr$\,Q$ over the equations [%]")
        overlaps.set_title(_titled(title, r.get(run), sgd, equivalent))
    for axes in panels[-1]:
        axes.set_xlabel("time $t$ = steps / $N$")
    legend_below(figure, panels[0, :2], 4)
    return figure


def equivalent_checks(r: Evidence, run: str, name: str, **about: Any) -> Iterator[Check]:
    """Compare SGD on Gaussian inputs with the equations, and check that there are enough nodes.

    Args:
        run: run of the generator. name: its name in the titles.
        about: further arguments of `equation_checks`.
    """
    yield from equation_checks(r, run, "equivalent", f"Gaussian equivalent of {name}", **about)
    yield at_most(
        r[f"{run}_curve"].pmse_compression,
        0,
        f"{name}, quadrature nodes against a refined rule",
        tolerance=1e-6,
        source="the densities are entire functions of the eigenvalue",
        compared=NUMERICS,
    )


def generator_checks(r: Evidence, run: str, name: str, **about: Any) -> Iterator[Check]:
    """Compare SGD on generated inputs with the equations, for a generator with nearly Gaussian pre-activations.

    Args:
        run: run of the generator. name: its name in the titles.
        about: further arguments of `equation_checks`.
    """
    yield from equation_checks(r, run, "sgd", name, **about)
    yield fresh_check(r, run, name)


def fresh_check(r: Evidence, run: str, name: str) -> Check:
    """Compare the error on fresh inputs with the error of Gaussian pre-activations.

    The deviation of a set of test inputs at the start persists later, so both errors are in units of the start.
    """
    sgd = r[f"{run}_sgd"]
    fresh, gaussian = (after_start(error) / error.isel(time=0, drop=True) for error in (sgd.test_pmse, sgd.pmse))
    return pooled(
        fresh,
        gaussian.mean("seed"),
        f"{name}, error on fresh inputs against the error of Gaussian pre-activations, each over its start",
        source="order parameters of the same runs",
        compared=THEORY,
    )


def departure_checks(r: Evidence, run: str, name: str) -> Iterator[Check]:
    """Check the deviations if pre-activations are not Gaussian: the error follows the equations, and Q ends above them.

    Args:
        run: run of the generator. name: its name in the titles.
    """
    theory, sgd = _sides(r, run, "sgd")
    yield mean_relative(
        sgd.pmse, theory.pmse, f"{name}, pmse of SGD against the equations", tolerance=0.01, source=GAUSSIAN
    )
    yield ordering(
        _trace(_late(sgd)),
        _trace(_late(theory)),
        f"{name}, Q of SGD ends above the equations",
        source="a stated disagreement: pre-activations that are not Gaussian push along a flat valley of the error",
        compared=THEORY,
        on_average=True,
    )
    yield fresh_check(r, run, name)


def depth_check(r: Evidence, narrow: str, wide: str, title: str) -> Check:
    """Check that the deviation of Q from the equations is smaller for wider layers.

    Args:
        narrow, wide: runs of the generators.
    """
    excess = [_excess(*(_late(side) for side in reversed(_sides(r, run, "sgd")))) for run in (narrow, wide)]
    return ordering(
        *(one.mean("time") for one in excess),
        title,
        source="pre-activations are sums over the units of a layer, the more Gaussian the wider it is",
        compared=THEORY,
    )


def equation_checks(
    r: Evidence, run: str, side: str, name: str, *, carries_claim: bool = False, finite_size: float = 0.0
) -> Iterator[Check]:
    """Compare time averages of SGD with the equations, for each component.

    Args:
        run: run of the generator. side: `sgd`, or `equivalent` for Gaussian inputs. name: name in the titles.
        carries_claim: whether the error is the main check of the figure.
        finite_size: known deviation of order parameters in N dimensions, in units of their size, times N.
    """
    theory, sgd = _sides(r, run, side)
    error = pooled(sgd.pmse, theory.pmse, f"{name}, pmse of SGD against the equations", source=GAUSSIAN)
    yield main(error) if carries_claim else error
    for quantity in ("Q", "R", "v"):
        size = _size(theory[quantity])
        yield z_score(
            (sgd[quantity] / size).mean("time"),
            (theory[quantity] / size).mean("time"),
            f"{name}, {quantity} of SGD against the equations, average over times in units of its size",
            source=GAUSSIAN,
            relative_to=1.0,
            stated=finite_size / r[f"{run}_sgd"].input_size,
        )


def _sides(r: Evidence, run: str, side: str) -> tuple[xr.Dataset | Absent, xr.Dataset | Absent]:
    """Return equations and SGD at the times that both have; absent if there are none."""
    one, other = after_start(r[f"{run}_curve"]), after_start(r[f"{run}_{side}"])
    common_pmse, _ = common(one.pmse, other.pmse, f"{run}_curve and {run}_{side}")
    if isinstance(common_pmse, Absent):
        return common_pmse, common_pmse
    return xr.align(one, other, join="inner")


def _size(values: Values) -> Values:
    """Return the root of the mean square over all components and times."""
    return values if isinstance(values, Absent) else np.sqrt((values**2).mean())


def _late(curve: xr.Dataset) -> xr.Dataset:
    """Return the last part of a curve."""
    return curve.sel(time=slice(float(curve.time[-1]) / LATE, None))


def _trace(curve: xr.Dataset) -> xr.DataArray:
    """Return the sum of Q_kk over the units."""
    return sum(curve.Q.isel(unit=k, other_unit=k) for k in range(curve.sizes["unit"]))


def _excess(sgd: xr.Dataset, theory: xr.Dataset) -> xr.DataArray:
    """Return the relative excess of the sum of Q_kk over the equations."""
    return _trace(sgd) / _trace(theory) - 1


def _titled(title: str, generator: xr.Dataset | None, sgd: xr.Dataset, equivalent: xr.Dataset) -> str:
    learned = {} if generator is None else generator.attrs
    trained = f", trained on {learned['trained_on']}" if "trained_on" in learned else ""
    runs = f"{sgd.sizes['seed']} runs, Gaussian equivalent {equivalent.sizes['seed']}"
    return f"{title}{trained}\n$D={int(sgd.latent_size)}$, $N={int(sgd.input_size)}$\n{runs}"


def _errors(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset, equivalent: xr.Dataset) -> None:
    axes.plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
    _marks(axes, sgd.test_pmse, TEST, "o", "SGD, on fresh inputs", 0, size=6, hollow=True)
    _marks(axes, sgd.pmse, SIMULATION, "o", "SGD", 0)
    _marks(axes, equivalent.pmse, EQUIVALENT, "x", "SGD, Gaussian equivalent", 1)
    axes.set(xscale="log", yscale="log", ylabel="pmse")
    axes.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5)))  # fewer than would be labelled next to each other
    axes.yaxis.set_minor_formatter(ScalarFormatter())
    axes.yaxis.set_major_formatter(ScalarFormatter())


def _overlaps(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset, equivalent: xr.Dataset) -> None:
    for name, (row, column, colour, marker) in OVERLAPS.items():
        for position in np.ndindex(theory.sizes[row], theory.sizes[column]):
            if name == "Q" and position[0] > position[1]:
                continue
            place = dict(zip((row, column), position, strict=True))
            axes.plot(theory.time, theory[name].isel(place), color="black", linewidth=0.8)
            first = position == (0, 0)
            _marks(axes, sgd[name].isel(place), colour, marker, f"${name}$" if first else None, 0)
            equivalent_name = f"${name}$, Gaussian equivalent" if first else None
            _marks(axes, equivalent[name].isel(place), colour, marker, equivalent_name, 1, size=4, hollow=True)
    axes.set(xscale="log", ylabel="order parameters")


def _marks(
    axes: Axes,
    samples: xr.DataArray,
    colour: str,
    marker: str,
    label: str | None,
    offset: int,
    *,
    size: float = 2.5,
    hollow: bool = False,
    standard_error: bool = False,
) -> None:
    """Draw mean over seeds with standard deviation, or standard error, at every other time from `offset` on."""
    mean, spread = samples.mean("seed"), samples.std("seed", ddof=1)
    if standard_error:
        spread = spread / np.sqrt(samples.sizes["seed"])
    every = slice(offset, None, 1 if standard_error else 2)
    axes.errorbar(
        mean.time[every],
        mean[every],
        spread[every],
        fmt=marker,
        markersize=size,
        fillstyle="none" if hollow else "full",
        markeredgewidth=0.8,
        color=colour,
        elinewidth=0.8,
        label=label,
    )

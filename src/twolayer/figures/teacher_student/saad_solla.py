"""Plateau and specialisation of a student that learns from a teacher, equations against SGD."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Check, main, pooled, relative
from twolayer.figures.curves import SIMULATION, after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE

FAMILIES = ("as_many", "more")
FINITE_SIZE = 2.0  # relative deviation of pmse of SGD from the equations, times N
LATE = 2  # number of last times, at which learning has ended
SETTLED = 0.03  # relative difference of pmse at the last times


def draw(r: Evidence) -> Figure:
    """Draw errors and overlaps with the teacher's units, of students with as many units as the teacher, and with
    more."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 4.6), sharex=True, sharey="row")
    for column, family in zip(panels.T, FAMILIES, strict=True):
        theory, sgd = (after_start(r[f"{family}_{side}"]) for side in ("curve", "sgd"))
        points(column[0], sgd.pmse, "seed", SIMULATION, f"SGD, {sgd.sizes['seed']} runs")
        column[0].plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
        column[0].set(xscale="log", yscale="log", title=_title(r, family))
        for unit in range(theory.sizes["unit"]):
            for teacher_unit in range(theory.sizes["teacher_unit"]):
                pair = {"unit": unit, "teacher_unit": teacher_unit}
                points(column[1], sgd.R.isel(pair), "seed", SIMULATION)
                column[1].plot(theory.time, theory.R.isel(pair), color="black", linewidth=0.8)
        column[1].set(xlabel="time $t$ = steps / $N$")
    panels[0, 0].set(ylabel="pmse")
    panels[1, 0].set(ylabel=r"overlaps $R_{km}$")
    panels[0, 0].legend()
    return figure


def _title(r, family):
    run = f"{family}_curve"
    units = (r.parameter(run, f"{network}.hidden_units") for network in ("student", "teacher"))
    student, teacher = units
    return f"$K={student}$, $M={teacher}$, noise {r.parameter(run, 'teacher.noise'):g}"


def checks(r: Evidence) -> Iterator[Check]:
    """Check that SGD follows the equations in error and overlaps, and that learning has ended above zero error."""
    for family in FAMILIES:
        theory, sgd = (after_start(r[f"{family}_{side}"]) for side in ("curve", "sgd"))
        title, source = _plain(r, family), "equations of motion"
        stated = FINITE_SIZE / r.parameter("isotropic", "dimension")
        agreement = pooled(
            sgd.pmse, theory.pmse, f"{title}, pmse of SGD against the equations", source=source, stated=stated
        )
        yield main(agreement) if family == FAMILIES[0] else agreement
        yield pooled(
            _specialisation(sgd.R),
            _specialisation(theory.R),
            f"{title}, specialisation of SGD against the equations",
            source=source,
            compared=THEORY,
            stated=stated,
        )
        last = theory.pmse.isel(time=[-1]).drop_vars("time")
        earlier = theory.pmse.isel(time=[-LATE]).drop_vars("time")
        yield relative(last, earlier, f"{title}, the error has settled", tolerance=SETTLED, source="the time before")


def _specialisation(R: xr.DataArray) -> xr.DataArray:
    """Return the largest minus the smallest overlap of a unit, on average over units."""
    return (R.max("teacher_unit") - R.min("teacher_unit")).mean("unit")


def _plain(r, family):
    run = f"{family}_curve"
    return f"{r.parameter(run, 'student.hidden_units')} units of {r.parameter(run, 'teacher.hidden_units')}"

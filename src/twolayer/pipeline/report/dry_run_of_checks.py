"""All checks on outlines of the results they will judge: what they misname is found before anything is computed."""

import json
import math
import warnings
from collections.abc import Iterable

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence, Source
from twolayer.pipeline.catalogue import SCALES, Catalogue, FigureEntry, Run
from twolayer.pipeline.report.check_results import judge, module_function, references

GIVEN_TOLERANCE = ("relative", "mean_relative", "reading", "at_most", "falling")  # kinds of checks


def rehearse(catalogue: Catalogue, figures: Iterable[FigureEntry] | None = None) -> None:
    """Make every check of these figures, or of all, at both presets, on results of zeros.

    Raises:
        ConfigError: a check names a run, a variable or a place that there will not be.
    """
    for figure in catalogue.figures.values() if figures is None else figures:
        for scale in SCALES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of divisions by zero
                _check_tolerances(figure, judge(figure, outline(catalogue, figure, scale)))
        for animation in figure.animations:
            module_function(figure, figure.animation_function(animation))


def _check_tolerances(figure: FigureEntry, verdicts: list[Verdict]) -> None:
    """A tolerance that is given, and not made from errors, is a number: with any other a check always ends the same."""
    for verdict in verdicts:
        if verdict.kind in GIVEN_TOLERANCE and verdict.tolerance is not None and not math.isfinite(verdict.tolerance):
            raise ConfigError(
                f"{figure.name}: the tolerance of the check {verdict.title!r} is {verdict.tolerance}: give a finite one"
            )


def outline(catalogue: Catalogue, figure: FigureEntry, scale: str) -> Evidence:
    """The evidence of a figure with results of zeros."""
    sources = {
        run.name: Source(_outline(run), run.family, run.point, json.loads(run.params))
        for run in catalogue.figure_runs(figure.name, scale)
    }
    return Evidence(scale, sources | references(figure, catalogue.root))


def _outline(run: Run) -> xr.Dataset:
    try:
        return TASKS[run.task].result.outline(run.parameters)
    except ConfigError as error:
        raise ConfigError(f"config/{run.study}.yaml: {run.name} ({run.scale} preset): {error}") from None

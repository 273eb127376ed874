"""The dry run of all checks on placeholders of results, which finds wrong names before anything is computed."""

import json
import math
import warnings
from collections.abc import Iterable

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import CheckResult
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.report.checks.check_results import judge, module_function, references
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.pipeline.studies.runs import Run

GIVEN_TOLERANCE = ("relative", "mean_relative", "reading", "at_most", "falling")  # types of checks


def dry_run(catalogue: Catalogue, figures: Iterable[FigureEntry] | None = None) -> None:
    """Compute every check of these figures, or of all, at both presets, on results of zeros.

    Raises:
        ConfigError: a check uses a run, a variable or a coordinate that will not exist.
    """
    for figure in catalogue.figures.values() if figures is None else figures:
        for preset in PRESETS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # divisions by zero
                _check_tolerances(figure, judge(figure, placeholder(catalogue, figure, preset)))
        for animation in figure.animations:
            module_function(figure, figure.animation_function(animation))


def _check_tolerances(figure: FigureEntry, outcomes: list[CheckResult]) -> None:
    """Check that a given tolerance is a finite number, because with any other value a check always has the same
    outcome.
    """
    for outcome in outcomes:
        if outcome.kind in GIVEN_TOLERANCE and outcome.tolerance is not None and not math.isfinite(outcome.tolerance):
            raise ConfigError(
                f"{figure.module}: the tolerance of the check {outcome.title!r} is {outcome.tolerance}: "
                "give a finite one"
            )


def placeholder(catalogue: Catalogue, figure: FigureEntry, preset: str) -> Evidence:
    """Return the evidence of a figure with results of zeros."""
    sources = {
        run.name: Source(_placeholder(run), run.family, run.point, json.loads(run.params))
        for run in catalogue.figure_runs(figure.name, preset)
    }
    return Evidence(preset, sources | references(figure, catalogue.root))


def _placeholder(run: Run) -> xr.Dataset:
    try:
        return TASKS[run.task].result.placeholder(run.parameters)
    except ConfigError as error:
        raise ConfigError(f"config/{run.study}.yaml: {run.name} ({run.preset} preset): {error}") from None

"""The check results of a figure: computed from its evidence, written to a file, and read from it."""

import importlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from twolayer import io
from twolayer.errors import ConfigError, ResultError
from twolayer.figures.checks import NUMERICS, at_most
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import CheckResult
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.folders import config_option
from twolayer.pipeline.report.checks.summary import Summary, main_check, needed
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.attributes import MARKS
from twolayer.storage.checksums import json_of_checksummed, json_with_checksum
from twolayer.storage.files import write_text


def open_evidence(catalogue: Catalogue, name: str, preset: str, *, strict: bool = False) -> Evidence:
    """Read the results and tables of a figure from disk.

    Args:
        strict: whether to refuse results with other parameters than the configuration.

    Raises:
        ResultError: a result is missing, or is not the expected result.
    """
    runs = catalogue.figure_runs(name, preset)
    _check_made(catalogue, name, preset)
    sources = {
        run.name: Source(
            io.read(catalogue.root / run.path, task=run.task, params=run.params if strict else None),
            run.family,
            run.point,
            json.loads(run.params),
        )
        for run in runs
    }
    return Evidence(preset, sources | references(catalogue.figure(name), catalogue.root))


def _check_made(catalogue, name, preset):
    missing = _missing(catalogue, name, preset)
    if not missing:
        return
    others = [other for other in PRESETS if not _missing(catalogue, name, other)]
    raise ResultError(
        f"{len(missing)} of {len(catalogue.figure_runs(name, preset))} results of {name} at the {preset} preset are "
        f"missing, for example {missing[0]}: make them with "
        f"`snakemake {catalogue.folders.figures(preset)}/{name}.pdf{config_option()}`"
        + "".join(f", or use the existing results of the {other} preset with `--preset {other}`" for other in others)
    )


def _missing(catalogue, name, preset):
    return [run.path for run in catalogue.figure_runs(name, preset) if not (catalogue.root / run.path).exists()]


def references(figure: FigureEntry, root: Path) -> dict[str, Source]:
    """Return the tables of published values of a figure."""
    return {
        name: Source(io.read_reference(root / entry["file"], entry["coordinates"]))
        for name, entry in figure.references.items()
    }


def module_function(figure: FigureEntry, name: str) -> Callable:
    """Return a function of the module that draws and checks a figure.

    Raises:
        ConfigError: the module or the function does not exist.
    """
    place = f"src/{figure.module.replace('.', '/')}.py"
    try:
        module = importlib.import_module(figure.module)
    except ModuleNotFoundError as error:
        if error.name and not figure.module.startswith(error.name):
            raise
        raise ConfigError(f"figure {figure.name} of config/{figure.study}.yaml has no module: write {place}") from None
    except SyntaxError as error:
        raise ConfigError(
            f"{error.filename}, line {error.lineno} is not valid Python ({error.msg}): correct it"
        ) from None
    if not hasattr(module, name):
        raise ConfigError(f"{place} has no function {name!r}: add it")
    return getattr(module, name)


@dataclass(frozen=True)
class FigureChecks:
    """The check results of a figure, and the origin of the results that were checked."""

    outcomes: list[CheckResult]
    made: Provenance


def judge(figure: FigureEntry, evidence: Evidence) -> list[CheckResult]:
    """Compute the check results of a figure.

    A run with points that did not converge has a further check, which fails, because all other checks leave out NaN.

    Raises:
        ConfigError: a check uses a run, a variable or a coordinate that does not exist.
    """
    checks = module_function(figure, "checks")
    try:
        return [check.outcome() for check in (*checks(evidence), *_unconverged(evidence))]
    except (KeyError, AttributeError, ValueError, TypeError, IndexError) as error:
        raise ConfigError(
            f"the checks of {figure.name} cannot be made ({_first_line(error)}): correct the function checks of "
            f"{figure.module}, or the runs of the figure"
        ) from error
    except ConfigError as error:
        raise ConfigError(f"{figure.place}: {error}") from None


def _unconverged(evidence):
    """Yield a check, which fails, for each run with points that did not converge."""
    for name, result in evidence.items():
        for mark in (one for one in MARKS if one in result and (result[one] == 0).any()):
            missing = 1 - result[mark].min([dim for dim in result[mark].dims if dim == "seed"])
            title = f"{name}: every point converges"
            yield at_most(missing, 0.0, title, source="the flag of the solver", compared=NUMERICS)


def _first_line(error: Exception) -> str:
    return str(error).removeprefix('"').removesuffix('"').split("\n")[0][:400]


def needed_runs(catalogue: Catalogue, name: str, preset: str, judged: list[CheckResult]) -> str:
    """Return what the main check of a figure needs to detect the goal of the preset, or nothing if it detects it."""
    main = main_check(judged)
    return needed(main, preset, catalogue.minutes(catalogue.figure_runs(name, preset))) if main else ""


def path_of(catalogue: Catalogue, name: str, preset: str) -> Path:
    """Return the file of a figure's check results."""
    return catalogue.root / catalogue.folders.results(preset) / "checks" / f"{name}.json"


def write(figure_checks: FigureChecks, path: Path) -> None:
    """Write a figure's check results to a JSON file."""
    write_text(json_with_checksum(json.dumps(asdict(figure_checks), indent=1)), path)


def read(path: Path) -> FigureChecks:
    """Read a file that `write` wrote.

    Raises:
        ResultError: it is missing, damaged, or of an earlier version.
    """
    remedy = "delete it, and make it again with `snakemake`"
    body = json_of_checksummed(io.read_bytes(path, "check file"), f"check file {path}", remedy)
    try:
        content = json.loads(body)
        made = {name: tuple(value) if isinstance(value, list) else value for name, value in content["made"].items()}
        return FigureChecks([CheckResult(**entry) for entry in content["outcomes"]], Provenance(**made))
    except (KeyError, TypeError):
        raise ResultError(f"check file {path} has another version: {remedy}") from None


def status(path: Path) -> str:
    """Return the status of a figure from the file of its check results, or "not computed"."""
    return Summary.of(read(path).outcomes).status if path.exists() else "not computed"

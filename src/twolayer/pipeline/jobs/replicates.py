"""Repetitions of the quick preset with other random numbers or as on other processors, with a summary of the checks."""

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from twolayer.errors import ConfigError
from twolayer.escaping import markdown
from twolayer.experiments import TASKS
from twolayer.figures.outcomes import FAIL, NOT_APPLICABLE, UNDECIDED, CheckResult
from twolayer.pipeline import compare
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.jobs import records
from twolayer.pipeline.jobs.records import FigureRecord, Outcome, Record
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.format import markdown_table, number
from twolayer.processor import processor
from twolayer.storage.files import write_text
from twolayer.storage.origin import git_commit

_ROUNDING = 1e-6  # relative difference that single precision can cause
_STRIDE = 1000  # difference of two shifts: seeds of one run are consecutive numbers, and two repetitions share none
_FEATURES = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
_HASWELL = "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2"


@dataclass(frozen=True)
class Repetition:
    """One repetition of the quick preset.

    Attributes:
        settings: settings of the configuration, in separate folders. environment: variables of its jobs.
        options: further options of Snakemake.
    """

    name: str
    settings: Mapping[str, int | str]
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    def path(self, variant: str | None = None) -> Path:
        """Return the path of the record, relative to the project. Records of processors are in a folder for each
        processor.

        Args:
            variant: the variant that is repeated.
        """
        shifted = "seed_shift" in self.settings
        return records.folder_of(variant) / ("" if shifted else _slug(processor())) / f"{_slug(self.name)}.jsonl"

    def repeated(self, variant: str | None) -> dict[str, int | str]:
        """Return the settings with which a variant is repeated. The name of the variant precedes the other name."""
        names = [name for name in (variant, self.settings.get("variant")) if name]
        return {**self.settings, **({"variant": "-".join(names)} if names else {})}


def _slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def shifted_seeds(count: int, first: int = 1) -> list[Repetition]:
    """Return a number of repetitions with other random numbers.

    Args:
        first: the smallest shift, in thousands.
    """
    shifts = [_STRIDE * (first + place) for place in range(count)]
    return [Repetition(f"seed {shift}", {"seed_shift": shift}) for shift in shifts]


UNCHANGED = Repetition("unchanged", {})


def processors() -> list[Repetition]:
    """Return the unchanged preset, and repetitions with the instructions of other processors, and with one and two
    threads.
    """
    variables = {
        "aten-default": {"ATEN_CPU_CAPABILITY": "default"},
        "aten-avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
        "onednn-sse41": {"ONEDNN_MAX_CPU_ISA": "SSE41"},
        "onednn-avx2": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
        "mkl-sse42": {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2"},
        "mkl-avx2": {"MKL_ENABLE_INSTRUCTIONS": "AVX2"},
        "openblas-haswell": {"OPENBLAS_CORETYPE": "Haswell"},
        "openblas-zen": {"OPENBLAS_CORETYPE": "Zen"},
        "numba-generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+sse2"},
        "numba-haswell": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": _HASWELL},
        "numpy-baseline": {"NPY_DISABLE_CPU_FEATURES": _FEATURES},
    }
    of_libraries = [Repetition(name, {"variant": name}, changed) for name, changed in variables.items()]
    of_threads = [
        Repetition(f"threads-{count}", {"variant": f"threads-{count}"}, {}, ("--set-threads", *_threads(count)))
        for count in (1, 2)
    ]
    return [UNCHANGED, *of_libraries, *of_threads]


def _threads(count):
    return [f"{task}={count}" for task in TASKS]


def check_settings(catalogue: Catalogue, given: Iterable[str]) -> None:
    """Check that the records of repetitions belong to one configuration.

    Args:
        given: names of settings that override `config/config.yaml`.

    Raises:
        ConfigError: a setting changes the results, which only a variant separates from other results.
    """
    if shift := catalogue.folders.seed_shift:
        raise ConfigError(
            f"seed_shift is {shift} in config/config.yaml or --config, and records of repetitions do not state it: "
            "set it to 0"
        )
    changed = sorted({"seed", "device"} & set(given))
    if changed and catalogue.folders.variant is None:
        raise ConfigError(
            f"--config {changed[0]} changes the results, and {records.FOLDER} has records of the unchanged "
            "configuration: also give a variant, as in `--config variant=NAME`"
        )


def make(
    repetition: Repetition, root: Path, figures: Iterable[str] = (), cores: str = "all", variant: str | None = None
) -> Record:
    """Compute the figures of a repetition that its record lacks, and add them to the record.

    Args:
        figures: names of the figures; by default all. cores: number of cores for Snakemake.
        variant: the variant that is repeated.

    Returns: the record. It lacks the figures that could not be computed.
    """
    path = root / repetition.path(variant)
    record = records.read(path)
    settings = repetition.repeated(variant)
    catalogue = Catalogue.load(root, settings)
    missing = [name for name in figures or catalogue.figures if name not in record]
    if missing:
        targets = [f"{catalogue.folders.figures('quick')}/{name}.pdf" for name in missing]
        config = ["--config", *(f"{key}={value}" for key, value in settings.items())] if settings else []
        command = ["snakemake", "--cores", cores, *repetition.options, *config, "--", *targets]
        subprocess.run(command, cwd=root, env=os.environ | repetition.environment)
        unchanged = None if "seed_shift" in settings else Catalogue.load(root, UNCHANGED.repeated(variant))
        record |= _recorded(catalogue, unchanged, missing)
        records.write(record, path)
    return record


def _recorded(catalogue, unchanged, figures):
    """Return the records of those figures that exist, with differences from the unchanged results if they are given."""
    made = {"commit": git_commit(), "processor": processor()}
    return {
        name: FigureRecord(
            figure=name,
            checks=tuple(Outcome.of(outcome) for outcome in judged if outcome.status != NOT_APPLICABLE),
            differences={} if unchanged is None else _differences(unchanged, catalogue, name),
            **made,
        )
        for name, judged in judged_checks(catalogue).items()
        if name in figures
    }


def judged_checks(catalogue: Catalogue) -> dict[str, list[CheckResult]]:
    """Read the check results of all existing figures."""
    paths = {name: check_results.path_of(catalogue, name, "quick") for name in catalogue.figures}
    return {name: check_results.read(path).outcomes for name, path in paths.items() if path.exists()}


def _differences(unchanged, catalogue, figure):
    """Return the differences of a figure's results from the unchanged results of this machine."""
    found = {}
    for one, other in zip(unchanged.figure_runs(figure, "quick"), catalogue.figure_runs(figure, "quick"), strict=True):
        paths = [catalogue.root / run.path for run in (one, other)]
        if differences := compare.compare(*paths) if all(path.exists() for path in paths) else []:
            largest = (max(filter(None, column), default=None) for column in _sizes(differences))
            found[f"{one.study}/{one.name}"] = tuple(None if size is None else float(f"{size:.2g}") for size in largest)
    return found


def _sizes(differences):
    return [d.relative for d in differences], [d.errors for d in differences]


def read_all(folder: Path) -> dict[str, Record]:
    """Return the records in a folder, by the names of their files."""
    paths = sorted(folder.glob("*.jsonl"), key=lambda path: (len(path.stem), path.stem))
    return {path.stem: records.read(path) for path in paths}


def failures(record: Record) -> list[str]:
    """Return the failed checks of a record, with their figures."""
    return [f"{name}: {check.title}" for name, one in record.items() for check in one.checks if check.status == FAIL]


def table_of_checks(repetitions: Mapping[str, Record]) -> str:
    """Return tables in Markdown: failures of each check, used parts of its limit, and whether chance explains them.

    Args:
        repetitions: records, by the names of the repetitions.
    """
    found = defaultdict(list)
    for record in repetitions.values():
        for figure, one in record.items():
            for check in one.checks:
                found[figure, check.title].append(check)
    head = (
        "figure | check | kind | repetitions | failed | undecided | limit used, median | largest "
        "| probability by chance, median | smallest"
    )
    rows = [
        [figure, markdown(title), checks[0].kind, *_counts(checks), *_spread(checks)]
        for (figure, title), checks in sorted(found.items(), key=lambda entry: _severity(entry[1]), reverse=True)
    ]
    return "\n".join([*_made(repetitions), "", *_calibration(found.values()), "", *markdown_table(head, rows), ""])


def _counts(checks):
    """Return how many checks there are, how many fail and how many are undecided."""
    return len(checks), *(_count(checks, status) for status in (FAIL, UNDECIDED))


def _spread(checks):
    """Return the median and the largest used part of the limits, and the median and the smallest probability."""
    for numbers, extreme in (
        ([one.used for one in checks if one.used is not None], max),
        (_probabilities(checks), min),
    ):
        yield from (number(of(numbers), 2) if numbers else "" for of in (median, extreme))


def _made(repetitions):
    """Return a table of the repetitions, with their programs and machines."""
    head = "repetition | figures | checks | failed | undecided | commits | processors"
    rows = []
    for name, record in repetitions.items():
        counts = _counts([check for one in record.values() for check in one.checks])
        rows.append([name, len(record), *counts, *(markdown(_named(record, key)) for key in ("commit", "processor"))])
    return markdown_table(head, rows)


def _named(record, key):
    """Return the commits or the processors of a record."""
    return ", ".join(sorted({getattr(one, key) for one in record.values()}))


def _count(checks, status):
    return sum(check.status == status for check in checks)


def _severity(checks):
    """Return the order of checks: failed ones first, then undecided ones, then by the used part of their limits."""
    return (*(_count(checks, status) for status in (FAIL, UNDECIDED)), max(check.used or 0.0 for check in checks))


_LEVELS = (0.5, 0.1, 0.01, 0.001)


def _calibration(found):
    """Yield how often the probability by chance is below some levels, for each type of check that computes it."""
    kinds = defaultdict(list)
    for checks in found:
        kinds[checks[0].kind] += _probabilities(checks)
    yield "Fraction of checks whose probability by chance is below a level. If all is right, the fraction is the level,"
    yield "or is smaller for checks of several points or with a systematic error."
    yield ""
    rows = [
        [kind, len(chances), *(number(sum(one < level for one in chances) / len(chances), 2) for level in _LEVELS)]
        for kind, chances in kinds.items()
        if chances
    ]
    yield from markdown_table(" | ".join(["kind", "checks", *(f"below {level:g}" for level in _LEVELS)]), rows)


def _probabilities(checks):
    return [check.probability for check in checks if check.probability is not None]


def tables_of_processors(folder: Path) -> str:
    """Return tables in Markdown: the differences of all repetitions, for each processor with repetitions."""
    sections = []
    for place in sorted(place for place in folder.glob("*") if place.is_dir()):
        repetitions = read_all(place)
        names = sorted({_named(record, "processor") for record in repetitions.values()})
        sections.append(f"## {markdown(', '.join(names))}\n\n{table_of_differences(repetitions)}")
    return "\n".join(sections)


def table_of_differences(repetitions: Mapping[str, Record]) -> str:
    """Return tables in Markdown: differences of results from the results of the preset, and checks that change.

    Args:
        repetitions: records of one processor, by the names of the repetitions.
    """
    before = _statuses(repetitions.get(UNCHANGED.name, {}))
    largest, rows = defaultdict(list), []
    for name, record in repetitions.items():
        if name == UNCHANGED.name:
            continue
        differences = {result: sizes for one in record.values() for result, sizes in one.differences.items()}
        for result, (relative, errors) in differences.items():
            if relative is not None and relative > _ROUNDING:
                largest[result].append((relative, errors or 0.0, name))
        changed = [
            f"{figure}: {title} ({before[figure, title]}, {status})"
            for (figure, title), status in _statuses(record).items()
            if before.get((figure, title), status) != status
        ]
        columns = zip(*differences.values(), strict=True) if differences else ((), ())
        cells = [str(len(differences)), *(number(max(filter(None, part), default=0.0), 2) for part in columns)]
        rows.append([name, *cells, markdown("; ".join(changed)) or "none"])
    affected = []
    for result, found in sorted(largest.items(), key=lambda entry: max(entry[1]), reverse=True):
        relative, errors, names = zip(*found, strict=True)
        affected.append([result, number(max(relative), 2), number(max(errors), 2), ", ".join(names)])
    sizes = "largest relative difference | in standard errors"
    lines = [
        *_made(repetitions),
        "",
        *markdown_table(f"setting | results that differ | {sizes} | checks that change", rows),
        "",
        f"Results that differ by more than {_ROUNDING:g} of their largest value:",
        "",
        *markdown_table(f"result | {sizes} | settings", affected),
    ]
    return "\n".join([*lines, ""])


def _statuses(record):
    """Return the status of each check, by figure and title."""
    return {(figure, check.title): check.status for figure, one in record.items() for check in one.checks}


def write(text: str, title: str, command: str, folder: Path, path: Path) -> None:
    """Write a table of the records in a folder to a page."""
    head = (
        f"# {title}\n\n`{command}` writes this page from the records in `{folder}`. A row of the first table "
        "states the commit of its results. Names of\nfigures, checks and results are the names at that commit.\n\n"
    )
    write_text(head + text, path)

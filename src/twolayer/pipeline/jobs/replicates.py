"""Repeat the quick preset with other random numbers, or as other processors compute, and sum up its checks."""

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from twolayer import io
from twolayer.escaping import markdown
from twolayer.experiments import TASKS
from twolayer.figures.checks import FAIL, NOT_APPLICABLE, UNDECIDED, CheckResult
from twolayer.pipeline import compare
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report import check_results
from twolayer.pipeline.report.format import number
from twolayer.pipeline.report.summary import used

_STRIDE = 1000  # between two shifts: seeds of one run are consecutive numbers, and two repetitions share none
_FEATURES = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
_HASWELL = "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2"


@dataclass(frozen=True)
class Repetition:
    """One more run of the quick preset.

    Attributes:
        settings: of the configuration, in folders of their own. environment: variables of its jobs.
        options: further options of Snakemake.
    """

    name: str
    settings: Mapping[str, int | str]
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def shifted_seeds(count: int) -> list[Repetition]:
    """So many repetitions with other random numbers."""
    shifts = [_STRIDE * (place + 1) for place in range(count)]
    return [Repetition(f"seed {shift}", {"seed_shift": shift}) for shift in shifts]


def processors() -> list[Repetition]:
    """Repetitions in which the libraries compute as they do on other processors, and with one and two threads."""
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
    return of_libraries + of_threads


def _threads(count):
    return [f"{task}={count}" for task in TASKS]


def make(repetition: Repetition, root: Path) -> int:
    """Make the quick preset once more; what is finished stays.

    Returns: Snakemake's exit status.
    """
    settings = [f"{key}={value}" for key, value in repetition.settings.items()]
    command = ["snakemake", *repetition.options, "--config", *settings, "--", "quick"]
    return subprocess.run(command, cwd=root, env=os.environ | repetition.environment).returncode


def judged(repetition: Repetition, root: Path) -> dict[str, list[CheckResult]]:
    """The checks of all figures of a repetition that have been made."""
    return judged_checks(_catalogue(repetition, root))


def _catalogue(repetition, root):
    return Catalogue.load(root, repetition.settings, environment={})


def judged_checks(catalogue: Catalogue) -> dict[str, list[CheckResult]]:
    """Read the checks of each figure that the quick preset of a repetition has made."""
    paths = {name: check_results.path_of(catalogue, name, "quick") for name in catalogue.figures}
    return {name: check_results.read(path).outcomes for name, path in paths.items() if path.exists()}


def table_of_checks(repetitions: Iterable[Repetition], root: Path) -> str:
    """Tables in Markdown: how often each check failed, how much of its limit it used, whether chance explains it."""
    found = defaultdict(list)
    names = []
    for repetition in repetitions:
        names.append(repetition.name)
        for figure, checks in judged(repetition, root).items():
            for check in checks:
                if check.status != NOT_APPLICABLE:
                    found[figure, check.title].append(check)
    lines = [
        f"Repetitions: {', '.join(names)}.",
        "",
        *_calibration(found.values()),
        "",
        "| figure | check | kind | repetitions | failed | undecided | limit used, median | largest "
        "| probability by chance, median | smallest |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (figure, title), checks in found.items():
        parts = [part for part in map(used, checks) if part is not None]
        chances = _probabilities(checks)
        counts = [len(checks), *(sum(check.status == status for check in checks) for status in (FAIL, UNDECIDED))]
        shares = [number(median(parts), 2), number(max(parts), 2)] if parts else ["", ""]
        shares += [number(median(chances), 2), number(min(chances), 2)] if chances else ["", ""]
        lines.append(f"| {' | '.join([figure, markdown(title), checks[0].kind, *map(str, counts), *shares])} |")
    return "\n".join([*lines, ""])


_LEVELS = (0.5, 0.1, 0.01, 0.001)


def _calibration(found):
    """How often the probability by chance falls below some levels, for each kind of check that states one."""
    kinds = defaultdict(list)
    for checks in found:
        kinds[checks[0].kind] += _probabilities(checks)
    yield "Fraction of checks whose probability by chance is below a level. If all is right, the fraction is the level,"
    yield "or less for checks of several points or with a systematic error."
    yield ""
    yield f"| kind | checks | {' | '.join(f'below {level:g}' for level in _LEVELS)} |"
    yield "|---|---|" + "---|" * len(_LEVELS)
    for kind, chances in kinds.items():
        if chances:
            shares = [sum(chance < level for chance in chances) / len(chances) for level in _LEVELS]
            yield f"| {kind} | {len(chances)} | {' | '.join(number(share, 2) for share in shares)} |"


def _probabilities(checks):
    return [check.probability for check in checks if check.probability is not None]


def table_of_differences(repetitions: Iterable[Repetition], root: Path) -> str:
    """A table in Markdown: by how much results differ from those of this processor, and which checks change."""
    lines = [
        "| setting | results that differ | largest relative difference | in standard errors | checks that change |",
        "|---|---|---|---|---|",
    ]
    here = _catalogue(Repetition("", {}), root)
    before = _statuses(judged_checks(here))
    for repetition in repetitions:
        there = _catalogue(repetition, root)
        differences = compare.compare(root / here.folders.results("quick"), root / there.folders.results("quick"))
        relative = [d.relative for d in differences if d.relative is not None]
        errors = [d.errors for d in differences if d.errors is not None]
        changed = [
            f"{figure}: {title} ({before[figure, title]}, {status})"
            for (figure, title), status in _statuses(judged_checks(there)).items()
            if before.get((figure, title), status) != status
        ]
        cells = [
            str(len({d.result for d in differences})),
            *(number(max(part, default=0.0), 2) for part in (relative, errors)),
        ]
        lines.append(f"| {' | '.join([repetition.name, *cells, markdown('; '.join(changed)) or 'none'])} |")
    return "\n".join([*lines, ""])


def _statuses(judged):
    """Status of each check, by figure and title."""
    return {(figure, check.title): check.status for figure, checks in judged.items() for check in checks}


def write(text: str, title: str, command: str, path: Path) -> None:
    """Write a table to a page of the documentation."""
    io.write_text(f"# {title}\n\n`{command}` writes this page.\n\n{text}", path)

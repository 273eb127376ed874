"""Reports on figures that fail: failed checks, possible causes, and the next commands."""

from collections.abc import Iterator
from dataclasses import dataclass

from twolayer.escaping import markdown
from twolayer.experiments import TASKS
from twolayer.figures.checks import NUMERICS, ORDERINGS, PUBLISHED, THEORY
from twolayer.figures.outcomes import FAIL, CheckResult
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import Folders, config_option
from twolayer.pipeline.report.checks.check_table import line
from twolayer.pipeline.report.checks.summary import UNCHECKED, Summary
from twolayer.pipeline.report.format import number

_BY_CHANCE = ("z_score", "pooled")  # kinds of checks
_OTHER_SEEDS = 1000  # larger than the seeds of a run


@dataclass(frozen=True)
class FailureReport:
    """Report on a figure that does not pass.

    Attributes:
        fails: a line for each check that fails; the reason if the figure has no applicable check.
        causes: sentences on possible causes.
        commands: command -> its purpose, in the order in which to run them.
    """

    figure: str
    status: str
    fails: tuple[str, ...]
    causes: tuple[str, ...]
    commands: dict[str, str]

    def lines(self, indent: str = "") -> Iterator[str]:
        """Yield the lines for a terminal, without the name of the figure."""
        for text in self.fails:
            yield f"{indent}fails: {text}"
        for text in self.causes:
            yield f"{indent}possible cause: {text}"
        for command, effect in self.commands.items():
            yield f"{indent}next: {command} ({effect})"

    def markdown(self) -> list[str]:
        """Return the Markdown for a page: a list of failed checks, possible causes, and the commands."""
        commands = ", ".join(f"`{command}` ({effect})" for command, effect in self.commands.items())
        return [
            *(f"- Fails: {markdown(text)}" for text in self.fails),
            "",
            f"Possible cause: {markdown(' '.join(self.causes))} Next: {commands}.",
            "",
        ]


def failure_report(
    catalogue: Catalogue, name: str, preset: str, outcomes: list[CheckResult], *, brief: bool | None = None
) -> FailureReport | None:
    """Return the report on a figure, or None if it passes or is undecided.

    Args:
        outcomes: the check results of the figure.
        brief: whether a generator behind the figure was trained for a shorter time than the authors' one. By default
            it follows from the settings of the catalogue.
    """
    status = Summary.of(outcomes).status
    if status not in (FAIL, UNCHECKED):
        return None
    runs = catalogue.upstream(catalogue.figure_runs(name, preset))
    if brief is None:
        brief = any(run.unabridged for run in runs)
    failed = [outcome for outcome in outcomes if outcome.status == FAIL]
    trained = any(TASKS[run.task].training for run in runs)
    fails = tuple(map(_what, failed)) or ("none of its checks applies at these parameters",)
    causes = tuple(_causes(failed, preset, trained, brief)) if failed else ("The parameters differ from the paper's.",)
    return FailureReport(name, status, fails, causes, dict(_commands(catalogue, name, preset, failed, brief)))


def _what(outcome: CheckResult) -> str:
    return line(outcome).removeprefix(f"{FAIL}: ")


def _causes(failed: list[CheckResult], preset: str, trained: bool, brief: bool) -> Iterator[str]:
    compared = {outcome.compared for outcome in failed}
    chances = [outcome.probability for outcome in failed if outcome.kind in _BY_CHANCE and outcome.probability]
    if brief:
        yield "Generators of images were trained for a shorter time than the authors' ones."
    elif trained:
        yield "Trainings differ between processors, versions of the libraries and copies of the images."
    if chances:
        yield f"Chance gives such a deviation with a probability of {number(max(chances), 2)}."
    if preset == "quick" and compared & {PUBLISHED, ORDERINGS, THEORY}:
        yield "The quick preset has smaller sizes and fewer runs than the paper preset."
    if preset == "paper" and compared & {PUBLISHED, ORDERINGS}:
        yield "The published curve comes from other random numbers, or from parameters that the paper does not state."
    if compared == {NUMERICS} and not (brief or trained or chances):
        yield "A parameter, the program or a version of a library has changed since the check passed."


def _commands(
    catalogue: Catalogue, name: str, preset: str, failed: list[CheckResult], brief: bool
) -> Iterator[tuple[str, str]]:
    yield f"twolayer check {name} --preset {preset}{config_option()}", "lists all checks"
    if any(outcome.kind in _BY_CHANCE for outcome in failed) and not brief:
        folder = Folders(catalogue.folders.variant, _OTHER_SEEDS).figures(preset)
        yield (
            f"snakemake {folder}/{name}.pdf{config_option(seed_shift=_OTHER_SEEDS)}",
            "repeats the figure with other random numbers",
        )
    if preset == "quick":
        command = f"snakemake {catalogue.folders.figures('paper')}/{name}.pdf{config_option()}"
        yield command, "makes it with the paper's parameters"

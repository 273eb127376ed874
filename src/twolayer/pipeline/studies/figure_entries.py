"""The figures of a study, with the runs and reference tables that they read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twolayer.errors import ConfigError, known, shown
from twolayer.pipeline.project import PRESETS, project_file
from twolayer.pipeline.studies.runs import Key, Run


@dataclass(frozen=True)
class FigureEntry:
    """A figure of a study. The module of its name in `twolayer.figures.<study>` draws and checks it.

    Attributes:
        paper_figure: the figure's name in the paper.
        claim: claim of the paper. finding: our result. Both are optional.
        runs: preset -> names of the runs that it reads.
        references: name -> the table (CSV) of published values, and the columns that are coordinates.
        animations: names of its animations.
        papers: keys in docs/references.bib of the papers of its study.
    """

    name: str
    study: str
    paper_figure: str
    title: str
    runs: Mapping[str, tuple[str, ...]]
    references: Mapping[str, Mapping]
    animations: tuple[str, ...]
    claim: str = ""
    finding: str = ""
    papers: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Its entry in the configuration."""
        return f"config/{self.study}.yaml: figures.{self.name}"

    @property
    def module(self) -> str:
        """The module that draws and checks it."""
        return f"twolayer.figures.{self.study}.{self.name}"

    def animation_function(self, animation: str) -> str:
        """Return the function of that module that draws an animation.

        It is `animation` for fig6, and `scatter_animation` for fig21-scatter.
        """
        return f"{animation.removeprefix(self.name)}-animation".strip("-").replace("-", "_")


def figure_entry(
    name: str,
    entry: Mapping[str, Any],
    study: str,
    papers: Sequence[str],
    root: Path,
    families: Mapping[Key, tuple[str, ...]],
    runs: Mapping[Key, Run],
) -> FigureEntry:
    """Return a figure of a study from its entry in the configuration.

    Args:
        papers: keys of the papers of the study. root: folder of the project.
        families: names of the runs of each family. runs: all runs.

    Raises:
        ConfigError: a run is unknown, or a reference table is missing or outside the project.
    """
    place = f"config/{study}.yaml: {name}"
    members = _runs_read(entry, study, families, runs, place)
    return FigureEntry(
        name=name,
        study=study,
        paper_figure=entry["paper_figure"],
        title=entry["title"],
        runs=_selected(members, entry, study, runs, place),
        references=_references(
            entry, {run for found in members.values() for names in found for run in names}, root, place
        ),
        animations=tuple(entry.get("animations", ())),
        claim=entry.get("claim", ""),
        finding=entry.get("finding", ""),
        papers=tuple(papers),
    )


def _runs_read(entry, study, families, runs, place):
    """Return preset -> the runs for each name in a figure."""
    members = {preset: [_members(preset, study, run, families, runs) for run in entry["runs"]] for preset in PRESETS}
    for run, found in zip(entry["runs"], members[PRESETS[0]], strict=True):
        if not found:
            names = known((family for at, other, family in families if (at, other) == (PRESETS[0], study)), run)
            raise ConfigError(f"{place}: unknown run {shown(run)}: config/{study}.yaml has {names}")
    return members


def _selected(members, entry, study, runs, place):
    """Return preset -> the runs that a figure reads, which `batch_sizes` selects at the paper preset."""
    if "batch_sizes" in entry:
        wanted = entry["batch_sizes"]
        members = {
            **members,
            "paper": [_of_batch_sizes(names, wanted, study, runs, place) for names in members["paper"]],
        }
    return {preset: tuple(run for found in members[preset] for run in found) for preset in PRESETS}


def _references(entry, read, root, place):
    """Return name -> reference table of a figure, after checking its name and its file.

    Args:
        read: names of the runs of the figure.
    """
    references = entry.get("references", {})
    for key, reference in references.items():
        if key in read:
            raise ConfigError(f"{place}: reference {key!r} has the name of a run of the figure: rename it")
        path = Path(reference["file"])
        if path.is_absolute() or ".." in path.parts:
            raise ConfigError(
                f"{place}: reference {key!r} is {shown(reference['file'])}, which is outside the project: "
                "copy it into workflow/resources/reference"
            )
        if not (root / project_file(root, str(path))).is_file():
            raise ConfigError(
                f"{place}: reference {key!r} is {shown(reference['file'])}, which is missing: restore it, or correct "
                "the name"
            )
    return {key: {**reference, "file": project_file(root, reference["file"])} for key, reference in references.items()}


def _of_batch_sizes(names, wanted, study, runs, place):
    """Those runs of a family at the paper preset that have one of these batch sizes; all if the family has one size."""
    there = {name: runs["paper", study, name].point.get("batch_size") for name in names}
    if None in there.values():
        return names
    if missing := sorted(set(wanted) - set(there.values())):
        family = runs["paper", study, names[0]].family
        raise ConfigError(
            f"{place}: batch_sizes has {missing[0]}, which is not in the grid of {family}: "
            f"choose from {', '.join(map(str, sorted(there.values())))}"
        )
    return tuple(name for name, size in there.items() if size in wanted)


def _members(preset, study, name, families, runs):
    """Return the runs for a name in a figure: the runs of a family, or a single run of that preset."""
    single = (name,) if (preset, study, name) in runs else ()
    return families.get((preset, study, name), single)


def check_animations(figures: Iterable[FigureEntry]) -> None:
    """Check the names of all animations.

    Raises:
        ConfigError: two figures have one animation, or its name does not begin with the name of the figure.
    """
    owners = {}
    for figure in figures:
        for animation in figure.animations:
            if animation in owners:
                raise ConfigError(
                    f"config/{figure.study}.yaml: {figure.name}: the animation {animation!r} also belongs to "
                    f"{owners[animation]}: rename one of them"
                )
            if not animation.startswith(figure.name):
                raise ConfigError(
                    f"config/{figure.study}.yaml: {figure.name}: the name of the animation {animation!r} must be "
                    f"{figure.name!r}, or begin with it"
                )
            owners[animation] = figure.name

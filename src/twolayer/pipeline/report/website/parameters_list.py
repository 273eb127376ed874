"""The parameters of a figure's runs as text, and its part of the configuration."""

import json
from collections.abc import Iterable
from typing import Any

import yaml

from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.configuration import read_text
from twolayer.pipeline.figure_info import leaves
from twolayer.pipeline.project import configuration_folder
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.pipeline.studies.runs import Run

_LONGEST = 6  # largest number of values of a list that is shown completely


def parameters_list(catalogue: Catalogue, name: str, preset: str) -> list[str]:
    """Return the parameters of all runs of a figure, in Markdown: one item for each entry of the configuration.

    Parameters that all entries share come first. A parameter that differs between the runs of an entry has all its
    values. A parameter without a value is left out.
    """
    families: dict[str, list[Run]] = {}
    for run in catalogue.figure_runs(name, preset):
        families.setdefault(run.family, []).append(run)
    values = {family: _values(runs) for family, runs in families.items()}
    first, *others = values.values()
    shared = {pair for pair in first.items() if all(pair in other.items() for other in others)} if others else set()
    lines = [f"- All entries: {_listed(pair for pair in first.items() if pair in shared)}"] if shared else []
    for family, runs in families.items():
        number = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        listed = _listed(pair for pair in values[family].items() if pair not in shared)
        lines.append(f"- **{markdown(family)}** (task {markdown(runs[0].task)}, {number}): {listed or 'as above'}")
    return lines


def _listed(pairs: Iterable[tuple[str, str]]) -> str:
    return markdown("; ".join(f"{key}: {value}" for key, value in pairs))


def _values(runs: list[Run]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for run in runs:
        for key, value in leaves(json.loads(run.params)):
            if value not in (None, [], {}):
                found.setdefault(key, []).append(_shown(value))
    return {key: " or ".join(dict.fromkeys(shown)) for key, shown in found.items()}


def _shown(value: Any) -> str:
    if isinstance(value, list):
        if len(value) > _LONGEST:
            return f"{_shown(value[0])} to {_shown(value[-1])} ({len(value)} values)"
        return ", ".join(_shown(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def configuration(catalogue: Catalogue, figure: FigureEntry) -> str:
    """Return the part of a study's configuration file that defines a figure and its runs, without changes."""
    text = read_text(configuration_folder(catalogue.root), f"config/{figure.study}.yaml")
    lines = text.splitlines()
    families = {run.family for preset in figure.runs for run in catalogue.figure_runs(figure.name, preset)}
    wanted = {"runs": families, "figures": {figure.name}}
    parts = [f"# Part of config/{figure.study}.yaml. An alias (*name) may refer to an entry that is not repeated here."]
    for key, content in yaml.compose(text, yaml.SafeLoader).value:
        if key.value == "shared":
            parts += ["", *lines[key.start_mark.line : _end(content)]]
        elif key.value in wanted:
            parts += ["", f"{key.value}:"]
            for name, entry in content.value:
                if name.value in wanted[key.value]:
                    parts += lines[name.start_mark.line : _end(entry)]
    return "\n".join([*parts, ""])


def _end(node: yaml.Node) -> int:
    """Return the line after an entry. A block ends at the start of a later line; a value in one line ends in that
    line."""
    return node.end_mark.line + (node.end_mark.column > 0)

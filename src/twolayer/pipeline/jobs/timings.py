"""Measured costs of runs, for the configuration: `minutes` and `mem_mb` of `config/<study>.yaml` from the results.

A result contains its time and, if it had a separate process, the peak memory of this process. Only numbers of the files
change, so that their comments and their order are kept.
"""

import json
import math
import re
from collections.abc import Mapping

from twolayer import io
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.configuration import parsed, validate
from twolayer.pipeline.project import configuration_folder
from twolayer.storage.files import write_text

_LEAST = 0.01  # smallest number of minutes
_STEP = 50  # megabytes to which memory is rounded up


def write(catalogue: Catalogue) -> list[str]:
    """Update the configuration from the existing results.

    `mem_mb` applies to both presets: without results of the paper preset, it is only raised.

    Returns: the changes, one in each line.

    Raises:
        ConfigError: the schema does not accept a value of a result; that file is not changed.
    """
    changes = []
    for study in catalogue.studies:
        path = configuration_folder(catalogue.root) / "config" / f"{study}.yaml"
        before = path.read_text(encoding="utf-8")
        after = before
        for family, costs in _costs(catalogue, study).items():
            after = _with(after, family, costs)
        changed = zip(before.splitlines(), after.splitlines(), strict=True)
        changes += [f"config/{study}.yaml: {old.strip()} -> {new.strip()}" for old, new in changed if old != new]
        if after != before:
            place = f"config/{study}.yaml"
            validate(parsed(after, place), catalogue.root, "study", place)
            write_text(after, path)
    return changes


def _costs(catalogue, study):
    """Return family of runs -> preset -> (minutes, megabytes) of its most expensive run."""
    costs = {}
    for run in catalogue.runs.values():
        path = catalogue.root / run.path
        if run.study == study and path.exists() and not run.stands_in:
            made = io.read(path, task=run.task).attrs
            if json.loads(made["params"]) != json.loads(run.params):
                continue
            known = costs.setdefault(run.family, {}).setdefault(run.preset, (0.0, 0.0))
            # a run that takes longer than its CPU time has waited for a core
            seconds = min(made["wall_time_s"], made.get("cpu_time_s", math.inf))
            measured = seconds / 60, made.get("peak_memory_mb", 0.0)
            costs[run.family][run.preset] = tuple(max(pair) for pair in zip(known, measured, strict=True))
    return costs


def _with(text: str, family: str, costs: Mapping[str, tuple[float, float]]) -> str:
    """Return the text of the file with the costs of a family."""
    runs, figures = re.search(r"^runs:$", text, re.M), re.search(r"^figures:$", text, re.M)
    begin, end = runs.end(), figures.start() if figures and figures.start() > runs.end() else len(text)
    block = re.compile(rf"^  {re.escape(family)}:(?: &\w+)?\n(?:    .*\n|\n|  #.*\n)*", re.M)
    return text[:begin] + block.sub(lambda found: _block(found[0], costs), text[begin:end], count=1) + text[end:]


def _block(text, costs):
    for preset, (minutes, _) in costs.items():
        stated = f"{max(minutes, _LEAST):.2g}"
        text = re.sub(rf"(^    minutes:[^}}]*?\b{preset}: )[\d.e+-]+", rf"\g<1>{float(stated):g}", text, flags=re.M)
    peak = math.ceil(max(memory for _, memory in costs.values()) / _STEP) * _STEP
    largest = costs.get(PRESETS[0], (0.0, 0.0))[1] > 0  # the preset whose memory applies to both

    def memory(found):
        return f"{found[1]}{peak if largest else max(peak, int(found[2]))}"

    return re.sub(r"(^    mem_mb: )(\d+)", memory, text, flags=re.M)

"""The reductions of a figure's runs compared with the paper's runs, as text."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from twolayer.parameters import to_json
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.figure_info import leaves

_MOST = 4  # number of listed parameters, in the order of their reduction


def reduced(catalogue: Catalogue, name: str, preset: str) -> str:
    """Return the reductions of a figure's runs for its caption, or an empty text if there are none.

    At the paper preset these are trainings of generators that are shorter than the authors'.
    """
    if preset == "quick":
        study = catalogue.figure(name).study
        paper = {
            (run.family, *run.point.items()): run.parameters
            for (at, of, _), run in catalogue.runs.items()
            if (at, of) == ("paper", study)
        }
        runs = [(run, paper.get((run.family, *run.point.items()))) for run in catalogue.figure_runs(name, "quick")]
        what, whose = "quick preset", "the paper's"
    else:
        runs = [(run, run.unabridged) for run in catalogue.upstream(catalogue.figure_runs(name, preset))]
        what, whose = "", "for a full training"
        if any(whole for _, whole in runs):
            what = "generators trained for a short time"
    found: dict[str, list[tuple[float, float]]] = {}
    for run, whole in runs:
        for key, here, there in _smaller(run.parameters, whole) if whole else ():
            found.setdefault(key, []).append((here, there))
    most = sorted(found, key=lambda key: min(here / there for here, there in found[key]))[:_MOST]
    words = [
        f"{key.replace('_', ' ')} {_range(h for h, _ in found[key])} ({_range(t for _, t in found[key])})"
        for key in most
    ]
    return what + (f", in brackets {whose}: {', '.join(words)}" if words else "")


def _smaller(parameters: Any, whole: Any) -> Iterator[tuple[str, float, float]]:
    """Yield the numerical parameters that are smaller than in the full run."""
    there = dict(leaves(json.loads(to_json(whole))))
    for key, here in leaves(json.loads(to_json(parameters))):
        if isinstance(here, int | float) and isinstance(there.get(key), int | float) and 0 < here < there[key]:
            yield key.rpartition(".")[2], here, there[key]


def _range(numbers: Iterable[float]) -> str:
    numbers = sorted(numbers)
    return "–".join(f"{number:g}" for number in dict.fromkeys((numbers[0], numbers[-1])))

"""What the quick scale of a figure leaves out, in words."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from twolayer.pipeline.catalogue import Catalogue, Run

_MOST = 4  # parameters that are named, those that differ most


def reduced(catalogue: Catalogue, name: str) -> str:
    """In what the quick runs of a figure are smaller than the paper's, for its caption."""
    paper = {(run.family, *run.point.items()): run for run in catalogue.figure_runs(name, "paper")}
    found: dict[str, list[tuple[float, float]]] = {}
    for run in catalogue.figure_runs(name, "quick"):
        if original := paper.get((run.family, *run.point.items())):
            for key, here, there in _smaller(run, original):
                found.setdefault(key, []).append((here, there))
    most = sorted(found, key=lambda key: min(here / there for here, there in found[key]))[:_MOST]
    words = [
        f"{key.replace('_', ' ')} {_range(h for h, _ in found[key])} ({_range(t for _, t in found[key])})"
        for key in most
    ]
    return "quick scale" + (f", in brackets the paper's: {', '.join(words)}" if words else "")


def _smaller(run: Run, original: Run) -> Iterator[tuple[str, float, float]]:
    """The parameters that are numbers, and smaller than in the original."""
    there = dict(_leaves(json.loads(original.params)))
    for key, here in _leaves(json.loads(run.params)):
        if isinstance(here, int | float) and isinstance(there.get(key), int | float) and 0 < here < there[key]:
            yield key[-1], here, there[key]


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    else:
        yield path, value


def _range(numbers: Iterable[float]) -> str:
    numbers = sorted(numbers)
    return "–".join(f"{number:g}" for number in dict.fromkeys((numbers[0], numbers[-1])))

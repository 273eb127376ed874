"""Curves and check results of the gallery, with which tests compare the texts of the project."""

import csv
import io
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from small_project import ROOT

GALLERY = ROOT / "docs" / "gallery"
PERCENT = 100


@dataclass(frozen=True)
class Curve:
    """A curve: its panel, its number in the figure, its label, its points and the lower ends of its error bars."""

    panel: str
    number: int
    label: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray

    def at(self, x: float) -> float:
        """The value at a point of the curve."""
        place = int(np.argmin(abs(self.x - x)))
        assert abs(self.x[place] - x) <= 1e-3 * max(1, abs(x)), f"{self.label}: no point {x}"
        return float(self.y[place])

    def between(self, first: float, last: float) -> np.ndarray:
        """The values at the points of an interval."""
        return self.y[(self.x >= first) & (self.x <= last)]


@cache
def curves(figure: str, preset: str = "paper") -> tuple[Curve, ...]:
    """The curves of a figure with numbers as coordinates."""
    with ZipFile(_folder(preset) / f"{figure}.curves.zip") as file:
        text = file.read(f"{figure}-{preset}.csv").decode("utf-8")
    rows: dict[tuple, list] = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault((row["panel"], int(row["curve"]), " ".join(row["label"].split())), []).append(row)
    return tuple(
        Curve(*key, *(np.array([_number(row.get(name)) for row in points]) for name in ("x", "y", "low")))
        for key, points in rows.items()
    )


def _folder(preset: str) -> Path:
    return GALLERY if preset == "paper" else GALLERY / preset


def _number(text: str | None) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("nan")


def curve(figure: str, panel: str, label: str, place: int = 0) -> Curve:
    """The curve of a panel whose label contains a text: the first one, or the one at a place among them."""
    found = [one for one in curves(figure) if one.panel == panel and label in one.label]
    assert found, f"{figure}, panel {panel}: no curve {label}"
    return found[place]


@cache
def outcomes(figure: str, preset: str = "paper") -> tuple[dict, ...]:
    """The check results of a figure."""
    text = (_folder(preset) / f"{figure}.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)["contents"]["outcomes"])


def outcome(figure: str, title: str) -> dict:
    """The one check result whose title begins with a text."""
    found = [one for one in outcomes(figure) if one["title"].startswith(title)]
    assert len(found) == 1, f"{figure}: {[one['title'] for one in found]}"
    return found[0]

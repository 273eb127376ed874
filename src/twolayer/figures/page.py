"""What every figure notebook does: open the results of a figure, save the drawing, show the verdicts."""

import importlib
import os
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import scienceplots  # noqa: F401, registers the style
import xarray as xr
from matplotlib.animation import PillowWriter
from matplotlib.figure import Figure as Drawing

from twolayer import io, verdicts
from twolayer.catalogue import FIGURE_FOLDERS, Catalogue, Figure
from twolayer.scoreboard import verdict_table
from twolayer.verdicts import Verdict

plt.style.use(["science", "no-latex", "bright"])
plt.rcParams.update({"figure.dpi": 100, "savefig.bbox": "standard", "figure.constrained_layout.use": True})

_THUMBNAIL_DPI = 110
_FRAMES_PER_SECOND = 10


@dataclass(frozen=True)
class Page:
    """A figure of the catalogue, open for drawing.

    Attributes:
        results: name of a run -> its result, and name of a reference -> its table.
        verdicts: outcome of the figure's checks.
    """

    entry: Figure
    scale: str
    root: Path
    results: dict[str, xr.Dataset]
    verdicts: list[Verdict]

    @classmethod
    def open(cls, name: str, scale: str) -> "Page":
        """Open the figure `name` at a scale.

        Raises:
            ResultError: a result or the verdict is missing.
        """
        root = Catalogue.find_root()
        os.chdir(root)  # so that a notebook started in its own folder names files as the workflow does
        catalogue = Catalogue.load(root)
        results = {run.name: io.read(Path(run.path), task=run.task) for run in catalogue.figure_runs(name, scale)}
        figure = catalogue.figure(name)
        results |= io.read_references(figure.references, root)
        text = io.read_text(Path(f"results/{scale}/verdicts/{name}.json"))
        return cls(figure, scale, root, results, verdicts.load(text))

    def save(self, drawing: Drawing) -> None:
        """Write the PDF, the same bytes for the same drawing, and a thumbnail for the scoreboard."""
        name = self.entry.name
        with io.replacing(self.root / FIGURE_FOLDERS[self.scale] / f"{name}.pdf") as path:
            drawing.savefig(path, format="pdf", metadata={"CreationDate": None})
        with io.replacing(self.root / "results" / self.scale / "thumbnails" / f"{name}.png") as path:
            drawing.savefig(path, format="png", dpi=_THUMBNAIL_DPI, metadata={"Software": None})

    def animate(self, name: str) -> None:
        """Draw an animation of this figure, by the function of its name, and write it as GIF."""
        module = importlib.import_module(f"twolayer.figures.{self.entry.module}")
        animation = getattr(module, name.replace("-", "_") + "_animation")(self.results)
        with io.replacing(self.root / FIGURE_FOLDERS[self.scale] / f"{name}.gif") as path:
            animation.save(path, writer=PillowWriter(fps=_FRAMES_PER_SECOND), dpi=_THUMBNAIL_DPI)

    def table(self) -> "VerdictTable":
        """The verdicts, as a notebook shows them."""
        return VerdictTable(self.verdicts)


@dataclass(frozen=True)
class VerdictTable:
    """Verdicts as a table in a notebook."""

    verdicts: list[Verdict]

    def _repr_html_(self) -> str:
        return verdict_table(self.verdicts)

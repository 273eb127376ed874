"""What every figure notebook does: open the evidence of a figure, draw it, show the verdicts."""

import os
from dataclasses import dataclass
from io import BytesIO

import matplotlib.pyplot as plt
from matplotlib.animation import PillowWriter
from matplotlib.figure import Figure as Drawing

from twolayer import io
from twolayer.figures import style
from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.pipeline import verdicts
from twolayer.pipeline.catalogue import FIGURE_FOLDERS, Catalogue, FigureEntry
from twolayer.pipeline.scales import reduced
from twolayer.pipeline.scoreboard import verdict_table

style.use()

_THUMBNAIL_DPI = 85  # 41 of them make a page of under 5 MB
_ANIMATION_DPI = 110
_FRAMES_PER_SECOND = 10


@dataclass(frozen=True)
class Page:
    """A figure of the catalogue, open for drawing.

    Attributes:
        evidence: results and tables that it rests on.
        verdicts: outcome of the figure's checks.
    """

    catalogue: Catalogue
    figure: FigureEntry
    evidence: Evidence
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
        evidence = verdicts.open_evidence(catalogue, name, scale)
        judged = verdicts.read(verdicts.path_of(root, name, scale)).verdicts
        return cls(catalogue, catalogue.figure(name), evidence, judged)

    def draw(self) -> Drawing:
        """Draw the figure; write the PDF, the same bytes for the same drawing, and a thumbnail for the scoreboard."""
        drawing = self._drawing()
        name, scale, root = self.figure.name, self.evidence.scale, self.catalogue.root
        with io.replacing(root / FIGURE_FOLDERS[scale] / f"{name}.pdf") as path:
            drawing.savefig(path, format="pdf", metadata={"CreationDate": None})
        drawing.set_layout_engine("none")  # once is enough: picture and notebook show the same
        io.write_sealed(_png(drawing, _THUMBNAIL_DPI), root / "results" / scale / "thumbnails" / f"{name}.png")
        return drawing

    def picture(self, dpi: float) -> bytes:
        """The figure as PNG."""
        drawing = self._drawing()
        picture = _png(drawing, dpi)
        plt.close(drawing)
        return picture

    def _drawing(self):
        drawing = verdicts.module_function(self.figure, "draw")(self.evidence)
        if self.evidence.scale == "quick":
            style.caption(drawing, reduced(self.catalogue, self.figure.name))
        style.letter_panels(drawing)
        return drawing

    def animate(self, name: str) -> None:
        """Draw an animation of this figure and write it as GIF."""
        animation = verdicts.module_function(self.figure, self.figure.animation_function(name))(self.evidence)
        with io.replacing(self.catalogue.root / FIGURE_FOLDERS[self.evidence.scale] / f"{name}.gif") as path:
            animation.save(path, writer=_SteadyWriter(fps=_FRAMES_PER_SECOND), dpi=_ANIMATION_DPI)

    def table(self) -> "VerdictTable":
        """The verdicts, as a notebook shows them."""
        return VerdictTable(self.verdicts)


def _png(drawing: Drawing, dpi: float) -> bytes:
    written = BytesIO()
    drawing.savefig(written, format="png", dpi=dpi, metadata={"Software": None})
    return written.getvalue()


class _SteadyWriter(PillowWriter):
    """Keeps the layout of the first frame: nothing jitters, and no other frame pays for it."""

    def grab_frame(self, **options) -> None:
        super().grab_frame(**options)
        self.fig.set_layout_engine("none")


@dataclass(frozen=True)
class VerdictTable:
    """Verdicts as a table in a notebook."""

    verdicts: list[Verdict]

    def _repr_html_(self) -> str:
        return verdict_table(self.verdicts)

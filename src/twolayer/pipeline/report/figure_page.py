"""What every figure notebook does: open the evidence of a figure, draw it, judge it."""

import os
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

import matplotlib.pyplot as plt
import xarray as xr
from IPython.display import Image
from PIL.Image import Image as Picture

from twolayer import io
from twolayer.figures import style
from twolayer.figures.checks import CheckResult
from twolayer.figures.evidence import Evidence
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.pipeline.report import check_results, drawings
from twolayer.pipeline.report.figure_data import as_csv, plotted
from twolayer.pipeline.report.omissions import reduced
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.report.scoreboard import check_table

style.use()

_THUMBNAIL_DPI = 85  # of which all figures make a page of under 5 MB
_FINENESS = 2  # pixels of a notebook's picture for one of the thumbnail


@dataclass(frozen=True)
class Page:
    """A figure of the catalogue, open for drawing.

    Attributes:
        evidence: results and tables that it rests on.
    """

    catalogue: Catalogue
    figure: FigureEntry
    evidence: Evidence

    @classmethod
    def open(cls, name: str, preset: str) -> "Page":
        """Open the figure `name` at a preset.

        Raises:
            ResultError: a result is missing, or was made with other parameters than those of the configuration.
        """
        root = Catalogue.find_root()
        os.chdir(root)  # so that a notebook started in its own folder names files as the workflow does
        catalogue = Catalogue.load(root)
        catalogue.allow_large_files()
        return cls(catalogue, catalogue.figure(name), check_results.open_evidence(catalogue, name, preset, strict=True))

    @cached_property
    def figure_checks(self) -> check_results.FigureChecks:
        """Outcome of the figure's checks."""
        return check_results.FigureChecks(
            check_results.judge(self.figure, self.evidence), Provenance.of(self.evidence.values())
        )

    def draw(self) -> Image:
        """Draw the figure; write the PDF, the curves as CSV, and a thumbnail for the scoreboard.

        Returns: the figure as a notebook shows it.
        """
        drawing = self._drawing()
        name, preset, root = self.figure.name, self.evidence.preset, self.catalogue.root
        folder = root / self.catalogue.folders.figures(preset)
        with io.replacing(folder / f"{name}.pdf") as path:
            drawings.write_pdf(drawing, path)
        io.write_text(as_csv(plotted(drawing)), folder / f"{name}.csv")
        drawing.set_layout_engine("none")  # the picture is laid out as the PDF is
        picture = drawings.raster(drawing, _FINENESS * _THUMBNAIL_DPI)
        plt.close(drawing)  # else a notebook shows it twice
        thumbnail = _png(picture.reduce(_FINENESS))
        io.write_with_checksum(thumbnail, root / self.catalogue.folders.results(preset) / "thumbnails" / f"{name}.png")
        return Image(_png(picture), width=picture.width // _FINENESS)

    def picture(self, dpi: float) -> tuple[Picture, xr.Dataset]:
        """The figure in RGB, and its curves as `figure_data.plotted` finds them."""
        drawing = self._drawing()
        plt.close(drawing)
        return drawings.raster(drawing, dpi), plotted(drawing)

    def _drawing(self):
        drawing = check_results.module_function(self.figure, "draw")(self.evidence)
        if left_out := reduced(self.catalogue, self.figure.name, self.evidence.preset):
            style.caption(drawing, left_out)
        style.letter_panels(drawing)
        return drawing

    def animate(self, name: str) -> None:
        """Draw an animation of this figure and write it as GIF."""
        animation = check_results.module_function(self.figure, self.figure.animation_function(name))(self.evidence)
        with io.replacing(
            self.catalogue.root / self.catalogue.folders.figures(self.evidence.preset) / f"{name}.gif"
        ) as path:
            drawings.write_gif(animation, path)

    def table(self) -> "CheckTable":
        """Judge the figure; write the check results for the scoreboard.

        Returns: the check results as a notebook shows them.
        """
        check_results.write(
            self.figure_checks, check_results.path_of(self.catalogue, self.figure.name, self.evidence.preset)
        )
        return CheckTable(self.figure_checks.outcomes)


def _png(picture):
    written = BytesIO()
    picture.save(written, format="png")
    return written.getvalue()


@dataclass(frozen=True)
class CheckTable:
    """Check results as a table in a notebook."""

    outcomes: list[CheckResult]

    def _repr_html_(self) -> str:
        return check_table(self.outcomes)

"""Common functions of figure notebooks: open the evidence of a figure, draw it, and check it."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

import matplotlib.pyplot as plt
import xarray as xr
from IPython import get_ipython
from IPython.display import Image
from PIL.Image import Image as Picture

from twolayer import io
from twolayer.errors import ConfigError, TwolayerError, shown
from twolayer.figures import style
from twolayer.figures.evidence import Evidence
from twolayer.figures.outcomes import CheckResult
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.report import comparison, drawings
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.omissions import reduced
from twolayer.pipeline.report.figure_data import as_csv, plotted
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.report.scoreboard import check_table
from twolayer.pipeline.settings import allow_large_files
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.files import opened, replacing, write_bytes, write_text

style.use()

_WRITES: ContextVar[bool] = ContextVar("writes", default=False)
_THUMBNAIL_DPI, _COLOURS = 85, 64  # the thumbnails of all figures together are under 4 MB
_FINENESS = 2  # pixels of a notebook's picture per pixel of the thumbnail


@dataclass(frozen=True)
class Page:
    """A figure of the catalogue, open for drawing.

    Attributes:
        evidence: results and tables of the figure.
    """

    catalogue: Catalogue
    figure: FigureEntry
    evidence: Evidence

    @classmethod
    def open(cls, name: str, preset: str) -> "Page":
        """Open the figure `name` at a preset.

        Raises:
            ConfigError: the figure or the preset is unknown.
            ResultError: a result is missing, or has other parameters than the configuration.
        """
        _state_errors_in_a_sentence()
        if preset not in PRESETS:
            raise ConfigError(f"unknown preset {shown(preset)}: choose {' or '.join(PRESETS)}")
        root = Catalogue.find_root()
        os.chdir(root)  # a notebook in another folder then uses the same file names as the workflow
        catalogue = Catalogue.load(root)
        allow_large_files(catalogue.largest_gb)
        return cls(catalogue, catalogue.figure(name), check_results.open_evidence(catalogue, name, preset, strict=True))

    @cached_property
    def figure_checks(self) -> check_results.FigureChecks:
        """The check results of the figure."""
        return check_results.FigureChecks(
            check_results.judge(self.figure, self.evidence), Provenance.of(self.evidence.values())
        )

    def draw(self) -> Image:
        """Draw the figure. In the workflow also write it as PDF and SVG, its curves as CSV, and a thumbnail.

        Returns: the figure for display in a notebook.
        """
        drawing = self._drawing()
        if _WRITES.get():
            folder = self.catalogue.root / self.catalogue.folders.figures(self.evidence.preset)
            with replacing(folder / f"{self.figure.name}.pdf") as path, opened(path) as file:
                drawings.write_pdf(drawing, file)
            drawing.set_layout_engine("none")  # SVG and picture have the same layout as the PDF
            write_bytes(drawings.svg(drawing), folder / f"{self.figure.name}.svg")
            write_text(as_csv(plotted(drawing)), folder / f"{self.figure.name}.csv")
        picture = drawings.raster(drawing, _FINENESS * _THUMBNAIL_DPI)
        plt.close(drawing)  # otherwise, a notebook shows it twice
        if _WRITES.get():
            results = self.catalogue.root / self.catalogue.folders.results(self.evidence.preset)
            thumbnail = _png(picture.reduce(_FINENESS).quantize(_COLOURS))
            io.write_with_checksum(thumbnail, results / "thumbnails" / f"{self.figure.name}.png")
        return _shown(picture, f"{self.figure.title}, {self.evidence.preset} preset")

    def compare(self, run: str, parameters: Mapping[str, Any], curve: str) -> "Image | Note":
        """Compute a run of this figure with other parameters, and plot it next to the stored result.

        Args:
            run: name of the run. parameters: name, with dots if it is nested -> value. curve: variable to plot.

        Raises:
            ConfigError: a run, parameter or curve is unknown, or a value is not allowed.
            ResultError: a result is missing.
        """
        wanted = self.catalogue.run(self.evidence.preset, self.figure.study, run)
        new = comparison.compute(self.catalogue, wanted, parameters)
        if new is None:
            return Note(f"The run {run} has these parameters in the workflow. Change a value above and run all cells.")
        drawing = comparison.plot(io.read(self.catalogue.root / wanted.path), new, curve)
        picture = drawings.raster(drawing, _FINENESS * _THUMBNAIL_DPI)
        plt.close(drawing)
        return _shown(picture, f"{curve} of the run {run}, new and of the workflow")

    def files(self, dpi: float) -> "FigureFiles":
        """Draw the figure in all formats, in one layout."""
        drawing = self._drawing()
        plt.close(drawing)
        picture, pdf = drawings.raster(drawing, dpi), BytesIO()
        drawings.write_pdf(drawing, pdf)
        return FigureFiles(picture, pdf.getvalue(), drawings.svg(drawing), plotted(drawing))

    def _drawing(self):
        drawing = check_results.module_function(self.figure, "draw")(self.evidence)
        if left_out := reduced(self.catalogue, self.figure.name, self.evidence.preset):
            style.caption(drawing, left_out)
        style.letter_panels(drawing)
        return drawing

    def animate(self, name: str) -> None:
        """Draw an animation of this figure and write it as GIF."""
        animation = check_results.module_function(self.figure, self.figure.animation_function(name))(self.evidence)
        with replacing(
            self.catalogue.root / self.catalogue.folders.figures(self.evidence.preset) / f"{name}.gif"
        ) as path:
            drawings.write_gif(animation, path)

    def table(self) -> "CheckTable":
        """Check the figure. In the workflow also write the check results for the scoreboard.

        Returns: the check results for display in a notebook.
        """
        if _WRITES.get():
            check_results.write(
                self.figure_checks, check_results.path_of(self.catalogue, self.figure.name, self.evidence.preset)
            )
        return CheckTable(self.figure_checks.outcomes)


@contextmanager
def written() -> Iterator[None]:
    """Let pages in this context write their files, as in the workflow."""
    before = _WRITES.set(True)
    try:
        yield
    finally:
        _WRITES.reset(before)


def _state_errors_in_a_sentence() -> None:
    """Let a notebook show an error of this package as one sentence, without the lines of code that led to it."""
    if shell := get_ipython():
        shell.set_custom_exc((TwolayerError,), _state)


def _state(shell, error_type, error, trace, tb_offset=None):
    print(f"error: {error}", file=sys.stderr)


def _shown(picture, alt):
    return Image(_png(picture), width=picture.width // _FINENESS, alt=alt)


def _png(picture):
    written = BytesIO()
    picture.save(written, format="png")
    return written.getvalue()


@dataclass(frozen=True)
class FigureFiles:
    """A figure in all formats.

    Attributes:
        picture: in RGB. curves: as `figure_data.plotted` finds them.
    """

    picture: Picture
    pdf: bytes
    svg: bytes
    curves: xr.Dataset


@dataclass(frozen=True)
class CheckTable:
    """Check results as a table in a notebook."""

    outcomes: list[CheckResult]

    def _repr_html_(self) -> str:
        return check_table(self.outcomes)


@dataclass(frozen=True)
class Note:
    """A sentence in a notebook."""

    text: str

    def __repr__(self) -> str:
        return self.text

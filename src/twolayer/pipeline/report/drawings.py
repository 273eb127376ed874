"""A drawing as PDF, as SVG, as a raster and as an animation.

Each is drawn once, where `savefig` draws it twice: first to lay it out, which drawing does by itself.
"""

from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import matplotlib as mpl
import numpy as np
from matplotlib.animation import AbstractMovieWriter, Animation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

_FRAMES_PER_SECOND = 10
_ANIMATION_DPI = 110


def write_pdf(drawing: Figure, path: Path | BinaryIO) -> None:
    """Lay a drawing out and write it, the same bytes for the same drawing."""
    FigureCanvasPdf(drawing).print_pdf(path, metadata={"CreationDate": None})


def svg(drawing: Figure) -> bytes:
    """A drawing as SVG, the same bytes for the same drawing. Letters are paths, so that they look alike everywhere."""
    written = BytesIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "twolayer"}):
        FigureCanvasSVG(drawing).print_svg(written, metadata={"Date": None})
    return written.getvalue()


def raster(drawing: Figure, dpi: float) -> Image.Image:
    """A drawing as a picture in RGB, laid out here where it was not before, and never again."""
    drawing.set_dpi(dpi)
    canvas = FigureCanvasAgg(drawing)
    canvas.draw()
    drawing.set_layout_engine("none")
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def write_gif(animation: Animation, path: Path) -> None:
    """All frames of an animation in the layout of the first: nothing jitters."""
    animation.save(path, writer=_GifWriter(fps=_FRAMES_PER_SECOND), dpi=_ANIMATION_DPI)


class _GifWriter(AbstractMovieWriter):
    """Keeps what the animation itself draws of each frame, which `PillowWriter` draws twice more."""

    def setup(self, fig: Figure, outfile: str | Path, dpi: float | None = None) -> None:
        super().setup(fig, outfile, dpi)
        fig.set_dpi(self.dpi)
        self._canvas = FigureCanvasAgg(fig)  # whatever the backend is
        self._frames = []

    def grab_frame(self, **_) -> None:
        self._frames.append(Image.fromarray(np.array(self._canvas.buffer_rgba())).convert("RGB"))
        self.fig.set_layout_engine("none")

    def finish(self) -> None:
        first, *others = self._frames
        first.save(self.outfile, save_all=True, append_images=others, duration=int(1000 / self.fps), loop=0)

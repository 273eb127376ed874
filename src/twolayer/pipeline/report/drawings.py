"""Output of a drawing as PDF, as SVG, as a raster and as an animation.

Each output draws once, while `savefig` draws twice: its first drawing only computes the layout.
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

from twolayer.storage.files import opened

_FRAMES_PER_SECOND = 10
_ANIMATION_DPI = 110


def write_pdf(drawing: Figure, file: BinaryIO) -> None:
    """Lay a drawing out and write it as PDF, with the same bytes for the same drawing."""
    FigureCanvasPdf(drawing).print_pdf(file, metadata={"CreationDate": None})


def svg(drawing: Figure) -> bytes:
    """A drawing as SVG, the same bytes for the same drawing. Letters are paths, so that they look alike everywhere."""
    written = BytesIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "twolayer"}):
        FigureCanvasSVG(drawing).print_svg(written, metadata={"Date": None})
    return written.getvalue()


def raster(drawing: Figure, dpi: float) -> Image.Image:
    """Return a drawing as a picture in RGB; its layout is computed only once."""
    drawing.set_dpi(dpi)
    canvas = FigureCanvasAgg(drawing)
    canvas.draw()
    drawing.set_layout_engine("none")
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def write_gif(animation: Animation, path: Path) -> None:
    """Write an animation to a file of `replacing`, with the layout of the first frame, so that nothing moves."""
    animation.save(path, writer=_GifWriter(fps=_FRAMES_PER_SECOND), dpi=_ANIMATION_DPI)


class _GifWriter(AbstractMovieWriter):
    """A writer that stores each frame that the animation draws; `PillowWriter` draws it twice more."""

    def setup(self, fig: Figure, outfile: str | Path, dpi: float | None = None) -> None:
        super().setup(fig, outfile, dpi)
        fig.set_dpi(self.dpi)
        self._canvas = FigureCanvasAgg(fig)  # a canvas that does not depend on the backend
        self._frames = []

    def grab_frame(self, **_) -> None:
        self._frames.append(Image.fromarray(np.array(self._canvas.buffer_rgba())).convert("RGB"))
        self.fig.set_layout_engine("none")

    def finish(self) -> None:
        first, *others = self._frames
        with opened(self.outfile) as file:
            first.save(file, "GIF", save_all=True, append_images=others, duration=int(1000 / self.fps), loop=0)

"""Drawings on disk."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.animation import FuncAnimation
from PIL import Image, ImageSequence

from twolayer.pipeline.report import drawings


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def draw():
    figure, axes = plt.subplots(figsize=(2, 1.5), layout="constrained")
    axes.plot([0, 1], [0, 1])
    axes.set(xlabel="time", ylabel="error")
    return figure


def test_a_pdf_is_what_savefig_makes_and_always_the_same(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        with (tmp_path / name).open("wb") as file:
            drawings.write_pdf(draw(), file)
    draw().savefig(tmp_path / "c.pdf", bbox_inches=None, metadata={"CreationDate": None})
    first, *others = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert others == [first, first]


def test_an_svg_is_always_the_same_and_has_no_date():
    first, second = drawings.svg(draw()), drawings.svg(draw())
    assert first == second
    assert first.startswith(b"<?xml")
    assert b"<dc:date>" not in first
    assert b"<text" not in first, "letters are paths"


def test_a_raster_is_what_savefig_makes(tmp_path):
    draw().savefig(tmp_path / "a.png", dpi=80, bbox_inches=None)
    assert np.array_equal(drawings.raster(draw(), dpi=80), Image.open(tmp_path / "a.png").convert("RGB"))


def test_an_animation_moves_and_its_axes_do_not(tmp_path):
    drawing = draw()
    (axes,) = drawing.axes
    places = []

    def show(frame):
        places.append(axes.get_position().bounds)
        axes.lines[0].set_ydata([0, frame / 3])
        axes.set_title("\n" * frame)  # for which a layout would make room

    animation = FuncAnimation(drawing, show, frames=4, init_func=lambda: None)
    (tmp_path / "a.gif").touch()
    drawings.write_gif(animation, tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as gif:
        frames = [np.asarray(frame.convert("L"), int) for frame in ImageSequence.Iterator(gif)]
        assert gif.info["duration"] == 100
    assert len(frames) == 4
    assert all(abs(one - other).max() > 100 for one, other in itertools.pairwise(frames))
    before, *after = places
    assert before != after[0]  # the first frame was laid out
    assert after == 3 * [after[0]]

"""How published points and their legend are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from twolayer.figures.varpro.descents import legend, published_points


def curve(last, count):
    iterations = np.linspace(0, last, count).astype(int)
    return xr.DataArray(np.ones(count), {"iteration": iterations}, "iteration", "risk")


@pytest.mark.parametrize(("ours", "published", "least"), [(32000, 81, 12), (4000, 81, 10), (32000, 7, 6)])
def test_about_a_dozen_points_as_far_as_ours_goes(ours, published, least):
    _, axes = plt.subplots()
    published_points(axes, curve(32000, published), curve(ours, 3), "black")
    (line,) = axes.lines
    assert least <= len(line.get_xdata()) <= 24
    assert max(line.get_xdata()) == ours


def test_points_that_are_not_drawn_have_no_legend():
    figure, axes = plt.subplots()
    legend(figure, [])
    published_points(axes, curve(10, 2), curve(10, 2), "black", "published")
    legend(figure, [])
    assert [[text.get_text() for text in one.get_texts()] for one in figure.legends] == [[], ["published"]]

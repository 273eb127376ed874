"""Curves of a drawing as data."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from twolayer.pipeline.report.figure_data import FigureData, plotted


@pytest.fixture
def drawing():
    figure, (left, right) = plt.subplots(1, 2)
    yield figure, left, right
    plt.close(figure)


def test_lines_error_bars_and_bands(drawing):
    figure, left, right = drawing
    left.plot([1, 2, 3], [4, 5, 6], "C1--", label="theory")
    left.errorbar([1, 2], [4.0, 5.0], [0.5, 0.25], capsize=2, label="runs")
    left.fill_between([1, 2, 3], [0, 1, 2], [3, 4, 5], label="quartiles")
    left.set(xlabel="time", ylabel="error", title="one")
    left.legend()
    right.plot([7], [8], "C1--")
    curves = plotted(figure)
    assert list(curves.kind.values) == ["line", "errorbar", "band", "line"]
    assert list(curves.label.values) == ["theory", "runs", "quartiles", "theory"]
    assert list(curves.panel.values) == ["a", "a", "a", "b"]
    assert set(curves.title.values[:3]) == {"one"}
    assert list(curves.y.values[0]) == [4, 5, 6]
    np.testing.assert_allclose(curves.low.values[1, :2], [3.5, 4.75])
    np.testing.assert_allclose(curves.high.values[1, :2], [4.5, 5.25])
    assert np.isnan(curves.y.values[1, 2])
    np.testing.assert_allclose(curves.low.values[2], [0, 1, 2])
    np.testing.assert_allclose(curves.high.values[2], [3, 4, 5])


def test_maps_points_bars_and_insets(drawing):
    figure, left, right = drawing
    left.pcolormesh([0, 1, 2], [0, 2], [[5.0, 6.0]])
    right.bar([1, 2], [3, 4], label="bars")
    right.scatter([1, 2], [5, 6], label="dots")
    right.inset_axes([0.5, 0.5, 0.4, 0.4]).imshow([[1.0, 2.0], [3.0, 4.0]], extent=(0, 2, 0, 2))
    curves = plotted(figure)
    assert list(curves.kind.values) == ["map", "bar", "points", "map"]
    assert curves.panel.values[-1] == "b, inset"
    columns = [curves[name].values for name in ("x", "y", "value")]
    mesh, image = (np.array([column[row] for column in columns]) for row in (0, 3))
    np.testing.assert_allclose(mesh[:, :2], [[0.5, 1.5], [1, 1], [5, 6]])
    np.testing.assert_allclose(image, [[0.5, 1.5, 0.5, 1.5], [1.5, 1.5, 0.5, 0.5], [1, 2, 3, 4]])
    assert list(curves.y.values[1, :2]) == [3, 4]


def test_pictures_are_left_out(drawing):
    figure, left, right = drawing
    left.plot([1, 2], [3, 4])
    right.imshow([[1.0, 2.0], [3.0, 4.0]])
    assert list(plotted(figure).kind.values) == ["line", "map"]
    right.set_axis_off()
    assert list(plotted(figure).kind.values) == ["line"]


def test_a_row_for_each_point(drawing):
    figure, left, right = drawing
    left.plot([1, 2, 3], [4, 5, 6])
    right.plot([7], [8])
    table = FigureData(plotted(figure), None).table()
    assert list(table.columns) == ["panel", "title", "curve", "label", "kind", "x_label", "y_label", "x", "y"]
    assert list(table.x) == [1, 2, 3, 7]


def test_a_drawing_without_curves(drawing):
    assert plotted(drawing[0]).sizes == {"curve": 0, "point": 0}

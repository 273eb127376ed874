"""The plotted curves of a figure, and its checks, as data."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures import style
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks import check_results
from twolayer.storage.files import write_text

_COLUMNS = ("x", "y", "low", "high", "value")


@dataclass(frozen=True)
class FigureData:
    """A figure as data.

    Attributes:
        curves: plotted values, by `curve` and `point`; shorter curves end in NaN. `x` and `y` are coordinates in the
            units of the axes, `low` and `high` the ends of error bars and bands, `value` is the colour of a map. The
            coordinates `panel`, `title`, `label`, `kind`, `x_label` and `y_label` describe each curve. Pictures, which
            have no axes, are left out.
        checks: one row for each check.
    """

    curves: xr.Dataset
    checks: pd.DataFrame

    def table(self) -> pd.DataFrame:
        """Return the curves as a table with a row for each point."""
        return _table(self.curves)


def _table(curves: xr.Dataset) -> pd.DataFrame:
    frame = curves.to_dataframe().reset_index().dropna(subset=["x"]).dropna(axis="columns", how="all")
    about = ["panel", "title", "curve", "label", "kind", "x_label", "y_label"]
    return frame[[*about, *(name for name in _COLUMNS if name in frame)]].reset_index(drop=True)


def as_csv(curves: xr.Dataset, digits: int | None = None) -> str:
    """Return curves from `plotted` as CSV with a row for each point.

    The digits of each number are limited to `digits`, if given.
    """
    form = None if digits is None else f"%.{digits}g"
    return _table(curves).to_csv(index=False, lineterminator="\n", float_format=form)


def figure(name: str, preset: Literal["paper", "quick"] = "paper") -> FigureData:
    """Return the plotted curves and the checks of a figure, from the results of the workflow.

    Call it inside a clone with results, for instance after `snakemake figures/quick/fig1.pdf`.

    Args:
        name: name of the figure, for instance "fig1".
        preset: preset of the results.

    Returns:
        An object with `curves`, a Dataset of the plotted curves, and `checks`, a table with a row for each check.

    Raises:
        ConfigError: the figure is unknown, or the current folder is not in a clone.
        ResultError: a result is missing or damaged, or has other parameters.
        DataError: a result is larger than the limit.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     fig1 = tl.figure("fig1", preset="quick")
        ... except tl.ConfigError as error:
        ...     print("not in a twolayer project" in str(error))
        True
    """
    catalogue = Catalogue.load(Catalogue.find_root())
    return figure_data(catalogue, name, preset)


def figure_data(catalogue: Catalogue, name: str, preset: str) -> FigureData:
    """Return the plotted curves and the checks of a figure of a catalogue.

    Raises:
        ConfigError: the figure is unknown.
        ResultError: a result is missing or damaged, or has other parameters.
    """
    entry = catalogue.figure(name)
    evidence = check_results.open_evidence(catalogue, name, preset, strict=True)
    checks = pd.DataFrame([asdict(check) for check in check_results.judge(entry, evidence)])
    style.use()
    drawing = check_results.module_function(entry, "draw")(evidence)
    try:
        return FigureData(plotted(drawing), checks)
    finally:
        plt.close(drawing)


def plotted(drawing: Figure) -> xr.Dataset:
    """Return the curves, points, bands, bars and maps of a drawing, without three-dimensional surfaces; see
    `FigureData`.
    """
    legend = _legend(drawing)
    places = list(style.panels(drawing).items())
    places += [(f"{letter}, inset", inset) for letter, axes in places for inset in axes.child_axes]
    # three-dimensional axes contain only projections
    places = [(letter, axes) for letter, axes in places if axes.name != "3d"]
    curves = [curve for letter, axes in places for curve in _curves_of(axes, letter, legend)]
    length = max((len(columns["x"]) for _, columns in curves), default=0)
    data = {name: np.full((len(curves), length), np.nan) for name in _COLUMNS}
    for row, (_, columns) in enumerate(curves):
        for name, values in columns.items():
            data[name][row, : len(values)] = values
    keys = ("panel", "title", "label", "kind", "x_label", "y_label")
    about = {key: ("curve", [one[key] for one, _ in curves]) for key in keys}
    return xr.Dataset(
        {name: (("curve", "point"), values) for name, values in data.items()},
        coords=about | {"curve": range(len(curves))},
    )


def _legend(drawing: Figure) -> dict[tuple, str]:
    """Return labels of all legends, by the style of their lines: a curve without a label has the style of a labelled
    one.
    """
    legends = [*drawing.legends, *(axes.get_legend() for axes in drawing.axes if axes.get_legend())]
    found = {}
    for legend in legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if isinstance(handle, Line2D):
                found.setdefault(_look(handle), text.get_text())
    return found


def _look(line: Line2D) -> tuple:
    return to_hex(line.get_color()), line.get_linestyle(), str(line.get_marker()), line.get_fillstyle()


def _curves_of(axes: Axes, letter: str, legend: dict[tuple, str]) -> Iterator[tuple[dict[str, str], dict]]:
    """Yield description and columns of each curve in one panel."""
    common = {
        "panel": letter,
        "title": axes.get_title(),
        "x_label": axes.get_xlabel(),
        "y_label": axes.get_ylabel(),
    }

    def described(artist, kind, line=None, **columns):
        label = str(artist.get_label() or "")
        if label.startswith("_") or not label:
            label = legend.get(_look(line), "") if line else ""
        return {**common, "kind": kind, "label": label}, columns

    bars = {bar.lines[0]: bar for bar in axes.containers if isinstance(bar, ErrorbarContainer) and bar.lines[0]}
    for line in axes.lines:
        x, y = (np.asarray(part, float) for part in line.get_data(orig=False))
        if line in bars:
            yield described(bars[line], "errorbar", line, x=x, y=y, **_ends(bars[line]))
        elif not _is_cap(line, axes):
            yield described(line, "line", line, x=x, y=y)
    for bar in axes.containers:
        if isinstance(bar, BarContainer):
            x = np.array([patch.get_x() + patch.get_width() / 2 for patch in bar.patches])
            heights = np.array([patch.get_y() + patch.get_height() for patch in bar.patches])
            yield described(bar, "bar", x=x, y=heights)
    for collection in axes.collections:
        yield from _of_collection(collection, described)
    for image in axes.images if axes.axison else ():  # without axes it is a picture, and not a map
        yield described(image, "map", **_of_image(image))


def _of_collection(collection, described):
    if isinstance(collection, QuadMesh):
        corners = collection.get_coordinates()
        centres = (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]) / 4
        x, y = centres.reshape(-1, 2).T
        yield described(collection, "map", x=x, y=y, value=np.ma.filled(collection.get_array(), np.nan).ravel())
    elif isinstance(collection, PathCollection):
        x, y = np.ma.filled(collection.get_offsets(), np.nan).T
        yield described(collection, "points", x=x, y=y)
    elif isinstance(collection, PolyCollection) and not isinstance(collection, LineCollection):
        for path in collection.get_paths():
            yield described(collection, "band", **_band(path.vertices))


def _band(vertices):
    """Return the lower and upper end of a filled band at each place along the horizontal axis."""
    places = np.unique(vertices[:, 0])
    inside = [vertices[vertices[:, 0] == place, 1] for place in places]
    low, high = ([limit(part) for part in inside] for limit in (np.min, np.max))
    return {"x": places, "y": np.mean([low, high], axis=0), "low": np.array(low), "high": np.array(high)}


def _ends(bar):
    """Return the ends of the vertical error bars of a curve."""
    for segments in (collection.get_segments() for collection in bar.lines[2]):
        if segments and all(np.ptp(segment[:, 0]) == 0 for segment in segments if len(segment)):
            low, high = zip(
                *((s[:, 1].min(), s[:, 1].max()) if len(s) else (np.nan, np.nan) for s in segments), strict=True
            )
            return {"low": np.array(low), "high": np.array(high)}
    return {}


def _of_image(image):
    values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
    left, right, bottom, top = image.get_extent()
    rows, columns = values.shape
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = (top if image.origin == "upper" else bottom) + (np.arange(rows) + 0.5) * (
        (bottom - top) if image.origin == "upper" else (top - bottom)
    ) / rows
    return {"x": np.tile(x, rows), "y": np.repeat(y, columns), "value": values.ravel()}


def _is_cap(line: Line2D, axes: Axes) -> bool:
    """Return whether a line is the cap of an error bar."""
    return any(line in bar.lines[1] for bar in axes.containers if isinstance(bar, ErrorbarContainer))


def export(catalogue: Catalogue, name: str, preset: str, path: Path) -> tuple[Path, Path]:
    """Write the curves of a figure to a CSV file, and its checks to a second file in the same folder.

    Returns: the paths of both files.

    Raises:
        ConfigError: the figure is unknown.
        ResultError: a result is missing or damaged, or has other parameters.
    """
    data = figure_data(catalogue, name, preset)
    checks = path.with_name(f"{path.stem}-checks{path.suffix}")
    write_text(as_csv(data.curves), path)
    write_text(data.checks.to_csv(index=False, lineterminator="\n"), checks)
    return path, checks

"""What colours and short names stand for in the figures of Gaussian mixtures."""

from matplotlib.axes import Axes

NETWORK, FEATURES, ORACLE = "#4477AA", "#EE6677", "black"
CLASSES = {-1: "#4477AA", 1: "#EE6677"}
REGIMES = {"low": "low SNR", "high": "high SNR", "mixed": "mixed SNR"}


def label_classes(axes: Axes) -> None:
    """Entries of the legend for the two classes."""
    for label, colour in CLASSES.items():
        axes.scatter([], [], s=12, color=colour, label=f"$y={label:+d}$")

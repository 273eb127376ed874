"""What colours and short names stand for in the figures of Gaussian mixtures."""

from matplotlib.axes import Axes

from twolayer.figures.style import BLUE, RED

NETWORK, FEATURES, ORACLE = BLUE, RED, "black"
CLASSES = {-1: BLUE, 1: RED}
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}
REGIMES = {"low": "low SNR", "high": "high SNR", "mixed": "mixed SNR"}


def label_classes(axes: Axes) -> None:
    """Entries of the legend for the two classes."""
    for label, colour in CLASSES.items():
        axes.scatter([], [], s=12, color=colour, label=f"$y={label:+d}$")

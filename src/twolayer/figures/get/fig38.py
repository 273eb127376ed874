"""Least squares on random features of generated images."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.generated_features import RUNS, draw_features, error_checks
from twolayer.figures.get.sample_ratios import best_readout_check


def draw(r: Evidence) -> Figure:
    """Least squares, against the sample ratio."""
    return draw_features(r, "square")


def checks(r: Evidence) -> Iterator[Verdict]:
    """The replica equations are right, the error peaks, and the equations end where the first study says."""
    yield from error_checks(r, "square")
    for run, name in RUNS.items():
        loss = r[f"{run}_learning"].test_loss.sel(loss="square")
        yield at_most(
            loss.sel(sample_ratio=4),
            loss.sel(sample_ratio=1),
            f"{name}: greater loss with as many samples as features than with four times as many",
            tolerance=1e-9,
            source="interpolation peak of least squares",
            compared=NUMERICS,
        )
    yield best_readout_check(r, "closed form of the first study, see figure 40")

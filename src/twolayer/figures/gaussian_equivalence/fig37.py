"""Logistic regression on random features of generated images."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, Check, falling
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence.generated_features import draw_features, error_checks, names


def draw(r: Evidence) -> Figure:
    """Draw errors of logistic regression against the sample ratio."""
    return draw_features(r, "logistic")


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the replica equations are right, and that the error has no peak."""
    yield from error_checks(r, "logistic", "class_error")
    for run, name in names(r).items():
        yield falling(
            r[f"{run}_replica"].class_error.sel(loss="logistic"),
            "sample_ratio",
            f"{name}: class error falls with every sample",
            tolerance=1e-9,
            source="labels without noise are separable at any sample ratio, so that there is no peak",
            compared=NUMERICS,
        )

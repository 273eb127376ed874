"""Least squares on random features of generated images."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Check, ordering
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.gaussian_equivalence.generated_features import COLOURS, draw_features, error_checks, names


def draw(r: Evidence) -> Figure:
    """Draw errors of least squares against the sample ratio."""
    return draw_features(r, "square")


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the replica equations are right, that the test loss peaks, and that the limit is the best readout."""
    yield from error_checks(r, "square", "class_error")
    for activation in COLOURS:
        loss = r[f"random_gan_{activation}_learning"].test_loss.sel(loss="square")
        ratios, name = loss.sample_ratio, names(r)[f"random_gan_{activation}"]
        peak, *others = (float(ratios[int(abs(ratios - ratio).values.argmin())]) for ratio in (1, 0.5, 2))
        for elsewhere in others:
            yield ordering(
                loss.sel(sample_ratio=peak, drop=True),
                loss.sel(sample_ratio=elsewhere, drop=True),
                f"{name}: greater test loss at sample ratio {peak:g} than at {elsewhere:g}",
                source="interpolation peak of least squares, by a tenth or more",
                compared=THEORY,
                stated=0.1,
            )
    yield sample_ratios.best_readout_check(r, "closed form of the first study, see figure 40")

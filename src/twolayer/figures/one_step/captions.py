"""Networks after one gradient step with the degrees, spikes and trials of the captions in the paper."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import agreement, generated_images
from twolayer.figures.one_step.panels import legend, panel, sizes
from twolayer.figures.style import PAGE

SWEEPS = {"width_caption": "width", "alignment_caption": "alignment", "rank_caption": "rank"}


def draw(r: Evidence) -> Figure:
    """Draw the errors against the width, the alignment and the rank, and on generated images."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6))
    width, alignment, rank, images = panels.flat
    for axes, run in zip((width, alignment, rank), SWEEPS, strict=True):
        panel(axes, r[run], theory=r[f"theory_{run}"])
    panel(images, r["tops_caption"])
    width.set_title(_title(r, "width_caption", r"$\theta = n^{\beta/2}$"))
    alignment.set_title(_title(r, "alignment_caption", r"$\theta = n^\beta$"))
    rank.set_title(_title(r, "rank_caption", r"$\theta$ uniform in $(0, n^\beta)$"))
    images.set_title(_title(r, "tops_caption", generated_images.PAIRS["tops"]))
    legend(figure, width)
    figure.suptitle(sizes(r["width_caption"]))
    return figure


def _title(r, run, kind):
    return f"$l = {r.parameter(run, 'degree')}$, {kind}"


def checks(r: Evidence) -> Iterator[Check]:
    """Check theory and Hermite model against the network, as for the values of the published code."""
    for run, name in SWEEPS.items():
        result, theory = r[run], r[f"theory_{run}"]
        yield from agreement.theory_of_network(result, theory, name)
        for outcome in agreement.equivalence(result, theory, name):
            yield main(outcome) if run == "width_caption" else outcome
    yield generated_images.wide_equivalence(r["tops_caption"], "images", 1.5, generated_images.WIDE_MODEL)

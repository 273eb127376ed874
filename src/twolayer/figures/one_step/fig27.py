"""Figure 27: training error of networks after one gradient step against the width."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Check, main, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import agreement, extrema
from twolayer.figures.one_step.panels import legend, panel, sizes
from twolayer.figures.one_step.places import at, nearest, of_paper, shown, units
from twolayer.figures.style import COLUMN

NAME, SUFFIX = "training error", "_training"


def draw(r: Evidence) -> Figure:
    """Draw the training error against the width."""
    figure, axes = plt.subplots(figsize=(COLUMN, 4.4))
    panel(
        axes,
        r["width"],
        theory=r["theory_width"],
        frozen=shown(at(r["frozen_width"], beta=r.parameter("width", "data.beta"))),
        replay=r["width_published"],
        published=r["published"],
        suffix=SUFFIX,
    )
    axes.set_ylabel(NAME)
    legend(figure, axes, columns=2)
    figure.suptitle(sizes(r["width"]))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check the network against published values, Hermite model and theory, and the shapes of the curves."""
    yield from agreement.theory_of_network(r["width"], r["theory_width"], NAME, suffix=SUFFIX)
    full_size = of_paper(r, "theory_width_at_n_1000")["theory_width_at_n_1000"]
    yield agreement.theory_of_published(full_size, r["published"], r["width"], NAME, suffix=SUFFIX)
    yield from agreement.published(r, "width", "published", "code_width", NAME, suffix=SUFFIX, small=(300, 4))
    for outcome in agreement.equivalence(r["width"], r["theory_width"], NAME, suffix=SUFFIX):
        yield main(outcome)
    yield agreement.beneath_markers(of_paper(r.at("paper"), "width")["width"], NAME, 5.3e-4, SUFFIX)
    first, last = (float(r["width"].width[place]) for place in (0, -1))
    network = of_paper(r, "width", size=False)["width"].network_training
    yield extrema.largest(network, f"{NAME}: largest for the narrowest network", least=0.5, width=first)
    paper = of_paper(r.at("paper"), "width")["width"].network_training
    sigmoid, middle = paper.sel(activation="sigmoid"), nearest(r["width"], width=1)["width"]
    yield relative(
        sigmoid.sel(width=slice(middle, last)),
        sigmoid.sel(width=last, drop=True),
        f"{NAME}, sigmoid: within 15 percent of its end from {units(middle)} on",
        tolerance=0.15,
        source="the published curve flattens early",
        compared=PUBLISHED,
    )
    yield extrema.smallest(paper, f"{NAME}: smallest for the widest network", width=last)
    beta = r.parameter("width_at_beta_zero", "data.beta")
    yield z_score(
        r["width_at_beta_zero"].network_training,
        at(r["frozen_width"], beta=beta).theory_training,
        f"beta = {beta:g}, theory of frozen features of the training error against the network for all widths",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )

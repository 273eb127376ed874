"""Figure 27: training error of networks after one gradient step against the width."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Verdict, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import agreement, shapes
from twolayer.figures.onestep.panels import legend, panel, sizes
from twolayer.figures.style import COLUMN

NAME, SUFFIX = "training error", "_training"


def draw(r: Evidence) -> Figure:
    """Training error against the width."""
    figure, axes = plt.subplots(figsize=(COLUMN, 4.4))
    panel(
        axes,
        r["width"],
        theory=r["theory_width"],
        frozen=r["frozen_width"].sel(beta=0.74),
        replay=r["width_published"],
        published=r["published"],
        suffix=SUFFIX,
    )
    axes.set_ylabel(NAME)
    legend(figure, axes, columns=2)
    figure.suptitle(sizes(r["width"]))
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published code and figure, Hermite model and theory against the network, and the shapes of the curves."""
    yield from agreement.theory_of_network(r["width"], r["theory_width"], NAME, suffix=SUFFIX)
    yield agreement.theory_of_published(r["theory_width_at_n_1000"], r["published"], r["width"], NAME, suffix=SUFFIX)
    yield from agreement.published(r, "width", "published", "code_width", NAME, suffix=SUFFIX)
    yield from agreement.equivalence(r["width"], r["theory_width"], NAME, suffix=SUFFIX)
    yield agreement.beneath_markers(r.at("paper")["width"], NAME, 5.3e-4, SUFFIX)
    yield shapes.largest(r["width"].network_training, f"{NAME}: largest for the narrowest network", width=0.1)
    paper = r.at("paper")["width"].network_training
    sigmoid = paper.sel(activation="sigmoid")
    yield relative(
        sigmoid.sel(width=slice(1, 5)),
        sigmoid.sel(width=5, drop=True),
        f"{NAME}, sigmoid: within 15 percent of its end from k = m on",
        tolerance=0.15,
        source="the published curve flattens early",
        compared=PUBLISHED,
    )
    yield shapes.smallest(paper, f"{NAME}: smallest for the widest network", width=5)
    yield z_score(
        r["width_at_beta_zero"].network_training,
        r["frozen_width"].theory_training.sel(beta=0),
        "beta = 0, theory of frozen features of the training error against the network for all widths",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )

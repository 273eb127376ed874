"""Figure 29: networks after one gradient step on generated images whose classes keep their means."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict, ordering
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import generated_images, shapes
from twolayer.figures.onestep.generated_images import PAIRS


def draw(r: Evidence) -> Figure:
    """Error against the width on generated images of two pairs of classes that keep their means."""
    return generated_images.draw_pairs(r, ("tops_with_means", "boots_with_means"))


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published figure, Hermite model against the network, the shapes of the curves, and what the means bring."""
    yield from generated_images.theory_of_network(r, "tops_with_means", PAIRS["tops"], classes=("relu", "sigmoid"))
    for centred, pair in PAIRS.items():
        run = f"{centred}_with_means"
        yield from generated_images.published(r, run, f"published_{centred}", pair)
        claim = "the paper's claim; 4 percent in its figure, 6 where the GAN is another, 30 for a model of degree two"
        yield generated_images.wide_equivalence(r[run], pair, 3, claim)
        yield from _shapes(r, run, pair)
        yield ordering(
            r[centred].network,
            r[run].network,
            f"{pair}, the means make it easier",
            source="figure 24, which is without them",
        )


def _shapes(r, run, pair):
    overshoot = r[run].sel(activation="tanh", width=1)
    yield ordering(
        overshoot.hermite,
        overshoot.network,
        f"{pair}, tanh: the Hermite model overshoots at k = m",
        source=shapes.CURVES,
    )
    paper = r.at("paper")[run].network  # six to eight trials at the quick preset decide the largest of these only
    for activation, width, curves in (
        ("relu", 0.7, paper),
        ("relu", 3, r[run].network),
        ("tanh", 0.7, paper),
        ("tanh", 3, paper),
    ):
        yield shapes.less(
            curves.sel(activation=activation),
            {"width": width},
            {"width": 1},
            f"{pair}, {activation}: more at k = m than at k/m = {width}",
            source="double descent of the published curve",
        )
    title = f"{pair}, sigmoid: more at k/m = 0.7 than at 3"
    sigmoid = paper.sel(activation="sigmoid")
    yield shapes.less(sigmoid, {"width": 3}, {"width": 0.7}, title)

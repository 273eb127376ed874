"""Figure 24: networks after one gradient step on generated images whose classes are centred."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Check, at_most, main, pooled
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import extrema, generated_images
from twolayer.figures.one_step.agreement import under_markers
from twolayer.figures.one_step.generated_images import PAIRS, WIDE_MODEL, of_paper
from twolayer.figures.one_step.places import nearest


def draw(r: Evidence) -> Figure:
    """Draw the error against the width on generated images of two pairs of classes, each without its mean."""
    return generated_images.draw_pairs(r, ("tops", "boots"))


def checks(r: Evidence) -> Iterator[Check]:
    """Check the network against the published figure and the Hermite model, and the order and shapes of the curves."""
    for run, pair in PAIRS.items():
        yield from generated_images.published(r, run, f"published_{run}", pair)
        yield from generated_images.theory_of_network(r, run, pair)
        yield generated_images.wide_equivalence(r[run], pair, 1.5, WIDE_MODEL)
        paper = of_paper(r.at("paper"), run)[run].sel(width=slice(0.3, 1.1))
        yield under_markers(paper.hermite_difference, paper.network, pair, 0.0172, ", k/m from 0.3 to 1.1")
        yield from _shapes(r, run, pair)
    yield main(
        pooled(
            *generated_images.both_pairs(r, PAIRS, "", axes=dict.fromkeys(PAIRS, "width")),
            "both pairs, theory by sampled moments against the network, pooled",
            source="sampled second moments of the features of drawn first layers, as m and k grow in proportion",
            compared=THEORY,
        )
    )


def _shapes(r, run, pair):
    """Check the shapes of curves. Six trials at the quick preset do not determine the order for tanh."""
    network = of_paper(r, run)[run].network
    paper = of_paper(r.at("paper"), run)[run].network
    wide, narrow, small = (nearest(r[run], width=place)["width"] for place in (3, 0.7, 0.1))
    from_width = nearest(r[run], width=1.5)["width"]
    for other, curves, first, where in (
        ("tanh", paper, 0, ""),
        ("sigmoid", network, from_width, f", k/m from {from_width:g}"),
    ):
        yield extrema.less(
            curves.sel(width=slice(first, None)),
            {"activation": "relu"},
            {"activation": other},
            f"{pair}, relu better than {other}{where}",
            source=extrema.CURVES,
        )
    yield at_most(
        0.5,
        r[run].network.sel(activation="tanh", width=slice(small, None)),
        f"{pair}, tanh no better than an output of zero",
        source="odd features of centred images cannot distinguish the classes",
        compared=THEORY,
    )
    for activation, curves in (("relu", network), ("tanh", paper)):
        title = f"{pair}, {activation}: more at k/m = {narrow:g} than at {wide:g}"
        curve = curves.sel(activation=activation)
        yield extrema.less(curve, {"width": wide}, {"width": narrow}, title)

"""Figure 23: networks after one gradient step against alignment, mixture ratio and rank."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Verdict, at_most, ordering, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import agreement, shapes
from twolayer.figures.onestep.panels import COLOURS, legend, panel, readings
from twolayer.figures.style import PAGE


def draw(r: Evidence) -> Figure:
    """Error against alignment and ratio of the components and the rank of their spikes, and the class error."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6))
    alignment, ratio, rank, classes = panels.flat
    panel(alignment, r["alignment"], theory=r["theory_alignment"])
    panel(ratio, r["ratio"], theory=r["theory_ratio"], replay=r["ratio_published"], published=r["published_ratio"])
    panel(rank, r["rank"], theory=r["theory_rank"])
    panel(classes, r["ratio"], theory=r["theory_ratio"], suffix="_misclassified")
    if int(r["alignment"].samples) == int(r["ratio_published"].samples):  # the paper's size
        for axes, name in ((alignment, "alignment"), (rank, "rank")):
            for activation in r[name].activation.values:
                published = r[f"published_{name}"].sel(activation=activation)
                readings(axes, published, name, COLOURS[activation])
    legend(figure, ratio)
    trials = {name: r[name].sizes["seed"] for name in ("alignment", "ratio", "rank")}
    n, m = int(r["rank"].input_dimension), int(r["rank"].samples)
    figure.suptitle(f"$n = {n}$, $m = {m}$; {', '.join(map(str, trials.values()))} trials")
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published code and figure, Hermite model against the network, limits, and the shapes of the curves."""
    yield from _alignment(r)
    yield from _ratio(r)
    yield from _rank(r)


def _alignment(r):
    yield from agreement.theory_of_network(r["alignment"], r["theory_alignment"], "alignment")
    result, figure = r.at("paper")["alignment"], r["published_alignment"]
    yield from agreement.draw_replayed(result, figure, "alignment", visible=("network",), draws="draws")
    yield from agreement.equivalence(r["alignment"], r["theory_alignment"], "alignment")
    yield agreement.beneath_markers(r.at("paper")["alignment"], "alignment", 4.6e-4)
    for scale, centre, where in (("paper", 0.0526316, "near 0"), ("quick", 0, "at 0")):
        network = r.at(scale)["alignment"].network
        for end in (-1, 1):
            title = f"alignment: less at {end} than {where}"
            yield shapes.less(network, {"alignment": end}, {"alignment": centre}, title)
    network = r["alignment"].network
    yield z_score(
        network.sel(alignment=-1, drop=True),
        network.sel(alignment=1, drop=True),
        "alignment: the same at -1 and 1",
        source="symmetry of the problem",
        compared=INDEPENDENT,
    )


def _ratio(r):
    yield from agreement.theory_of_network(r["ratio"], r["theory_ratio"], "ratio")
    both = {"ratio": slice(0.05, 0.95)}  # beyond there is nothing to miss
    result, theory = (r[run].sel(both) for run in ("ratio", "theory_ratio"))
    one_input = 1 / (5 * result.samples)  # by which a whole number of the test set may miss the mixture's ratio
    theory = theory.assign_coords(theory_misclassified_reading=one_input)
    yield from agreement.theory_of_network(result, theory, "ratio, class error", suffix="_misclassified")
    yield agreement.theory_of_published(r["theory_ratio_at_n_1000"], r["published_ratio"], r["ratio"], "ratio")
    yield from agreement.published(r, "ratio", "published_ratio", "code_ratio", "ratio")
    yield from agreement.equivalence(r["ratio"], r["theory_ratio"], "ratio")
    yield agreement.beneath_markers(r.at("paper")["ratio"], "ratio", 0.017)
    network = r["ratio"].network
    for end, activation in product((0, 1), ("relu", "sigmoid")):
        yield at_most(
            network.sel(ratio=end, activation=activation),
            0,
            f"ratio, {activation}: nothing to err in at {end}",
            tolerance=0.01,
            source="a single class is left",
            compared=THEORY,
        )
    yield z_score(
        r["ratio"].network_misclassified.sel(activation="tanh"),
        0.5,
        "ratio, tanh: half of the answers are wrong",
        source="odd features answer an input and its mirror image, which is as likely, with opposite signs",
        compared=THEORY,
    )
    yield ordering(
        network.sel(activation="tanh"),
        0.5,
        "ratio, tanh: never better than no answer",
        source="odd features cannot tell centred components apart",
        compared=THEORY,
    )


def _rank(r):
    yield from agreement.theory_of_network(r["rank"], r["theory_rank"], "rank")
    result, figure = r.at("paper")["rank"], r["published_rank"]
    yield from agreement.draw_replayed(result, figure, "rank", draws="draws")
    yield from agreement.equivalence(r["rank"], r["theory_rank"], "rank")
    yield agreement.beneath_markers(r.at("paper")["rank"], "rank", 1.3e-3)
    yield shapes.largest(r.at("paper")["rank"].network, "rank: largest at 1", rank=1)
    yield relative(
        result.network.sel(rank=slice(6, 10)),
        result.network.sel(rank=10, drop=True),
        "rank: hardly anything changes from 6 on",
        tolerance=0.2,
        source="the paper's claim that it saturates; the published curve changes by 10 percent",
        compared=PUBLISHED,
    )

"""Figure 23: networks after one gradient step against alignment, mixture ratio and rank."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Check, at_most, main, ordering, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import agreement, extrema
from twolayer.figures.one_step.panels import COLOURS, legend, panel, readings
from twolayer.figures.one_step.places import nearest, of_paper
from twolayer.figures.style import PAGE

_CLASSES = {"data__labels": "classification"}
_SPIKES = {"data__random_spikes": True}


def draw(r: Evidence) -> Figure:
    """Draw the error against alignment and ratio of the components and the rank of their spikes, and the class
    error."""
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


def checks(r: Evidence) -> Iterator[Check]:
    """Check the network against published values and the Hermite model, the limits, and the shapes of the curves."""
    yield from _alignment(r)
    yield from _ratio(r)
    yield from _rank(r)


def _alignment(r):
    yield from agreement.theory_of_network(r["alignment"], r["theory_alignment"], "alignment")
    figure = r["published_alignment"]
    result = agreement.large_replay(r, "alignment")["alignment"]
    yield from agreement.draw_replayed(result, figure, "alignment", visible=("network",), draws="draws")
    yield from agreement.equivalence(r["alignment"], r["theory_alignment"], "alignment")
    yield agreement.beneath_markers(of_paper(r.at("paper"), "alignment")["alignment"], "alignment", 4.6e-4)
    network = r["alignment"].network
    low, centre, high = (nearest(network, alignment=place) for place in (-1, 0.05, 1))
    for end in (low, high):
        title = f"alignment: less at {end['alignment']:g} than at {centre['alignment']:.2g}"
        curve = of_paper(r, "alignment", size=False)["alignment"].network
        yield extrema.less(curve, end, centre, title, least=0.1)
    yield z_score(
        network.sel(low, drop=True),
        network.sel(high, drop=True),
        f"alignment: equal errors at {low['alignment']:g} and {high['alignment']:g}",
        source="symmetry of the problem",
        compared=INDEPENDENT,
    )


def _ratio(r):
    every_point, pooled = agreement.theory_of_network(r["ratio"], r["theory_ratio"], "ratio")
    yield every_point
    yield main(pooled)
    both = {"ratio": slice(0.05, 0.95)}  # beyond these ratios there is nothing to misclassify
    result, theory = (r[run].sel(both) for run in ("ratio", "theory_ratio"))
    # one input: the deviation of a whole number of the test set from the mixture's ratio
    one_input = 1 / (5 * result.samples)
    theory = theory.assign_coords(theory_misclassified_reading=one_input)
    yield from agreement.theory_of_network(result, theory, "ratio, class error", suffix="_misclassified")
    full_size = of_paper(r, "theory_ratio_at_n_1000", **_CLASSES)["theory_ratio_at_n_1000"]
    yield agreement.theory_of_published(full_size, r["published_ratio"], r["ratio"], "ratio")
    yield from agreement.published(r, "ratio", "published_ratio", "code_ratio", "ratio", **_CLASSES)
    yield from agreement.equivalence(r["ratio"], r["theory_ratio"], "ratio")
    yield agreement.beneath_markers(of_paper(r.at("paper"), "ratio", **_CLASSES)["ratio"], "ratio", 0.017)
    network = r["ratio"].network
    single = [ratio for ratio in network.ratio.values if ratio in (0, 1)]
    for end, activation in product(single, ("relu", "sigmoid")):
        yield at_most(
            network.sel(ratio=end, activation=activation),
            0,
            f"ratio, {activation}: no errors at {end:g}",
            tolerance=0.01,
            source="there is a single class",
            compared=THEORY,
        )
    yield z_score(
        r["ratio"].network_misclassified.sel(activation="tanh"),
        0.5,
        "ratio, tanh: half of the answers are wrong",
        source="odd features give opposite outputs for an input and its equally likely mirror image",
        compared=THEORY,
    )
    yield ordering(
        network.sel(activation="tanh"),
        0.5,
        "ratio, tanh: never better than an output of zero",
        source="odd features cannot distinguish centred components",
        compared=THEORY,
    )


def _rank(r):
    yield from agreement.theory_of_network(r["rank"], r["theory_rank"], "rank")
    result, figure = agreement.large_replay(r, "rank", **_SPIKES)["rank"], r["published_rank"]
    yield from agreement.draw_replayed(result, figure, "rank", draws="draws")
    yield from agreement.equivalence(r["rank"], r["theory_rank"], "rank")
    yield agreement.beneath_markers(of_paper(r.at("paper"), "rank", **_SPIKES)["rank"], "rank", 1.3e-3)
    first, last = (int(r["rank"]["rank"].values[place]) for place in (0, -1))
    yield extrema.largest(result.network, f"rank: largest at {first}", rank=first)
    settled = int(nearest(r["rank"], rank=6)["rank"])
    later = [rank for rank in r["rank"]["rank"].values if rank >= settled]
    yield relative(
        result.network.sel(rank=later),
        result.network.sel(rank=last, drop=True),
        f"rank: hardly any change from {settled}",
        tolerance=0.2,
        source="the paper's claim that it saturates; the published curves change by up to 7 percent",
        compared=PUBLISHED,
    )

"""Figure 28: networks after one gradient step on generated images, against the width and the step."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, THEORY, Check, main, ordering, pooled, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import extrema, generated_images
from twolayer.figures.one_step.generated_images import WIDE_MODEL, of_paper
from twolayer.figures.one_step.panels import legend, panel
from twolayer.figures.one_step.places import nearest, units
from twolayer.figures.style import PAGE

_AXES = {"tops": "width", "tops_step": "step_exponent"}


def draw(r: Evidence) -> Figure:
    """Draw errors on generated images, against the width and against the step."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6), sharex="col")
    runs = (
        ("tops", rf"$\eta = {_step(r.parameter('tops', 'step_exponent'))}$", True),
        ("tops_step", f"${units(r.parameter('tops_step', 'width'))}$", False),
    )
    for (error, classes), (run, title, hermite) in zip(panels.T, runs, strict=True):
        published, theory = run.replace("tops_step", "step"), r[f"theory_{run}"]
        readings = generated_images.readings_at_its_size(r, f"published_{published}")
        panel(error, r[run], theory=theory, published=readings, hermite=hermite)
        panel(classes, r[run], theory=theory, suffix="_misclassified", hermite=hermite)
        error.set(title=title, xlabel=None)
    legend(figure, panels[0, 0], columns=3)
    figure.suptitle(generated_images.caption(r, "tops", "tops_step"))
    return figure


def _step(exponent):
    """Return the step n to the power of an exponent, in the notation of TeX."""
    return "1" if exponent == 0 else "n" if exponent == 1 else f"n^{{{exponent:.2g}}}"


def checks(r: Evidence) -> Iterator[Check]:
    """Check the network against the published figure and the Hermite model, and the shapes of the curves."""
    yield from generated_images.published(r, "tops", "published_tops", "width")
    yield from generated_images.published(r, "tops_step", "published_step", "step", ("network",), degree=6)
    yield from generated_images.theory_of_network(r, "tops", "width")
    yield from generated_images.theory_of_network(r, "tops_step", "step")
    yield main(
        pooled(
            *generated_images.both_pairs(r, _AXES, "", axes=_AXES),
            "width and step, theory by sampled moments against the network, pooled",
            source="sampled second moments of the features of drawn first layers, as m and k grow in proportion",
            compared=THEORY,
        )
    )
    yield generated_images.wide_equivalence(r["tops"], "width", 1.5, WIDE_MODEL)
    points = r["tops_step"].step_exponent
    first, last = (float(points[place]) for place in (0, -1))
    lowest = nearest(r["tops_step"], step_exponent=0.67)["step_exponent"]
    yield ordering(
        of_paper(r, "tops_step", degree=6)["tops_step"].network.sel(step_exponent=first, drop=True),
        r["tops_step"].network.sel(step_exponent=lowest, drop=True),
        f"step: less on average at eta = n^{lowest:.2g} than at n^{first:g}",
        source="shape of the published curves, by ten percent or more",
        on_average=True,
        stated=0.1,
    )
    yield extrema.less(
        of_paper(r.at("paper"), "tops_step", degree=6)["tops_step"].network,  # six trials hardly decide this
        {"step_exponent": last},
        {"step_exponent": first},
        f"step: less at eta = n^{last:g} than at n^{first:g}",
        source=extrema.CURVES,
    )
    same = r["tops"].sel(width=nearest(r["tops"], width=r.parameter("tops_step", "width"))["width"])
    yield z_score(
        r["tops_step"].network.sel(step_exponent=first),
        same.network,
        "the smallest step agrees with the sweep of the width",
        source="the same distribution, other draws",
        compared=INDEPENDENT,
    )

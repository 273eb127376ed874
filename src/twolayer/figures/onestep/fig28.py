"""Figure 28: networks after one gradient step on generated images, against the width and the step."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, Verdict, falling, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import generated_images, shapes
from twolayer.figures.onestep.generated_images import WIDE_MODEL
from twolayer.figures.onestep.panels import legend, panel
from twolayer.figures.style import PAGE


def draw(r: Evidence) -> Figure:
    """Errors on generated images, against the width and against the step."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6), sharex="col")
    runs = (("tops", r"$\eta = 1$", True), ("tops_step", "$k = m$", False))
    for (error, classes), (run, title, hermite) in zip(panels.T, runs, strict=True):
        published, theory = run.replace("tops_step", "step"), r[f"theory_{run}"]
        readings = generated_images.readings_at_its_size(r, f"published_{published}")
        panel(error, r[run], theory=theory, published=readings, hermite=hermite)
        panel(classes, r[run], theory=theory, suffix="_misclassified", hermite=hermite)
        error.set(title=title, xlabel=None)
    legend(figure, panels[0, 0], columns=3)
    figure.suptitle(generated_images.caption(r["tops"]))
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published figure, Hermite model against the network, and the shapes of the curves."""
    yield from generated_images.published(r, "tops", "published_tops", "width")
    yield from generated_images.published(r, "tops_step", "published_step", "step", ("network",))
    yield from generated_images.theory_of_network(r, "tops", "width")
    yield from generated_images.theory_of_network(r, "tops_step", "step")
    yield generated_images.wide_equivalence(r["tops"], "width", 1.5, WIDE_MODEL)
    network = r["tops_step"].network
    yield falling(
        network.sel(step_exponent=slice(0, 0.67)),
        "step_exponent",
        "step: error falls up to eta = n^(2/3)",
        tolerance=0.03,
        source="shape of the published curves; the tolerance is the standard error of six trials",
        compared=PUBLISHED,
    )
    yield shapes.less(
        r.at("paper")["tops_step"].network,  # six trials at the quick preset hardly decide it
        {"step_exponent": 1},
        {"step_exponent": 0},
        "step: less at eta = n than at eta = 1",
        source=shapes.CURVES,
    )
    yield z_score(
        network.sel(step_exponent=0),
        r["tops"].network.sel(width=1),
        "the smallest step is that of the sweep of the width",
        source="the same law, other draws",
        compared=INDEPENDENT,
    )

"""Random features of real images, and the limits of Gaussian theory."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.escaping import mathtext
from twolayer.figures.checks import THEORY, Check, ordering
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.style import PAGE

COLUMNS = {
    "two classes, least squares": ("image_classes", "square", "test_loss", "pmse"),
    "teacher on the pixels, least squares": ("image_teacher", "square", "test_loss", "pmse"),
    "teacher on the pixels, logistic": ("image_teacher", "logistic", "class_error", "class error"),
}


def draw(r: Evidence) -> Figure:
    """Draw errors on random features of real images, for their classes and for a teacher on the pixels."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 4.8), sharex=True)
    for (fresh, training), (title, (run, loss, error, name)) in zip(panels.T, COLUMNS.items(), strict=True):
        for axes, quantity in ((fresh, error), (training, "training_loss")):
            sides = (r[f"{run}_{side}"][quantity].sel(loss=[loss]) for side in ("replica", "learning"))
            sample_ratios.draw_curves(axes, *sides)
        fresh.set_ylabel(name)
        fresh.set_title(title)
        sample_ratios.label_training(training, "log" if loss == "square" else "linear")
    style = {"color": sample_ratios.COLOURS["square"], "linewidth": 0.9}
    for column, run in ((0, "image_classes_replica"), (1, "image_signs_replica")):
        theory = r[run].sel(loss="square").squeeze("ridge")
        for axes, quantity in zip(panels[:, column], ("test_loss", "training_loss"), strict=True):
            if column == 1:
                label = r"replica with measured $\mathrm{E}\,yv$"
                axes.plot(theory.sample_ratio, theory[quantity], "--", **style, label=label)
            label = r"replica with draws from a finite set"
            axes.plot(theory.sample_ratio, theory[f"set_{quantity}"], ":", **style, label=label)
    figure.suptitle(mathtext(r["image_classes"].attrs["distribution"]))
    legend_below(figure, panels.flat, 3)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the theory of draws from a set holds within a few percent.

    For a teacher on the pixels, the theory needs the measured E y v.
    """
    yield from _class_checks(r)
    teacher, theory = r["image_teacher_learning"], r["image_teacher_replica"]
    yield sample_ratios.finite_set_check(
        teacher.test_loss.sel(loss="square"),
        r["image_signs_replica"].set_test_loss.sel(loss="square"),
        "teacher on the pixels, test loss of least squares against the same theory with the measured E y v",
    )
    for place, title in (
        ({"loss": "square"}, "least squares has a smaller class error than the theory of Gaussian fields"),
        (
            {"loss": "logistic", "sample_ratio": _many(teacher)},
            "logistic regression on many samples has a smaller class error than the theory",
        ),
    ):
        yield ordering(
            theory.class_error.sel(loss=place["loss"]),
            teacher.class_error.sel(place),
            f"teacher on the pixels, {title}",
            source="a stated disagreement, because field and features are not jointly Gaussian",
            compared=THEORY,
            on_average=True,
        )


def _many(learning):
    """Return the sample ratios from two upward."""
    return [ratio for ratio in learning.sample_ratio.values if ratio >= 2]


def _class_checks(r):
    """Compare labels of images with the theory of draws from a finite set."""
    classes, theory = r["image_classes_learning"], r["image_classes_replica"]
    yield ordering(
        r.at("quick")["image_classes_learning"].test_loss,
        theory.test_loss,
        "labels of images, the test loss exceeds the theory of an infinite set",
        source=f"a stated disagreement: of {r['image_classes'].sizes['sample']:,} images many are drawn twice",
        compared=THEORY,
        on_average=True,
    )
    yield from sample_ratios.finite_set_checks(classes, theory, "labels of images")

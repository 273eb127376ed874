"""Random features of real images, and where the Gaussian theory ends."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Verdict, at_most, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.sample_ratios import COLOURS, draw_curves, label_training, with_legend

COLUMNS = {
    "two classes, least squares": ("image_classes", "square", "test_loss", "pmse"),
    "teacher on the pixels, least squares": ("image_teacher", "square", "test_loss", "pmse"),
    "teacher on the pixels, logistic": ("image_teacher", "logistic", "class_error", "class error"),
}


def draw(r: Evidence) -> Figure:
    """Random features of real images: their classes, and a teacher that sees the pixels."""
    figure, panels = plt.subplots(2, 3, figsize=(8.4, 4.8), sharex=True)
    for (fresh, training), (title, (run, loss, error, name)) in zip(panels.T, COLUMNS.items(), strict=True):
        for axes, quantity in ((fresh, error), (training, "training_loss")):
            sides = (r[f"{run}_{side}"][quantity].sel(loss=[loss]) for side in ("replica", "learning"))
            draw_curves(axes, *sides)
        fresh.set_ylabel(name)
        fresh.set_title(title, fontsize=9)
        label_training(training, "log" if loss == "square" else "linear")
    signs = r["image_signs_replica"].sel(loss="square").squeeze("ridge")
    for axes, quantity in zip(panels[:, 1], ("test_loss", "training_loss"), strict=True):
        style = {"linestyle": "--", "color": COLOURS["square"], "linewidth": 0.9}
        axes.plot(signs.sample_ratio, signs[quantity], **style, label=r"replica with measured $\mathrm{E}\,yv$")
    figure.suptitle(r["image_classes"].attrs["law"], fontsize=9)
    return with_legend(figure, panels, 3)


def checks(r: Evidence) -> Iterator[Verdict]:
    """The theory holds for classes; for a teacher on the pixels it needs the measured correlation of the labels."""
    gaussian = "replica equations, for Gaussian features of the same covariances"
    classes, theory = r["image_classes_learning"], r["image_classes_replica"]
    for loss in ("test_loss", "training_loss"):
        yield z_score(classes[loss], theory[loss], f"labels of images, {loss}", source=gaussian, compared=THEORY)
    teacher, theory = r["image_teacher_learning"], r["image_teacher_replica"]
    yield z_score(
        teacher.test_loss.sel(loss="square"),
        r["image_signs_replica"].test_loss.sel(loss="square"),
        "teacher on the pixels, least squares against the theory with the measured correlation of labels and features",
        source=f"{gaussian} and labels of any law",
        compared=THEORY,
    )
    for place, title in (
        ({"loss": "square"}, "least squares errs less often than the theory of Gaussian fields says"),
        ({"loss": "logistic", "sample_ratio": slice(2, 4)}, "so does logistic regression on many samples"),
    ):
        yield at_most(
            teacher.class_error.sel(place),
            theory.class_error.sel(place),
            f"teacher on the pixels, {title}",
            tolerance=1e-9,
            source="a stated disagreement, as field and features are not Gaussian together",
            compared=THEORY,
        )

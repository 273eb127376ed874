"""Figure 16: training ResNet-20 on CIFAR-10, test accuracy by batch size."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, PUBLISHED, Check, among, main, ordering
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro import resnet

EARLY = 5  # epochs, where the published accuracies of SGD and variable projection differ most


def draw(r: Evidence) -> Figure:
    """Draw the test accuracy of ResNet-20 after each epoch: a panel for each optimizer, a colour for each batch
    size."""
    return resnet.trainings(r, "accuracy", "test accuracy")


def checks(r: Evidence) -> Iterator[Check]:
    """Compare outputs with their definitions, and the accuracy with chance and with published values.

    At the quick preset an accuracy comes from few images, so that its checks detect only large relative errors. The
    checks of the outputs detect small errors.
    """
    for optimizer in resnet.OPTIMIZERS:
        words = "outputs for test images after the first steps"
        name = resnet.smallest_batches(r, optimizer)
        defined = resnet.as_defined(r, name, "confidence", "reference_confidence", words)
        yield main(defined) if optimizer == "resnet_varpro" else defined
    for optimizer in resnet.OPTIMIZERS:
        name = resnet.smallest_batches(r, optimizer)
        yield ordering(
            r[name].above_chance.assign_coords(above_chance_sem=1.0),
            0.0,
            f"{resnet.label(r, name)}: at its best above chance",
            source="the paper's claim; in standard errors of counting on the test images",
            compared=NUMERICS,
        )
    yield resnet.starts_at_chance(r[resnet.smallest_batches(r, "resnet_sgd")], r["published"])
    for batch_size in resnet.batch_sizes(r)[:2]:
        names = [r.name_of(optimizer, batch_size=batch_size) for optimizer in ("resnet_sgd", "resnet_varpro")]
        here = resnet.of_paper(r.at("paper"), *names, size=True)
        sgd, varpro = (among(here[name].accuracy, completed_epochs=(EARLY,)) for name in names)
        yield ordering(
            sgd,
            varpro,
            f"batches of {batch_size}, {EARLY} epochs: SGD with momentum is more accurate than variable projection",
            stated=0.2,
            source="published curves, which differ by at least a quarter; spread between runs",
            compared=PUBLISHED,
        )
    yield from resnet.as_published(r, "accuracy")

"""Online training of the readout of random features, against its equations."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.applicable import variable
from twolayer.figures.checks import NUMERICS, Check, among, at_most, main, pooled, relative
from twolayer.figures.curves import SIMULATION, after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE

CASES = ("isotropic", "random", "images")
NAMES = {"isotropic": "isotropic noise", "random": "random covariance", "images": "moments of images"}
# relative error of the equations without correlations: 0.3 % too high, and about the same for other features
DIAGONAL = 0.006
ENDED = 0.02  # relative difference of pmse between the end of the equations and their stationary state


def draw(r: Evidence) -> Figure:
    """Draw a panel for each mixture: SGD as points, and equations that continue beyond its end."""
    figure, panels = plt.subplots(1, len(CASES), figsize=(PAGE, 2.7))
    for axes, case in zip(panels, CASES, strict=True):
        theory, sgd = after_start(r[f"readout_{case}_curve"]), after_start(r[f"readout_{case}_sgd"])
        axes.plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
        axes.plot(theory.time, theory.mean_pmse, "--", color="black", linewidth=0.8, label="mean readout")
        axes.axhline(float(theory.optimum_pmse), linestyle=":", color="black", label="best readout")
        points(axes, sgd.pmse, "seed", SIMULATION, f"SGD, {sgd.sizes['seed']} runs")
        axes.axvline(float(sgd.time[-1]), color="0.8", linewidth=0.8, zorder=0, label="end of SGD")
        axes.set(xscale="log", xlabel="time $t$ = steps / $D$", title=NAMES[case])
    panels[0].set_ylabel("pmse")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that SGD follows the equations, which tend to a stationary state above the error of the best readout."""
    for case in CASES:
        theory, sgd = after_start(r[f"readout_{case}_curve"]), after_start(r[f"readout_{case}_sgd"])
        agreement = pooled(
            sgd.pmse,
            among(theory.pmse, time=sgd.time.values),
            f"{NAMES[case]}, pmse of SGD against the equations, mean over times",
            source="equations for the mean and the mean squares of the weights, within chance and their error",
            stated=DIAGONAL,
        )
        yield main(agreement) if case == CASES[0] else agreement
        yield at_most(
            theory.mean_pmse,
            theory.pmse,
            f"{NAMES[case]}, the mean readout is never worse than a single readout",
            source="convexity of the squared error",
            compared=NUMERICS,
            tolerance=1e-9,
        )
        yield relative(
            theory.pmse.isel(time=-1, drop=True),
            variable(theory, "stationary_pmse", "the stationary state is known only for a weight decay of zero"),
            f"{NAMES[case]}, pmse at the end of the equations against the stationary state",
            tolerance=ENDED,
            source="closed form of the stationary state",
            compared=NUMERICS,
        )

"""The kernel limit of random features, against the numbers of samples, of features, and of both."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, THEORY, Check, among, at_most, main, mean_relative
from twolayer.figures.curves import points
from twolayer.figures.evidence import Evidence
from twolayer.figures.mixtures.notation import BAYES, FEATURES, NETWORK
from twolayer.figures.numbers import plain
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, RED

KERNELS = {"kernel": (RED, "infinitely many random features"), "tangent": (PURPLE, "neural tangent kernel")}
WEAK = 0.6  # relative error of the theory, times D sigma^2, for means of length 1: 0.4 at n >= 200 of D = 50 and 200
MIXED = 5.0  # relative error of the theory, times D, for means of both lengths: 5 % at n = D = 100
WIDE = 10  # features per sample above which random features are near their kernel
NEAR = 0.08  # relative difference of pmse at the largest number of features, which falls like n / F
LINEAR = 1.5  # samples per dimension below which kernels learn nothing of weak means
CHANCE_LEVEL = 0.42  # smallest class error there, where fluctuations of order D^(-1/2) help
ATTAINED = 0.02  # distance from the Bayes error for polynomials of the degree of the labels


def draw(r: Evidence) -> Figure:
    """Draw kernels against the number of samples, and random features against their number."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.2))
    _samples(panels[0, 0], r, "low", KERNELS)
    _samples(panels[0, 1], r, "mixed", ["kernel"])
    _width(panels[1, 0], r)
    _command(panels[1, 1], r)
    return figure


def _samples(axes: Axes, r: Evidence, regime: str, kernels) -> None:
    for name in kernels:
        theory, runs = r[f"{name}_{regime}_theory"].isel(sigma=0), r[f"{name}_{regime}"].isel(sigma=0)
        colour, label = KERNELS[name]
        axes.plot(theory.samples, theory.class_error, color=colour, label=label)
        points(axes, runs.class_error, "seed", colour)
    axes.axhline(float(theory.bayes_error), linestyle=":", color=BAYES, label="Bayes-optimal classifier")
    D = float(theory.input_dimension)
    for power, name in ((1, "$D$"), (2, "$D^2$")):
        axes.axvline(D**power, linestyle="--", color="0.8", linewidth=0.8, zorder=0)
        axes.annotate(name, (D**power, 0.1), xycoords=("data", "axes fraction"), ha="left", color="0.5")
    run = f"kernel_{regime}"
    axes.set(xscale="log", xlabel="training samples $n$", ylabel="class error")
    axes.set_title(rf"{regime} SNR, $D={plain(r.parameter(run, 'input_dimension'))}$, $\sigma={float(theory.sigma):g}$")
    axes.legend()


def _width(axes: Axes, r: Evidence) -> None:
    result = r["kernel_width"].isel(sigma=0)
    for n, colour in zip(result.samples.values, (BLUE, GREEN, PURPLE, RED), strict=False):
        here = result.sel(samples=n)
        scaled = here.feature_pmse.assign_coords(features=here.features / n)
        points(axes, scaled, "seed", colour, f"$n={n}$")
        axes.axhline(float(here.pmse.mean("seed")), color=colour, linewidth=0.8)
        axes.axvline(float(result.input_dimension) / n, color=colour, linestyle="--", linewidth=0.8)
    axes.plot([], [], color="0.5", linewidth=0.8, label="kernel of the same samples")
    axes.plot([], [], "--", color="0.5", linewidth=0.8, label="$F=D$")
    axes.set(xscale="log", yscale="log", xlabel="random features per sample, $F/n$", ylabel="pmse")
    axes.legend()


def _command(axes: Axes, r: Evidence) -> None:
    theory, closed = r["xor_features_theory"], r["xor_features_command"]
    D = float(closed.input_dimension)
    for sigma, colour in zip(theory.sigma.values, (NETWORK, FEATURES, GREEN), strict=False):
        here = theory.sel(sigma=sigma)
        axes.plot(here.features / D, here.feature_class_error, color=colour, label=rf"$\sigma={sigma:g}$")
        axes.axhline(float(here.bayes_error), linestyle=":", color=colour)
        points(axes, closed.class_error.sel(sigma=sigma).transpose("projection", "ratio"), "projection", colour)
    axes.set(xscale="log", xlabel="random features per dimension, $F/D$", ylabel="class error")
    axes.set_title(rf"infinitely many samples, $D={plain(r.parameter('xor_features_command', 'input_dimension'))}$")
    axes.legend()


def checks(r: Evidence) -> Iterator[Check]:
    """Check that samples follow theory, that random features tend to their kernel, and that weak means need D^2
    samples.
    """
    weak = r.parameter("kernel_low", "sigma")[0] ** 2 * r.parameter("kernel_low", "input_dimension")
    yield main(_theory_check(r, "kernel_low", WEAK / weak))
    yield _theory_check(r, "tangent_low", WEAK / weak)
    yield _theory_check(r, "kernel_mixed", MIXED / r.parameter("kernel_mixed", "input_dimension"))
    yield from _width_checks(r["kernel_width"].isel(sigma=0))
    yield from _weak_mean_checks(r["kernel_low_theory"])
    yield from _command_checks(r)


def _theory_check(r: Evidence, run: str, tolerance: float) -> Check:
    result, theory = r[run], r[f"{run}_theory"]
    return mean_relative(
        result.pmse,
        among(theory.pmse, samples=result.samples.values),
        f"{run.replace('_', ', ')} SNR, pmse on samples against theory, mean over numbers of samples",
        tolerance=tolerance,
        source="equations of the modes of the kernel, for large D; the tolerance is their known correction",
    )


def _width_checks(result: xr.Dataset) -> Iterator[Check]:
    widest = result.feature_pmse.isel(features=-1, drop=True)
    yield mean_relative(
        widest,
        result.pmse,
        "pmse of the largest number of random features against the kernel of the same samples",
        tolerance=NEAR,
        source="the kernel; the difference falls like samples over features",
    )
    as_samples = xr.concat([_at_samples(result, n) for n in result.samples.values], "samples")
    yield at_most(
        widest.mean("samples"),
        as_samples.mean("samples"),
        "as many random features as samples are worse than many more",
        source="equations of ridge regression, in which samples and features exchange roles",
        compared=THEORY,
    )


def _at_samples(result: xr.Dataset, samples: int) -> xr.DataArray:
    """Return the pmse with about as many features as samples."""
    nearest = int(np.argmin(abs(np.log(np.maximum(result.features.values, 1) / max(samples, 1)))))
    return result.feature_pmse.sel(samples=samples).isel(features=nearest, drop=True)


def _weak_mean_checks(theory: xr.Dataset) -> Iterator[Check]:
    few = theory.class_error.isel(samples=np.flatnonzero(theory.samples <= LINEAR * theory.input_dimension))
    yield at_most(
        CHANCE_LEVEL,
        few,
        "weak means, kernel regression is near chance with about D samples",
        source="the labels are quadratic in the input, and so few samples resolve only linear modes",
        compared=THEORY,
    )
    yield at_most(
        theory.limit_class_error - theory.bayes_error,
        0,
        "weak means, the kernel reaches the Bayes-optimal classifier with more than D^2 samples",
        tolerance=1e-6,
        source="the sign of the quadratic polynomial is the optimal decision",
        compared=NUMERICS,
    )


def _command_checks(r: Evidence) -> Iterator[Check]:
    closed, theory = r["xor_features_command"], r["xor_features_theory"]
    D = r.parameter("xor_features_command", "input_dimension")
    by_ratio = closed.pmse.mean("projection").assign_coords(features=("ratio", D * closed.ratio.values))
    by_ratio = by_ratio.swap_dims(ratio="features").drop_vars("ratio").rename("feature_pmse")
    yield mean_relative(
        by_ratio,
        theory.feature_pmse,
        "random features with infinitely many samples, closed form against the equations of the kernel's modes",
        tolerance=WEAK / (D * float(closed.sigma[0]) ** 2),
        source="the equations for large D; the tolerance is their known correction",
    )
    noisy = theory.isel(sigma=-1)
    yield at_most(
        0.5 - noisy.bayes_error,
        0.0,
        "strong noise leaves nothing to learn: distance of the Bayes error from chance",
        tolerance=ATTAINED,
        source="the Bayes error in closed form",
        compared=THEORY,
    )

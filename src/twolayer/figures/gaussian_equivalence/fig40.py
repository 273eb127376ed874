"""Learning by a convex loss from Gaussian features, replica against simulation."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, THEORY, Check, at_most, falling, main, pooled
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.style import PAGE

FIELD_ERRORS = ("test_loss", "training_loss")
SIGN_ERRORS = ("class_error", *FIELD_ERRORS)
HINGE = "isotropic_hinge"
SOURCE = "replica equations, for infinitely many features"
AXES = {"class_error": "class error", "test_loss": "pmse"}
# run: title of its column, its name in the checks, its errors
RUNS = {
    "isotropic": ("isotropic", "isotropic", SIGN_ERRORS),
    "power_law": (r"power law, $i^{{-{exponent:g}}}$", "power_law", SIGN_ERRORS),
    "erf_features": ("{activation} features", "erf_features", SIGN_ERRORS),
    "xor_features": ("XOR mixture, {activation} features", "random features of the XOR mixture", FIELD_ERRORS),
}


def draw(r: Evidence) -> Figure:
    """Draw errors on fresh samples and training losses against the sample ratio, for four types of features."""
    figure, panels = plt.subplots(2, 4, figsize=(PAGE, 4.8), sharex=True)
    for (fresh, training), (run, (title, _, (error, *_))) in zip(panels.T, RUNS.items(), strict=True):
        for name in (run, HINGE) if run == "isotropic" else (run,):
            theory, learning = r[f"{name}_replica"], r[f"{name}_learning"]
            sample_ratios.draw_curves(fresh, theory[error], learning[error])
            sample_ratios.draw_curves(training, theory.training_loss, learning.training_loss)
        fresh.set_title(_title(r, run, title))
        fresh.set_ylabel(AXES[error])
        sample_ratios.label_training(training, "log")
    best = float(r["xor_features"].pmse)
    panels[0, 3].axhline(best, color="black", linewidth=0.8, linestyle=":", label="best readout, closed form")
    legend_below(figure, panels.flat, 4)
    return figure


def _title(r, run, title):
    """Return a title with the parameters of a run that it names."""
    names = [name for name in ("exponent", "activation") if f"{{{name}" in title]
    return title.format(**{name: r.parameter(run, name) for name in names})


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the replica equations are right, end at the best readout, and peak only for the square loss."""
    cases = {run: (_name(r, run, name), errors) for run, (_, name, errors) in RUNS.items()}
    for run, (name, errors) in (cases | {HINGE: ("isotropic, hinge loss", SIGN_ERRORS)}).items():
        for error in errors:
            sides = (r[f"{run}_{side}"][error] for side in ("learning", "replica"))
            stated = sample_ratios.finite_size(error, r["isotropic" if run == HINGE else run])
            yield from sample_ratios.agreement_checks(*sides, f"{name}, {error}", SOURCE, stated)
    yield main(_all_features(r))
    yield sample_ratios.best_readout_check(r, "closed form of the first study")
    class_error = r["isotropic_replica"].class_error
    weak = class_error.sel(loss="square").isel(ridge=int(class_error.ridge.values.argmin()))
    half, peak = (float(weak.sample_ratio[int(abs(weak.sample_ratio - ratio).values.argmin())]) for ratio in (0.5, 1))
    yield at_most(
        weak.sel(sample_ratio=half),
        weak.sel(sample_ratio=peak),
        f"square loss at a weak ridge is worse at sample ratio {peak:g} than at {half:g}",
        tolerance=1e-9,
        source="interpolation peak of least squares",
        compared=NUMERICS,
    )
    yield falling(
        class_error.sel(loss="logistic"),
        "sample_ratio",
        "logistic regression improves with every sample",
        tolerance=1e-9,
        source="labels without noise are separable at any sample ratio, so that there is no peak",
        compared=NUMERICS,
    )


def _name(r, run, name):
    """Return the name of a case in the checks."""
    return f"{r.parameter(run, 'activation')}_features" if run == "erf_features" else name


def _all_features(r):
    """Compare the class errors of all features that have one, with one mean for each seed."""
    runs = [run for run, (_, _, errors) in RUNS.items() if "class_error" in errors]
    sides = (
        xr.concat([r[f"{run}_{side}"].class_error for run in runs], "case", join="inner")
        for side in ("learning", "replica")
    )
    activation = r.parameter("erf_features", "activation")
    title = f"isotropic, power law and {activation} features, class_error, pooled"
    stated = max(sample_ratios.finite_size("class_error", r[run]) for run in runs)
    return pooled(*sides, title, source=SOURCE, compared=THEORY, stated=stated)

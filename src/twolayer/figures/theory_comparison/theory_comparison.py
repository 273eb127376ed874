"""Four theories of one mixture: the gain of a gradient step of the features, and its conditions."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import (
    INDEPENDENT,
    NUMERICS,
    THEORY,
    Check,
    among,
    at_most,
    main,
    ordering,
    pooled,
    relative,
    z_score,
)
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Absent, Evidence, points_of
from twolayer.figures.mixtures.closed_form import bayes_check
from twolayer.figures.numbers import plain
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, YELLOW

RANDOM, STEP, NETWORK, PROJECTED, LINEAR = YELLOW, BLUE, GREEN, PURPLE, "0.6"
SWEEPS = {"comparison_noise": "noise", "comparison_samples": "samples", "comparison_steps": "steps"}
_CONDITIONAL = "exact second moments of the features of each drawn first layer, as samples and features grow"
_MANY = 10  # samples per dimension above which a step has a large gain
_TIMES = 2  # smallest ratio of the errors of random features and of a step there
_WORSE = 0.2  # smallest relative rise of the pmse by a step that is too large
_FEW = 2  # number of samples per dimension that counts as few
_LARGE = 10  # size of a large step
_STEPS = [0.0, 3.0]
_MIXTURE = {
    "problem__sigma": [0.4],
    "problem__features_per_dimension": 2.0,
    "problem__geometry__shape": "circle",
    "problem__geometry__clusters_per_class": 2,
}


def draw(r: Evidence) -> Figure:
    """Draw the class error against the noise, the number of samples, and the size of the step."""
    figure, (noise, samples, steps) = plt.subplots(1, 3, figsize=(PAGE, 3.6), sharey=True)
    _limits(noise, r)
    _networks(noise, r["comparison_noise"], r["comparison_projected_noise"], "sigma")
    _networks(samples, r["comparison_samples"], r["comparison_projected_samples"], "sample_ratio")
    _steps(steps, r["comparison_steps"])
    _levels(samples, r)
    _levels(steps, r)
    few, sigma = r["comparison_noise"].sample_ratio.item(), r["comparison_samples"].sigma.item()
    noise.set(xscale="log", yscale="log", xlabel=r"noise $\sigma$", ylabel="class error", title=f"$m = {few:g}D$")
    noise.set_ylim(1e-3, 0.7)
    samples.set(xscale="log", xlabel="samples $m/D$ of each set", title=rf"$\sigma = {sigma:g}$")
    steps.set(xscale="log", xlabel="size of the step", title=rf"$\sigma = {sigma:g}$")
    legend_below(figure, (noise, steps), 3)
    size, trials = int(r["comparison_noise"].input_dimension), r["comparison_noise"].sizes["seed"]
    units = r.parameter("comparison_noise", "problem.features_per_dimension")
    figure.suptitle(f"$D = {size}$, {trials} networks of ${units:g}D$ hidden units")
    return figure


def _limits(axes: Axes, r: Evidence) -> None:
    """Draw the limits of infinitely many samples against the noise."""
    random, linear, network = (
        r["comparison_random"].isel(ratio=0),
        r["comparison_linear"].isel(ratio=0),
        r["comparison_network"],
    )
    axes.plot(random.sigma, random.bayes_error, ":", color="black", label="Bayes-optimal classifier")
    axes.plot(linear.sigma, linear.class_error.mean("projection"), color=LINEAR, label="linear classifier")
    label = r"random features, $m \to \infty$, closed form"
    axes.plot(random.sigma, random.class_error.mean("projection"), "--", color=RANDOM, linewidth=0.9, label=label)
    for result, colour in ((linear, LINEAR), (random, RANDOM)):
        tried = result.simulated_class_error.mean("projection")
        axes.plot(result.closed_sigma, tried, "s", color=colour, markersize=3, fillstyle="none")
    axes.plot(network.sigma, network.class_error, color=NETWORK, linewidth=0.9, label="online SGD, fixed point")
    tried = network.simulated_class_error
    _points(axes, tried, "closed_sigma", NETWORK, "s")


def _networks(axes: Axes, sweep: xr.Dataset, projected: xr.Dataset, along: str) -> None:
    """Draw random features, one step, and variable projection, with the same number of samples."""
    for step, colour, name in zip(sweep.step.values, (RANDOM, STEP), ("random features", "one step"), strict=True):
        here = sweep.sel(step=step).squeeze()
        axes.plot(here[along], here.theory_misclassified.mean("seed"), color=colour, label=f"{name}, theory")
        _points(axes, here.network_misclassified, along, colour, label=f"{name}, networks")
    error = projected.class_error.squeeze()
    _points(axes, error, along, PROJECTED, "D", label="variable projection, networks")


def _points(axes, errors, along, colour, mark="o", label=None):
    style = {"color": colour, "markersize": 3, "linewidth": 0.5, "elinewidth": 0.8, "label": label}
    axes.errorbar(errors[along], *mean_and_error(errors), fmt=mark, **style)


def _steps(axes: Axes, sweep: xr.Dataset) -> None:
    for ratio, style in zip(sweep.sample_ratio.values, ("-.", "-"), strict=True):
        here = sweep.sel(sample_ratio=ratio).squeeze()
        label = f"one step, theory, $m = {ratio:g}D$"
        axes.plot(here.step, here.theory_misclassified.mean("seed"), style, color=STEP, linewidth=0.9, label=label)
        _points(axes, here.network_misclassified, "step", STEP)


def _levels(axes: Axes, r: Evidence) -> None:
    """Draw the limits of any classifier, online SGD and random features at one noise level."""
    sigma, random = r["comparison_samples"].sigma.item(), r["comparison_random"].isel(ratio=0)
    axes.axhline(float(random.bayes_error.interp(sigma=sigma)), linestyle=":", color="black")
    axes.axhline(float(r["comparison_network"].class_error.interp(sigma=sigma)), color=NETWORK, linewidth=0.9)
    limit = float(random.closed_class_error.interp(closed_sigma=sigma).mean("projection"))
    axes.axhline(limit, linestyle="--", color=RANDOM, linewidth=0.9)


def checks(r: Evidence) -> Iterator[Check]:
    """Check theory with simulation along all lines, two methods for the same number, and the gain of the step."""
    for run, name in SWEEPS.items():
        average, *others = _theory_checks(r[run], name)
        yield main(average) if run == "comparison_noise" else average
        yield from others
    yield from _closed_form_checks(r)
    yield from _method_comparisons(r)
    yield from _orders(r)


def _theory_checks(result, name):
    """Compare half the mean square, and the class error where there are enough errors, with theory."""
    for measured, theory, error in (
        ("network", "theory", "pmse"),
        ("network_misclassified", "theory_misclassified", "class error"),
    ):
        counted = (result.theory_misclassified.mean("seed") > 0.01) if error == "class error" else True
        sides = result[measured].where(counted), result[theory].where(counted)
        for kind, where in ((pooled, "pooled"), (z_score, "at every point")):
            title = f"{name}, {error} of networks against theory, {where}"
            yield kind(*sides, title, source=_CONDITIONAL, compared=THEORY)


def _closed_form_checks(r):
    random, linear = r["comparison_random"], r["comparison_linear"]
    samples = r.parameter("comparison_linear", "simulated_samples")
    yield z_score(
        random.closed_class_error,
        random.simulated_class_error,
        "random features, class error in closed form against fresh samples",
        source="simulation of the same readout",
    )
    yield relative(
        linear.simulated_class_error,
        linear.closed_class_error,
        "linear classifier, class error on fresh samples against the closed form",
        tolerance=0.05,
        source=f"simulation of the same readout with {samples:,} samples, which limit its accuracy",
    )
    network = r["comparison_network"]
    yield z_score(
        network.simulated_class_error,
        network.closed_class_error,
        "online SGD, class error at the fixed point",
        source="equations of motion; the simulation continues from weights that are 10 percent away",
    )


def _method_comparisons(r):
    """Compare the same number from the methods of two studies."""
    samples = float(r.parameter("comparison_limit", "problem.sample_ratios")[0])
    yield relative(
        r["comparison_limit"].test_loss,
        r["comparison_feature_covariances"].pmse,
        "random features, many samples: replica against closed form",
        tolerance=2 / samples,
        source=f"closed form of the study of mixtures; {plain(samples)} samples for each feature leave "
        f"{plain(1 / samples)} of the error",
        compared=INDEPENDENT,
    )
    theory = among(r["comparison_samples"].theory.isel(seed=0, sigma=0, drop=True), step=[0.0])
    frozen = points_of(theory, "steps of size 0").isel(step=0, drop=True)
    replica = _of_networks(r)
    yield relative(
        frozen,
        replica,
        "frozen features: theory of one-step networks against the replica equations",
        tolerance=1e-6,
        source="the study of Gaussian equivalence: covariances of the same features, and the same solver",
        compared=NUMERICS,
    )
    for run in ("comparison_projected_noise", "comparison_projected_samples"):
        yield relative(
            r[run].start_pmse,
            r[run].start_ridge_pmse,
            f"{run.replace('_', ' ')}: ridge regression against the projection of the outer weights",
            tolerance=1e-9,
            source="the same minimum, by the linear systems of the one-step study and of variable projection",
            compared=INDEPENDENT,
        )


def _of_networks(r: Evidence) -> xr.DataArray | Absent:
    """Return the replica's losses at the ridge of the networks, against their samples per dimension."""
    features, ridge, size = (
        r.parameter("comparison_samples", f"problem.{key}")
        for key in ("features_per_dimension", "ridge", "input_dimension")
    )
    ratios, ridges = (
        np.array(r.parameter("comparison_replica", f"problem.{key}")) for key in ("sample_ratios", "ridges")
    )
    samples = np.round(ratios * features, 12)
    if len(ratios) != len(ridges) or not np.allclose(ridges, ridge * samples * size):
        return Absent(f"the ridges of comparison_replica are not {ridge:g} for each sample of its sample ratios")
    place = xr.DataArray(range(len(samples)), dims="sample_ratio", coords={"sample_ratio": samples})
    losses = r["comparison_replica"].test_loss.isel(loss=0, drop=True).drop_vars("sample_ratio")
    return losses.isel(sample_ratio=place, ridge=place).drop_vars("ridge").assign_coords(sample_ratio=samples)


def _orders(r):
    """Check the gain of the step, and the bounds on it."""
    random = r["comparison_random"]
    yield bayes_check(random.bayes_error, random.class_error, "random features,")
    for run in ("comparison_projected_noise", "comparison_projected_samples"):
        yield at_most(
            r[run].last_risk / r[run].first_risk,
            1,
            f"{run.replace('_', ' ')}: the descent lowers the reduced risk",
            source="gradient descent",
            compared=NUMERICS,
        )
    known = r.with_parameters("comparison_samples", "the ordering is known for", steps=_STEPS, **_MIXTURE)
    errors = known["comparison_samples"].network_misclassified.sel(sample_ratio=slice(_MANY, None))
    errors = points_of(errors, f"numbers of samples per dimension from {_MANY}")
    yield ordering(
        errors.sel(step=_STEPS[0], drop=True),
        errors.sel(step=_STEPS[1], drop=True),
        "one step against random features, from ten samples per dimension: fewer inputs misclassified",
        source=f"gain of the step: random features have at least {_TIMES} times as many errors",
        compared=THEORY,
        stated=_TIMES - 1.0,
        on_average=True,
    )
    known = r.with_parameters("comparison_steps", "the ordering is known for", **_MIXTURE)
    few = known["comparison_steps"].theory.sel(sample_ratio=slice(None, _FEW)).isel(sample_ratio=slice(1))
    few = points_of(few, f"numbers of samples per dimension up to {_FEW}")
    large = points_of(few.sel(step=slice(_LARGE, None)), f"steps from {_LARGE}").isel(step=-1, drop=True)
    small = points_of(few.sel(step=slice(0.1, _LARGE / 5)), f"steps up to {_LARGE / 5:g}").isel(step=-1, drop=True)
    yield ordering(
        large,
        small,
        "few samples: too large a step raises the error",
        source="the step adds the noise of its gradient",
        compared=THEORY,
        stated=_WORSE,
    )

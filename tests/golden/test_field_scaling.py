"""Scalings with the dimension and times of escape against stored solutions and simulations (tests/golden/field)."""

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.activations import Activation
from twolayer.theory.teacher_student.escape import SingleIndex

FOLDER = Path(__file__).parent / "field"
UNITS = {
    "square": (lambda x: x**2, lambda x: 2 * x),
    "he3": (lambda x: x**3 - 3 * x, lambda x: 3 * x**2 - 3),
    "he4": (lambda x: x**4 - 6 * x**2 + 3, lambda x: 4 * x**3 - 12 * x),
}


def rows(name):
    with (FOLDER / f"teacher_{name}.csv").open() as lines:
        table = list(csv.DictReader(lines))
    texts = ("activation", "method")
    return [{key: value if key in texts else float(value) for key, value in row.items()} for row in table]


def of_scaling():
    key = ("kappa_plus_delta", "d")
    groups = groupby(rows("scaling"), key=lambda row: [row[name] for name in key])
    slow = {300: (), 3000: pytest.mark.slow}
    return [pytest.param(list(group), marks=slow[d], id=f"{exponent}-{d:g}") for (exponent, d), group in groups]


def unit(name):
    return Activation.of(*UNITS[name], name)


@pytest.mark.parametrize("group", of_scaling())
def test_scalings(group):
    """The equations and their limits; stored runs lie within 4 standard errors and 3.5 %, at 300 dimensions."""
    first, start = group[0], np.load(FOLDER / "teacher_scaling_start.npz")
    column = {name: np.array([row[name] for row in group]) for name in first}
    found = tl.phase_row(
        tl.Inputs(dimension=int(first["d"])),
        tl.Student("erf", hidden_units=4),
        teacher=tl.Teacher("erf", hidden_units=2, second_layer=0.5, noise=float(start["noise_std"])),
        along="delta",
        values=[first["kappa_plus_delta"]],
        times=column["tau"],
        learning_rate=4.0,
        start={"Q": start["Q0"], "R": start["R0"], "T": start["T"]},
        seeds=2,
        tolerance=1e-10,
    ).squeeze("value")
    assert float(found.ratio) == pytest.approx(first["rho"], rel=1e-8)
    np.testing.assert_allclose(found.time / found.time_unit, column["t"], rtol=1e-7)
    np.testing.assert_allclose(found.pmse_theory, column["pmse"], rtol=1e-6)
    np.testing.assert_allclose(found.pmse_limit, column["pmse_limit"], rtol=1e-4)
    known = np.isfinite(column["sgd_pmse"])
    gap, error = np.abs(found.pmse_theory - column["sgd_pmse"])[known], column["sgd_pmse_se"][known]
    assert np.all(gap <= 4 * error + 0.035 * column["pmse"][known])


@pytest.mark.parametrize("row", rows("escape_rates"), ids=lambda row: "{activation}-{m}".format(**row))
def test_rates_of_escape(row):
    one = SingleIndex(unit(row["activation"]), row["eta"], row["v"], row["noise_std"])
    m = np.array([row["m"]])
    (drift,), (diffusion,) = one.rates(m)
    found = drift, one.rates(m, flow=True)[0][0], diffusion
    expected = row["drift"], row["drift_flow"], row["diffusion"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose([rate(m)[0] for rate in one.fitted_rates], [drift, diffusion], rtol=0, atol=1e-12)


@pytest.mark.parametrize("dimension", [300, 3000])
def test_times_of_escape_without_noise(dimension):
    stored = np.load(FOLDER / "teacher_escape_square_ode.npz")
    one = SingleIndex(unit("square"), float(stored["eta"]), 1.0, float(stored["noise_std"]))
    found = one.ode_times(stored[f"m0_d{dimension}"], float(stored["m_escape"]))
    np.testing.assert_allclose(found, stored[f"ode_time_d{dimension}"], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("dimension", [300, 3000])
def test_times_of_escape(dimension):
    """Mean times from the stored starts lie within 4 standard errors of the stored means."""
    known = {row["method"]: row for row in rows("escape_square") if row["d"] == dimension}
    stored, runs = np.load(FOLDER / "teacher_escape_square_ode.npz"), 200
    found = tl.escape_time(
        activation=unit("square"),
        dimension=dimension,
        learning_rate=0.1,
        noise=0.01,
        last_time=150.0,
        starts=stored[f"m0_d{dimension}"][:runs],
        seeds=runs,
    )
    assert np.isfinite(found.sgd_time).all()
    for method in ("ode", "sde", "sgd"):
        times, one = found[f"{method}_time"], known[method]
        error = np.hypot(one["mean_se"], float(times.std(ddof=1)) / np.sqrt(runs))
        assert abs(float(times.mean()) - one["mean"]) <= 4 * error

"""The published densities of figures 11 and 13 agree with the formulas, and the checks find small errors."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from judged import outcomes

from twolayer import io
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import FAIL, PASS
from twolayer.figures.varpro import descents, fig13
from twolayer.model.teachers.teacher_distributions import CircleTeacher

REFERENCE = Path(__file__).parents[2] / "workflow" / "resources" / "reference"
ANGLES = np.linspace(-np.pi, np.pi, 4096, endpoint=False) + np.pi / 4096
TITLE = "densities against the published curves"


def teachers(gamma=1.0, shift=0.0):
    """Densities of the teachers of the paper.

    Args:
        gamma: factor of the concentrations. shift: shift of the angle.
    """
    gammas = [10.0, 100.0, 1000.0]
    densities = [CircleTeacher(gamma * one).density(ANGLES + shift) for one in gammas]
    found = xr.Dataset({"density": (("gamma", "angle"), densities)}, coords={"gamma": gammas, "angle": ANGLES})
    masses = xr.DataArray(np.full((3, 2), 0.5), dims=("gamma", "bin"), coords={"gamma": gammas, "bin": [-1.0, 1.0]})
    return found.assign(frequency=masses, mass=masses, frequency_sem=0.01 * masses)


def status(found):
    published = io.read_reference(REFERENCE / "varpro_teachers.csv", ["gamma", "vertex"])
    sources = {"published": Source(published), "teachers": Source(found, "teachers", {}, {"bins": 2, "samples": 100})}
    return {one.title: one.status for one in outcomes(fig13.checks(Evidence("paper", sources)))}[TITLE]


def test_the_formula_has_the_published_densities():
    assert status(teachers()) == PASS


@pytest.mark.parametrize("change", [{"gamma": 1.001}, {"gamma": 0.999}, {"shift": 1e-4}])
def test_a_thousandth_of_the_concentration_is_detected(change):
    assert status(teachers(**change)) == FAIL


def test_densities_between_grid_points_are_linear_and_periodic():
    density = xr.DataArray([1.0, 3.0, 5.0, 3.0], dims="angle", coords={"angle": np.pi * np.array([-1, -0.5, 0, 0.5])})
    angles = xr.DataArray(np.pi * np.array([-0.75, 0.75, 1.0, np.nan]), dims="vertex")
    np.testing.assert_allclose(descents.at_vertices(density, angles), [2.0, 2.0, 1.0, np.nan])

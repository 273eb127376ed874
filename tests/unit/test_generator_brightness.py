"""Figure 31 states the brightness of images from 0 (black) to 1 (white)."""

import numpy as np
import pytest
import xarray as xr
from judged import outcomes

from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.gaussian_equivalence import fig31
from twolayer.figures.outcomes import FAIL, PASS

SHAPE = ("image", *fig31.PIXELS)


def images(brightness, count=64):
    """Images with this brightness on average and a spread of 0.1 between images, in pixels from -1 to 1."""
    noise = np.random.default_rng(0).standard_normal(count)
    noise = 0.1 * (noise - noise.mean()) / noise.std(ddof=1)
    pixels = 2 * (brightness + noise) - 1
    return xr.DataArray(np.broadcast_to(pixels[:, None, None, None], (count, 1, 4, 4)), dims=SHAPE)


def brightness_check(shown, moments):
    pixels = np.full(16, 2 * moments - 1)
    generator = {"generated": images(shown), "original": images(0.5)}
    tables = {
        "trained_gan": Source(xr.Dataset(generator)),
        "trained_gan_moments": Source(
            xr.Dataset({"mean": ("pixel", pixels), "Omega": (("pixel", "other"), np.eye(16))}),
            "trained_gan_moments",
            {},
            {"samples": 1000},
        ),
    }
    checks = fig31.checks(Evidence("paper", tables))
    return outcomes([next(checks)])[0]


def test_the_main_check_compares_brightness_from_0_to_1():
    """The standard error of 64 images is 0.0125."""
    outcome = brightness_check(0.45, 0.47)
    assert outcome.main
    assert (outcome.value, outcome.reference) == (pytest.approx(0.45), pytest.approx(0.47))
    assert outcome.difference == pytest.approx(0.02)
    assert outcome.detects == pytest.approx(0.0125 * outcome.tolerance)
    assert outcome.status == PASS


@pytest.mark.parametrize(("factor", "status"), [(0.95, PASS), (1.05, FAIL)])
def test_the_brightness_may_differ_by_the_detection_limit(factor, status):
    limit = brightness_check(0.5, 0.5).detects
    assert brightness_check(0.5, 0.5 + factor * limit).status == status


def test_the_title_names_the_difference_in_brightness():
    table = xr.Dataset({"generated": images(0.53), "original": images(0.5)})
    assert fig31.brightness_difference(table) == "brightness minus\ntraining images: +0.03 $\\pm$ 0.02"

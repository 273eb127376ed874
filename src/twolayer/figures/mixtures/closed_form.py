"""Checks of the closed form of random features."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import Check, z_score
from twolayer.figures.curves import ERRORS


def closed_form_checks(features: xr.Dataset, name: str) -> Iterator[Check]:
    """The errors in closed form are those on fresh samples.

    Args:
        features: result of the task `random_features`. name: what its titles begin with.
    """
    for error, word in ERRORS.items():
        yield z_score(
            features[f"closed_{error}"],
            features[f"simulated_{error}"],
            f"{name}, {word} in closed form against fresh samples",
            source="simulation of the same readout",
        )

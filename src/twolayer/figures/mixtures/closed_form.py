"""Checks of errors in closed form: of random features, and of the Bayes-optimal classifier."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import NUMERICS, Check, at_most, z_score
from twolayer.figures.curves import ERRORS


def closed_form_checks(features: xr.Dataset, name: str, *, not_gaussian: float = 0.0) -> Iterator[Check]:
    """Compare the errors in closed form with errors on fresh samples.

    The class error in closed form assumes that the outputs are Gaussian within a cluster. The mean square is exact.

    Args:
        features: result of the task `random_features`. name: beginning of its titles.
        not_gaussian: largest relative change of a class error by outputs that are not exactly Gaussian, times the root
            of D.
    """
    known = not_gaussian / (float(features.input_dimension) or float("inf")) ** 0.5
    about = f"; outputs that are not quite Gaussian change a class error by up to {known:.1%}" if known else ""
    for error, word in ERRORS.items():
        closed, simulated = (features[f"{kind}_{error}"] for kind in ("closed", "simulated"))
        if error == "class_error":
            simulated = simulated.assign_coords(simulated_class_error_reading=known * closed)
        yield z_score(
            closed,
            simulated,
            f"{name}, {word} in closed form against fresh samples",
            source="simulation of the same readout" + (about if error == "class_error" else ""),
        )


def bayes_check(
    bayes_error: xr.DataArray, class_error: xr.DataArray, learner: str, *, compared: str = NUMERICS
) -> Check:
    """Check that no class error is below the Bayes error.

    Args:
        learner: start of the title. compared: type of reference.
    """
    return at_most(
        bayes_error / class_error,
        1,
        f"{learner} never better than the Bayes-optimal classifier",
        tolerance=0.01,
        source="optimal decision; the tolerance is the relative error of the quadrature",
        compared=compared,
    )

"""Checks of learning curves on mixtures with any covariance, by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import Check, pooled, z_score
from twolayer.figures.curves import ERRORS, after_start

_SOURCE = "mean over seeds of online SGD in N dimensions"


def learning_checks(sgd: xr.Dataset, theory: xr.Dataset, name: str) -> Iterator[Check]:
    """Check that the equations follow the mean of the simulations, on average and at every time.

    Args:
        sgd: result of the task `online_sgd`. theory: result of `learning_curve`. name: beginning of the titles.
    """
    sgd, theory = after_start(sgd), after_start(theory)
    yield pooled(
        sgd.pmse.sel(time=slice(3, None)),
        theory.pmse,
        f"{name}, pmse of the equations against the simulation, mean over times from t = 3",
        source=_SOURCE,
    )
    for error, word in ERRORS.items():
        title = f"{name}, {word} of the equations against the simulation"
        yield z_score(sgd[error], theory[error], title, source=_SOURCE)

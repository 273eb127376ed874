"""Checks of learning curves on mixtures with any covariance, by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import Check, pooled, z_score
from twolayer.figures.curves import ERRORS, after_start
from twolayer.figures.custom_data.gaussianity import effective_dimension

_SOURCE = "mean over seeds of online SGD in N dimensions"
# The equations hold if no direction has a large part of the noise. The relative error of pmse from time 3 on, times the
# effective number of directions of the noise: 0.08 +- 0.02 for MNIST in N = 784 dimensions, 40 of which are effective
# (means of five repetitions with 40 simulations each), and compatible with zero for other mixtures.
_FINITE_SIZE = 0.1


def learning_checks(sgd: xr.Dataset, theory: xr.Dataset, mixture: xr.Dataset, name: str) -> Iterator[Check]:
    """Check that the equations follow the mean of the simulations, on average and at every time.

    Args:
        sgd: result of the task `online_sgd`. theory: result of `learning_curve`. mixture: the mixture of both, with
            one covariance for all clusters. name: beginning of the titles.
    """
    sgd, theory = after_start(sgd), after_start(theory)
    yield pooled(
        sgd.pmse.sel(time=slice(3, None)),
        theory.pmse,
        f"{name}, pmse of the equations against the simulation, mean over times from t = 3",
        source=f"{_SOURCE}, within chance and the error of the equations for few directions of the noise",
        stated=_FINITE_SIZE / effective_dimension(mixture),
    )
    for error, word in ERRORS.items():
        title = f"{name}, {word} of the equations against the simulation"
        yield z_score(sgd[error], theory[error], title, source=_SOURCE)

"""Learning curves of simulations as a result."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.results.learning_curve import with_covariances, with_remark
from twolayer.theory.averages.mixture_averages import network_errors
from twolayer.theory.averages.nodes import Nodes, changes_around


def simulations_to_dataset(
    times: np.ndarray,
    paths: Sequence[Sequence[LocalFields]],
    mixture: IsotropicMixture | SpectralMixture,
    nodes: Nodes,
    other_nodes: Nodes,
) -> xr.Dataset:
    """Return order parameters of several runs, and the errors that follow from them without a test set.

    The quadrature error of the class error comes from the first run, since all runs have the same nodes.

    Args:
        times: (T,). paths: distribution of the pre-activations at each of the times, of each run.
        other_nodes: an equal number of independent nodes.
    """
    errors = [[network_errors(distribution, mixture, nodes) for distribution in path] for path in paths]
    M, covariance, v = (
        np.array([[getattr(distribution, name) for distribution in path] for path in paths])
        for name in ("M", "covariance", "v")
    )
    again = [network_errors(distribution, mixture, other_nodes)[1] for distribution in paths[0]]
    variables = {
        "quadrature_error": ("time", changes_around(np.array(again) - [error[1] for error in errors[0]])),
        **{name: (("seed", "time"), values) for name, values in zip(_ERRORS, np.moveaxis(errors, -1, 0), strict=True)},
        "M": (("seed", "time", "cluster", "unit"), M),
        "v": (("seed", "time", "unit"), v),
    }
    dataset = xr.Dataset(variables, coords={"time": times})
    return with_remark(with_covariances(dataset, covariance, mixture), paths[0][0].activation, mixture)


_ERRORS = ("pmse", "class_error", "zero_probability")

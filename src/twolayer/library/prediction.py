"""Outputs of a trained network for given inputs."""

import math
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, shown
from twolayer.experiments.mixtures.final_weights import final_weights, stated_parameters
from twolayer.io import maker_of
from twolayer.library.function_inputs import unaltered
from twolayer.model.networks.activation_functions import NAMED
from twolayer.model.networks.activation_names import hermite_degree
from twolayer.model.networks.activations import as_activation
from twolayer.parameters import read_array


def predict(network: xr.Dataset, inputs: Any) -> xr.DataArray:
    """Apply the trained networks of a result to inputs.

    Args:
        network: a result of online_sgd.
        inputs: (n, N), in the coordinates of the mixture.

    Returns:
        The outputs f(x) of each run, with the dimensions `seed` and `sample`. Their sign is the predicted label.

    Raises:
        ConfigError: the result has no such networks, or the inputs do not fit.
        ResultError: a variable is missing, or differs from the declaration of online_sgd.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[3, 0], [0, 3]], labels=[1, -1], covariance=[[1, 0.5], [0.5, 1]])
        >>> runs = tl.online_sgd(mixture, tl.Student("erf", 2), tl.Schedule(learning_rate=0.2, last_time=500), seeds=2)
        >>> inputs, labels = mixture.sample(1000, seed=1)
        >>> bool((tl.predict(runs, inputs) * labels > 0).mean() > 0.9)
        True
    """
    if not isinstance(network, xr.Dataset) or maker_of(network) != "online_sgd" or "W" not in network:
        raise ConfigError(f"network is {shown(network)}: give a result of online_sgd")
    network = unaltered("network", network)
    student = stated_parameters(network, "network")["student"]
    if student["bias"]:
        raise ConfigError("the student of this result has biases: give a result of a student with bias false")
    name = student["activation"]
    if name not in NAMED and hermite_degree(name) is None:
        raise ConfigError(
            f"activation of the result is the function {name!r}, which a result cannot contain: use a named activation"
        )
    W, v = final_weights(network, "network")
    x, dimension = read_array(inputs, "inputs"), network.sizes["input"]
    if x.ndim != 2 or x.shape[1] != dimension:
        raise ConfigError(f"inputs have shape {x.shape}: give an array of shape (n, {dimension})")
    fields = x @ np.swapaxes(W, 1, 2) / math.sqrt(dimension)
    outputs = np.einsum("snk,sk->sn", as_activation(name)(fields), v)
    return xr.DataArray(outputs, dims=("seed", "sample"), name="output")

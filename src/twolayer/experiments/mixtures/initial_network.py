"""The initial network of learning: random, adapted to the mixture, or from the end of other runs."""

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.final_weights import final_weights
from twolayer.experiments.mixtures.parameters import Student
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, crossed_axes
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.two_layer_networks import Network, initial_network, second_layer
from twolayer.results.mixture import in_modes, is_isotropic, isotropic_mixture
from twolayer.simulation.mixtures.order_parameter_sgd import coordinates
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.mixtures.mixture_equations import IsotropicState

_SAME_NOISE = 1e-6  # relative difference below which noise levels count as equal
_MOST_WEIGHTS = 2**28  # largest number of weights of a first layer, which take 2 GB


def first_network(
    student: Student, dimension: int, rng: np.random.Generator, mixture: IsotropicMixture | None = None
) -> Network:
    """Return the student at initialisation, with weights (K, N).

    Args:
        mixture: the inputs without biases, for a start that is adapted to them; None if they are not isotropic.

    Raises:
        ConfigError: the start that is adapted to the mixture does not exist for this mixture or this number of units,
            or there are too many weights.
    """
    activation, hidden = as_activation(student.activation), student.hidden_units
    if (size := hidden * dimension) > _MOST_WEIGHTS:
        raise ConfigError(
            f"hidden_units times dimension is {size:.3g}: at most {_MOST_WEIGHTS:.3g} initial weights are drawn, lower "
            "dimension"
        )
    network = initial_network(rng, activation, hidden_units=hidden, dimension=dimension, scale=student.scale)
    if student.start == "xor":
        network = _of_state(adapted_state(student, mixture), network)
    return replace(network, v=second_layer(student.second_layer, network.v))


def adapted_state(student: Student, mixture: IsotropicMixture | None) -> IsotropicState:
    """Return the state in which each unit belongs to one cluster of the XOR mixture, along the axes of its means.

    Raises:
        ConfigError: the mixture is not XOR, or the state does not exist for this number of units.
    """
    axes = None if mixture is None else crossed_axes(mixture)
    if axes is None:
        raise ConfigError(
            "start of the student is 'xor', which needs means +-a of one class and +-b of the other, with orthogonal a "
            "and b: set it to 'random'"
        )
    state = xor_start(student.hidden_units)
    return replace(state, R=np.pad(axes.T @ state.R, ((0, int(student.bias)), (0, 0))))


def start_network(
    student: Student, dimension: int, rng: np.random.Generator, mixture: xr.Dataset, start: xr.Dataset | None
) -> Network:
    """Return the network at the first step: the student at initialisation, or with the order parameters of a result.

    Args:
        rng: random numbers of the student. start: result of online_sgd, order_parameter_sgd or learning_curve, whose
            first run is used at its last time; or of fixed_point, at the noise of the mixture. If the noise is not
            isotropic, only a result of online_sgd, which has weights, can be used.

    Raises:
        ConfigError: the result has other units or another space of means, or the mixture is not isotropic.
    """
    clusters = isotropic_mixture(mixture) if is_isotropic(mixture) else None
    network = first_network(student, dimension, rng, clusters)
    if start is None:
        return network
    if "W" in start:
        return _of_weights(start, network, mixture)
    if clusters is None:
        raise ConfigError(
            "start has Q and R, which describe learning only for isotropic noise: give a result of online_sgd"
        )
    chosen = _chosen(start, clusters)
    if "R" not in chosen:
        raise ConfigError("start has no R: give a result for an isotropic mixture")
    state = IsotropicState(*(chosen[name].values for name in ("Q", "R", "v")))
    axes = clusters.means.shape[1] + student.bias
    if state.R.shape != (axes, student.hidden_units):
        raise ConfigError(
            f"start has {state.R.shape[1]} units and means in {state.R.shape[0]} dimensions, biases included, but the "
            f"student and its mixture have {student.hidden_units} and {axes}: give a start with these numbers"
        )
    return _of_state(state, network)


def state_of(network: Network, mixture: IsotropicMixture) -> IsotropicState:
    """Return the order parameters of a network on an isotropic mixture.

    Raises:
        ConfigError: the network has fewer inputs than the means have coordinates.
    """
    axes, dimension = mixture.means.shape[1], network.W.shape[1]
    if dimension < axes:
        raise ConfigError(f"dimension is {dimension}, but the means span {axes} dimensions, biases included: raise it")
    return IsotropicState.of_network(network, axes)


def _of_weights(start, network, mixture):
    """Return the network with the weights of the first run of a result."""
    W, v = (weights[0] for weights in final_weights(start, "start"))
    if W.shape != network.W.shape:
        raise ConfigError(
            f"start has {W.shape[0]} units and {W.shape[1]} inputs, but the student and its mixture have "
            f"{network.W.shape[0]} and {network.W.shape[1]}: give a start with these numbers"
        )
    return replace(network, W=in_modes(W, mixture), v=v)


def _chosen(start, mixture):
    """Return one state of a result."""
    if "time" in start.dims:
        return start.isel(time=-1) if "seed" not in start.dims else start.isel(time=-1, seed=0)
    sigma = math.sqrt(mixture.weights @ mixture.variances)
    found = start.sel(sigma=sigma, method="nearest")
    if abs(float(found.sigma) / sigma - 1) > _SAME_NOISE:
        raise ConfigError(f"start has no fixed point at the noise of the mixture, {sigma:.6g}: add it to its sigma")
    return found


def _of_state(state, network):
    """Return a network with these order parameters, in the dimension of the given one.

    Weights outside the means are arbitrary.
    """
    weights, dimension = coordinates(state.Q, state.R)[:, :-1], network.W.shape[1]
    if weights.shape[1] > dimension:
        raise ConfigError(
            f"dimension is {dimension}, but {len(weights)} units outside the means need {weights.shape[1]}: raise it"
        )
    padded = np.pad(weights, ((0, 0), (0, dimension - weights.shape[1])))
    return replace(network, W=math.sqrt(dimension) * padded, v=state.v)

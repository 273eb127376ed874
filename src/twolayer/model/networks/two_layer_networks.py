"""Two-layer networks f(x) = sum_k v_k g(w_k . x / sqrt N)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twolayer.model.networks.activations import Activation, as_activation


@dataclass(frozen=True, eq=False)
class Network:
    """A network with its weights.

    Attributes:
        W: (K, N) first layer. v: (K,) second layer.
        activation: activation of the hidden units, or its name, or a function.
    """

    W: np.ndarray
    v: np.ndarray
    activation: Activation

    def __post_init__(self):
        object.__setattr__(self, "activation", as_activation(self.activation))


@dataclass(frozen=True, eq=False)
class LocalFields:
    """The distribution of a network's pre-activations lambda_k = w_k . x / sqrt N, normal in each cluster of a mixture.

    Attributes:
        M: (C, K) their means in each cluster. covariance: (K, K), common to all clusters, possibly singular; or (C, K,
            K), one for each cluster.
        v: (K,) second layer.
        activation: activation of the hidden units, or its name, or a function.
    """

    M: np.ndarray
    covariance: np.ndarray
    v: np.ndarray
    activation: Activation

    def __post_init__(self):
        object.__setattr__(self, "activation", as_activation(self.activation))


def initial_weights(
    rng: np.random.Generator, hidden_units: int, dimension: int, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return first-layer weights (K, N) and second-layer weights (K,), all iid N(0, scale^2).

    Source: refinetti2021, student initialisation.
    """
    return scale * rng.standard_normal((hidden_units, dimension)), scale * rng.standard_normal(hidden_units)


def initial_network(
    rng: np.random.Generator, activation: Activation, *, hidden_units: int, dimension: int, scale: float
) -> Network:
    """Return the network with `initial_weights`."""
    return Network(*initial_weights(rng, hidden_units, dimension, scale), activation)


def second_layer(stated: str | float | Sequence[float], drawn: np.ndarray) -> np.ndarray:
    """Return second-layer weights (K,): `random` ones as drawn, `unit` ones, the same number for all, or K numbers."""
    if stated == "random":
        return drawn
    return np.broadcast_to(1.0 if stated == "unit" else np.asarray(stated, float), drawn.shape).copy()

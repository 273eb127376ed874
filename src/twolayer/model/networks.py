"""Two-layer networks f(x) = sum_k v_k g(w_k . x / sqrt N)."""

import numpy as np


def initial_network(
    rng: np.random.Generator, hidden_units: int, dimension: int, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """First-layer weights (K, N) and second-layer weights (K,), all iid N(0, scale^2).

    Source: refinetti2021, student initialisation.
    """
    return scale * rng.standard_normal((hidden_units, dimension)), scale * rng.standard_normal(hidden_units)


def initial_order_parameters(
    rng: np.random.Generator, hidden_units: int, dimension: int, scale: float, plane: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q (K, K), R (P, K) and v (K,) of an `initial_network`, whose first `plane` coordinates hold the means."""
    W, v = initial_network(rng, hidden_units, dimension, scale)
    return W @ W.T / dimension, W[:, :plane].T / np.sqrt(dimension), v

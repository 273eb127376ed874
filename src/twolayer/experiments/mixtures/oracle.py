"""The least class error that any classifier reaches, where a closed form is known."""

import numpy as np

from twolayer.experiments.mixtures.parameters import Geometry
from twolayer.theory.oracle import three_cluster_error, three_cluster_mixed_error, xor_error, xor_mixed_error


def oracle(geometry: Geometry, sigma: np.ndarray, dimension: int) -> dict[str, tuple[str, np.ndarray]]:
    """Least class error at each noise level, as the variable `oracle`; nothing where no closed form is known."""
    far = {"low": 1.0, "high": np.sqrt(dimension)}
    balanced, regime = geometry.positive_fraction == 0.5, geometry.regime
    if geometry.shape == "three_clusters" and balanced:
        near, mixed = three_cluster_error, three_cluster_mixed_error
    elif geometry.shape == "circle" and geometry.clusters_per_class == 2 and balanced:
        near, mixed = xor_error, xor_mixed_error
    else:
        return {}
    return {"oracle": ("sigma", mixed(sigma) if regime == "mixed" else near(sigma / far[regime]))}

"""The least class error that any classifier reaches."""

import numpy as np

from twolayer.experiments.mixtures.parameters import Geometry
from twolayer.theory import oracle


def bayes_error(geometry: Geometry, sigma: np.ndarray, dimension: int) -> dict[str, tuple[str, np.ndarray]]:
    """Least class error at each noise level, as the variable `oracle`; nothing where no closed form is known."""
    far = {"low": 1.0, "high": np.sqrt(dimension)}
    balanced, regime = geometry.positive_fraction == 0.5, geometry.regime
    if geometry.shape == "three_clusters" and balanced:
        near, mixed = oracle.three_cluster_error, oracle.three_cluster_mixed_error
    elif geometry.shape == "circle" and geometry.clusters_per_class == 2 and balanced:
        near, mixed = oracle.xor_error, oracle.xor_mixed_error
    else:
        return {}
    return {"oracle": ("sigma", mixed(sigma) if regime == "mixed" else near(sigma / far[regime]))}

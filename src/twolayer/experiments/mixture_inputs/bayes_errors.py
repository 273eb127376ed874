"""The least class error of any classifier."""

import numpy as np

from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.theory.mixtures.bayes_error import bayes_error
from twolayer.theory.mixtures.closed_bayes_errors import (
    three_cluster_error,
    three_cluster_mixed_error,
    xor_error,
    xor_mixed_error,
)


def bayes_errors(geometry: Geometry, sigma: np.ndarray, dimension: int) -> dict[str, tuple[str, np.ndarray]]:
    """Return the least class error at each noise level, as the variable `bayes_error`.

    It has a closed form on the paper's mixtures. On others, `bayes_error_sem` is the standard error of a quadrature.

    Args:
        sigma: noise levels. dimension: N, which enters in the regimes of high signal-to-noise.
    """
    closed = _closed_form(geometry)
    if closed is not None:
        near, mixed = closed
        far = {"low": 1.0, "high": np.sqrt(dimension)}
        error = mixed(sigma) if geometry.regime == "mixed" else near(sigma / far[geometry.regime])
        return {"bayes_error": ("sigma", error)}
    errors = np.transpose([bayes_error(build(geometry, level, dimension).embed(dimension)) for level in sigma])
    return {name: ("sigma", values) for name, values in zip(("bayes_error", "bayes_error_sem"), errors, strict=True)}


def _closed_form(geometry):
    """Return functions for errors with means of one length, and of two; None if they are not known."""
    if geometry.positive_fraction != 0.5 or geometry.spreads is not None:
        return None
    if geometry.shape == "three_clusters":
        return three_cluster_error, three_cluster_mixed_error
    if geometry.shape == "circle" and geometry.clusters_per_class == 2:
        return xor_error, xor_mixed_error
    return None

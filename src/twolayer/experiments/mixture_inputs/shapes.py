"""The isotropic mixtures of all geometries: `SHAPES` has an entry for every shape."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_means, three_clusters

if TYPE_CHECKING:
    from twolayer.experiments.mixture_inputs.geometry import Geometry


def _custom(geometry, variance, _):
    return from_means(geometry.means, geometry.labels, geometry.weights, variance)


def _circle(geometry, variance, dimension):
    return circle(geometry.clusters_per_class, variance, geometry.positive_fraction, geometry.regime, dimension)


def _three_clusters(geometry, variance, dimension):
    return three_clusters(variance, geometry.positive_fraction, geometry.regime, dimension)


SHAPES: dict[str, Callable[["Geometry", float, int | None], IsotropicMixture]] = {
    "xor": _circle,
    "circle": _circle,
    "three_clusters": _three_clusters,
    "custom": _custom,
}


def build(geometry: "Geometry", sigma: float, dimension: int | None = None) -> IsotropicMixture:
    """Return the isotropic mixture of a geometry and noise; regimes of high signal-to-noise need the dimension N."""
    mixture = SHAPES[geometry.shape](geometry, sigma**2, dimension)
    if geometry.spreads is None:
        return mixture
    if len(geometry.spreads) != len(mixture.means):
        raise ConfigError(
            f"spreads has {len(geometry.spreads)} values, but the mixture has {len(mixture.means)} clusters: give "
            "one each"
        )
    return replace(mixture, variance=sigma**2 * np.array(geometry.spreads) ** 2)

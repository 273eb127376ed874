"""Random features of inputs with any distribution, generated or real."""

import math
from dataclasses import dataclass

import numpy as np

from twolayer.model.networks.activations import Activation


@dataclass(frozen=True, eq=False)
class InputFeatures:
    """Random features v = phi(P^T (x - input mean) / sqrt N) - feature mean.

    Attributes:
        projection: (N, d) P. input_mean: (N,).
        feature_mean: (d,), or zero if it is not known yet.

    Source: goldt2021, random features of generated inputs.
    """

    projection: np.ndarray
    input_mean: np.ndarray
    activation: Activation
    feature_mean: np.ndarray | float = 0.0

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Map inputs (n, N) to features (n, d)."""
        fields = (inputs - self.input_mean) @ self.projection / math.sqrt(len(self.projection))
        return self.activation.value(fields) - self.feature_mean


def unit_fields(projection: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the projection (N, d), scaled so that fields of inputs (n, N) like these have variance one on average."""
    return projection / math.sqrt(inputs.var(axis=0).mean())

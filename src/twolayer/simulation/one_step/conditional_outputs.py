"""Outputs of a network after one gradient step, for given components of the input along spikes and step.

The spikes of the mixture and the direction of the step are the structure. For given components along it, the
pre-activations are Gaussian with nearly independent entries, and a sum over many units is nearly Gaussian.

Source: demir2025, Lemmas 2 and 5.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.model.mixtures.spiked_mixtures import SpikedMixture, draw_inputs
from twolayer.model.networks.activations import Activation
from twolayer.model.random.streams import Stream


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A network with a first layer after its step, and a fitted second layer.

    Attributes:
        first_layer: (k, n). readout: (k,), of the features without a factor.
    """

    first_layer: np.ndarray
    readout: np.ndarray
    activation: Activation

    def outputs(self, inputs: np.ndarray) -> np.ndarray:
        """Return the outputs (M,) for inputs (M, n)."""
        return self.activation.value(inputs @ self.first_layer.T) @ self.readout


def bulk_and_all_correlations(
    mixture: SpikedMixture, first_layer: np.ndarray, axes: np.ndarray
) -> tuple[float, float, float]:
    """Return the mean bulk variance of the pre-activations, and root mean squares of bulk and of all correlations.

    Args:
        axes: (n, r) orthonormal directions of the structure. The bulk is orthogonal to them.
    """
    along, gram = first_layer @ axes, first_layer @ first_layer.T
    spreads = [
        first_layer @ (gamma * np.sqrt(theta)) for gamma, theta in zip(mixture.frames, mixture.spikes, strict=True)
    ]
    whole = gram + sum(ratio * spread @ spread.T for ratio, spread in zip(mixture.ratios, spreads, strict=True))
    bulk = gram - along @ along.T
    return float(np.diag(bulk).mean()), _correlation(bulk), _correlation(whole)


def _correlation(covariance):
    """Return the root mean square of the correlations of different entries."""
    deviation = np.sqrt(np.diag(covariance))
    pairs = (covariance / np.outer(deviation, deviation))[np.triu_indices(len(covariance), 1)]
    return float(np.sqrt(np.mean(pairs**2)))


def conditional_moments(
    stream: Stream,
    mixture: SpikedMixture,
    network: FittedNetwork,
    axes: np.ndarray,
    structures: int,
    samples: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return skewness and excess kurtosis (structures,) of the output over the bulk, at drawn places of the structure.

    Args:
        axes: (n, r) orthonormal directions of the structure, whose span contains the spikes.
    """
    axes = axes.astype(stream.dtype)
    places = draw_inputs(stream, mixture, structures) @ axes
    rows = []
    for place in places:
        bulk = stream.normal(samples, mixture.dimension)
        bulk += (place - bulk @ axes) @ axes.T
        rows.append(shape(network.outputs(bulk)))
    return tuple(np.transpose(rows))


def shape(outputs: np.ndarray) -> tuple[float, float]:
    """Return skewness and excess kurtosis of a sample."""
    centred = outputs.astype(float) - outputs.mean(dtype=float)
    variance = np.mean(centred**2)
    return float(np.mean(centred**3) / variance**1.5), float(np.mean(centred**4) / variance**2 - 3)

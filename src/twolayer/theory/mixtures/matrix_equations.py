"""Online learning of mixtures whose clusters have any covariances, in the space of the weights.

Covariances that do not commute have no common eigenbasis, so that the equations of `mixture_equations` are not closed.
The mean of the weights and the covariance of their fluctuations, as matrices, obey closed equations for large N.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import LocalFields, Network
from twolayer.theory.averages.mixture_averages import local_field_averages
from twolayer.theory.averages.nodes import Nodes


@dataclass(frozen=True, eq=False)
class WeightMoments:
    """First and second moments of the weights, over realisations of SGD.

    Attributes:
        mean_weights: (K, N).
        fluctuations: (K, K, ...) covariance of w_k and w_l; zero at the start of a run.
        v: (K,) second layer.
    """

    mean_weights: np.ndarray
    fluctuations: np.ndarray
    v: np.ndarray


class MatrixState(WeightMoments):
    """Moments of the weights in the coordinates of the mixture, with fluctuations (K, K, N, N)."""

    @classmethod
    def of_network(cls, network: Network) -> "MatrixState":
        """Return the state of a network with weights in the coordinates of the mixture."""
        hidden, dimension = network.W.shape
        return cls(network.W, np.zeros((hidden, hidden, dimension, dimension)), network.v)


@dataclass(frozen=True)
class MatrixEquations:
    """Learning from clusters with a covariance Omega_a each. The covariances may not commute.

    A right-hand side costs O(C K^2 N^3).

    Attributes:
        input_mean_noise: whether the squared means of the inputs add to the noise of SGD.

    Raises:
        ConfigError: the slope of the activation is zero, or not the derivative of its value.
    """

    mixture: SpectralMixture
    activation: Activation
    learning: Learning
    nodes: Nodes
    input_mean_noise: bool = True

    def __post_init__(self):
        object.__setattr__(self, "activation", as_activation(self.activation))
        self.activation.require_derivative("the equations of motion")

    @cached_property
    def _covariances(self):
        return self.mixture.covariances

    def local_fields(self, state: MatrixState) -> LocalFields:
        """Return the distribution of the pre-activations."""
        N, weights = self.mixture.dimension, state.mean_weights
        covariance = weights @ self._covariances @ weights.T + np.einsum(
            "aij,klij->akl", self._covariances, state.fluctuations, optimize=True
        )
        return LocalFields(self.mixture.means @ weights.T / math.sqrt(N), covariance / N, state.v, self.activation)

    def drift(self, state: MatrixState, fields: LocalFields | None = None) -> MatrixState:
        """Return the time derivative of the state.

        Args:
            fields: the distribution of the pre-activations, if it is known.
        """
        mixture, rate = self.mixture, self.learning.learning_rate
        decay = rate * self.learning.weight_decay
        averages = local_field_averages(fields or self.local_fields(state), mixture, self.nodes)
        prior = mixture.weights
        drive = prior[:, None] * averages.drive
        response, noise = (prior[:, None, None] * part for part in (averages.response, averages.noise))
        signal_input = math.sqrt(mixture.dimension) * (drive.T @ mixture.means)
        damped = np.zeros_like(state.fluctuations)
        for cluster, covariance in enumerate(self._covariances):
            signal_input += response[cluster] @ state.mean_weights @ covariance  # sqrt N <u_k x>
            damped += np.einsum("kj,jlit->klit", response[cluster], covariance @ state.fluctuations)
        damped += damped.transpose(1, 0, 3, 2)
        second_layer = np.zeros_like(state.v)
        if self.learning.train_second_layer:
            second_layer = rate * (prior @ averages.readout) - decay * state.v
        return MatrixState(
            rate * signal_input - decay * state.mean_weights,
            rate * damped + rate**2 * self._noise(noise) - 2 * decay * state.fluctuations,
            second_layer,
        )

    def _noise(self, averages):
        """Return sum_a p_a <u_k u_l>_a <x x^T>_a."""
        power = self._covariances
        if self.input_mean_noise:
            means = self.mixture.means
            power = power + means[:, :, None] * means[:, None]
        return np.einsum("akl,aij->klij", averages, power, optimize=True)

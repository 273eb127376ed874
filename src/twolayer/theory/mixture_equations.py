"""Online learning of Gaussian mixtures: the order-parameter equations of a two-layer network.

Time counts SGD steps in units of the input dimension N.

Source: refinetti2021, order-parameter equations.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from twolayer.model.activations import Activation
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture
from twolayer.theory.local_fields import Nodes, local_field_averages


@dataclass(frozen=True)
class IsotropicState:
    """Order parameters for a common covariance proportional to the identity.

    Attributes:
        Q: (K, K) overlaps w_k . w_l / N.
        R: (P, K) coordinates of w_k / sqrt N in the orthonormal basis in which the mixture states its means.
        v: (K,) second layer.
    """

    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray

    @classmethod
    def of_network(cls, first_layer: np.ndarray, v: np.ndarray, plane: int) -> "IsotropicState":
        """The state of a network with weights (K, N), of which the first `plane` coordinates hold the means."""
        dimension = first_layer.shape[1]
        return cls(first_layer @ first_layer.T / dimension, first_layer[:, :plane].T / math.sqrt(dimension), v)


@dataclass(frozen=True)
class IsotropicEquations:
    """Learning from clusters N(mean, variance * identity), as N -> infinity at means of order one.

    Source: refinetti2021, low signal-to-noise regime.
    """

    mixture: IsotropicMixture
    activation: Activation
    learning_rate: float
    weight_decay: float
    nodes: Nodes

    def local_fields(self, state: IsotropicState) -> tuple[np.ndarray, np.ndarray]:
        """Means (C, K) and covariance (K, K) of the local fields."""
        return self.mixture.means @ state.R, self.mixture.variance * state.Q

    def drift(self, state: IsotropicState) -> IsotropicState:
        """Time derivative of the state."""
        mixture, rate, decay = self.mixture, self.learning_rate, self.learning_rate * self.weight_decay
        M, covariance = self.local_fields(state)
        averages = _averages(self, M, covariance, state.v)
        response = np.tensordot(mixture.weights, averages.response, 1)
        drive = mixture.weights[:, None] * averages.drive
        signal_input = mixture.means.T @ drive + mixture.variance * (state.R @ response.T)  # <u_k x>
        signal_field = drive.T @ M + response @ covariance  # <u_k lambda_l>
        noise = mixture.variance * np.tensordot(mixture.weights, averages.noise, 1)
        return IsotropicState(
            rate * (signal_field + signal_field.T) + rate**2 * noise - 2 * decay * state.Q,
            rate * signal_input - decay * state.R,
            rate * (mixture.weights @ averages.readout) - decay * state.v,
        )


@dataclass(frozen=True)
class SpectralState:
    """First and second moments of the weights in the eigenbasis of a common covariance, over realisations of SGD.

    Attributes:
        mean_weights: (K, N).
        fluctuations: (K, K, N) covariance of w_k and w_l in each mode; zero at the start of a run.
        v: (K,) second layer.
    """

    mean_weights: np.ndarray
    fluctuations: np.ndarray
    v: np.ndarray

    @classmethod
    def of_network(cls, first_layer: np.ndarray, v: np.ndarray) -> "SpectralState":
        """The state of a network with weights (K, N) in the eigenbasis."""
        hidden, dimension = first_layer.shape
        return cls(first_layer, np.zeros((hidden, hidden, dimension)), v)


@dataclass(frozen=True)
class SpectralEquations:
    """Learning from clusters with any common covariance Omega.

    Mean weights and fluctuations carry the same information as the paper's densities: mode tau has
    q_kl = <w_k> <w_l> + fluctuation_kl and r_ak = mu_a <w_k>, and obeys the paper's equations for both.

    Attributes:
        input_mean_noise: whether the squared means of the inputs add to the noise of SGD. The paper's equations leave
            them out, which is exact only if a cluster's mean is small against its covariance in every mode.

    Source: refinetti2021, arbitrary covariance.
    """

    mixture: SpectralMixture
    activation: Activation
    learning_rate: float
    weight_decay: float
    nodes: Nodes
    input_mean_noise: bool = True

    def local_fields(self, state: SpectralState) -> tuple[np.ndarray, np.ndarray]:
        """Means (C, K) and covariance (K, K) of the local fields."""
        mixture, weights = self.mixture, state.mean_weights
        covariance = (weights * mixture.eigenvalues) @ weights.T + state.fluctuations @ mixture.eigenvalues
        return mixture.means @ weights.T / math.sqrt(mixture.dimension), covariance / mixture.dimension

    def drift(self, state: SpectralState) -> SpectralState:
        """Time derivative of the state."""
        mixture, rate, decay = self.mixture, self.learning_rate, self.learning_rate * self.weight_decay
        averages = _averages(self, *self.local_fields(state), state.v)
        response = np.tensordot(mixture.weights, averages.response, 1)
        drive = mixture.weights[:, None] * averages.drive
        signal_input = math.sqrt(mixture.dimension) * (drive.T @ mixture.means)
        signal_input += mixture.eigenvalues * (response @ state.mean_weights)  # sqrt N <u_k x>
        damped = np.tensordot(response, state.fluctuations, 1)
        damped += damped.transpose(1, 0, 2)
        return SpectralState(
            rate * signal_input - decay * state.mean_weights,
            rate * mixture.eigenvalues * damped + rate**2 * self._noise(averages) - 2 * decay * state.fluctuations,
            rate * (mixture.weights @ averages.readout) - decay * state.v,
        )

    def _noise(self, averages):
        """sum_a p_a <u_k u_l>_a <x^2>_a in every mode."""
        noise = self.mixture.weights[:, None, None] * averages.noise
        power = np.broadcast_to(self.mixture.eigenvalues, self.mixture.means.shape)
        if self.input_mean_noise:
            power = power + self.mixture.means**2
        return np.tensordot(noise, power, (0, 0))


MixtureState = IsotropicState | SpectralState
MixtureEquations = IsotropicEquations | SpectralEquations


def aligned(equations: MixtureEquations, state: MixtureState) -> MixtureEquations:
    """The same equations, with nodes aligned with the local fields in that state."""
    return replace(equations, nodes=equations.nodes.aligned(equations.local_fields(state)[1]))


def _averages(equations, M, covariance, v):
    mixture = equations.mixture
    return local_field_averages(
        M, covariance, v, mixture.labels, mixture.weights, equations.activation, equations.nodes
    )

"""Online learning of Gaussian mixtures: the order-parameter equations of a two-layer network.

Time counts SGD steps in units of the input dimension N.

Source: refinetti2021, order-parameter equations.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import LocalFields, Network
from twolayer.theory.averages.mixture_averages import local_field_averages
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.mixtures.matrix_equations import MatrixEquations, MatrixState, WeightMoments


@dataclass(frozen=True, eq=False)
class IsotropicState:
    """Order parameters for covariances proportional to the identity.

    Attributes:
        Q: (K, K) overlaps w_k . w_l / N.
        R: (P, K) coordinates of w_k / sqrt N in the orthonormal basis of the mixture's means.
        v: (K,) second layer.
    """

    Q: np.ndarray
    R: np.ndarray
    v: np.ndarray

    @classmethod
    def of_network(cls, network: Network, plane: int) -> "IsotropicState":
        """Return the state of a network; the first `plane` coordinates of its weights hold the means."""
        W, dimension = network.W, network.W.shape[1]
        return cls(W @ W.T / dimension, np.ascontiguousarray(W[:, :plane].T) / math.sqrt(dimension), network.v)

    def local_fields(self, mixture: IsotropicMixture, activation: Activation) -> LocalFields:
        """Return the distribution of the pre-activations on a mixture."""
        variance = np.asarray(mixture.variance)[..., None, None]
        return LocalFields(mixture.means @ self.R, variance * self.noisy_overlaps(mixture), self.v, activation)

    def noisy_overlaps(self, mixture: IsotropicMixture) -> np.ndarray:
        """Return the overlaps (K, K) of the weights without the weights of a constant input."""
        return self.Q - np.outer(self.R[-1], self.R[-1]) if mixture.constant_input else self.Q


@dataclass(frozen=True)
class IsotropicEquations:
    """Learning from clusters N(mean, variance * identity), as N -> infinity at means of order one.

    Clusters may differ in their variance: every factor of the variance is an average over the clusters.

    Raises:
        ConfigError: the slope of the activation is zero, or not the derivative of its value.

    Source: refinetti2021, low signal-to-noise regime.
    """

    mixture: IsotropicMixture
    activation: Activation
    learning: Learning
    nodes: Nodes

    def __post_init__(self):
        _accept_activation(self)

    def local_fields(self, state: IsotropicState) -> LocalFields:
        """Return the distribution of the pre-activations."""
        return state.local_fields(self.mixture, self.activation)

    def drift(self, state: IsotropicState, fields: LocalFields | None = None) -> IsotropicState:
        """Return the time derivative of the state.

        Args:
            fields: the distribution of the pre-activations, if it is known.
        """
        mixture, learning = self.mixture, self.learning
        fields = fields or self.local_fields(state)
        averages = local_field_averages(fields, mixture, self.nodes)
        return IsotropicState(
            *_overlap_drifts(
                mixture.weights,
                mixture.weights * mixture.variances,
                np.asarray(mixture.means, float),
                mixture.constant_input,
                (fields.M, state.noisy_overlaps(mixture), state.Q, state.R),
                (averages.drive, averages.response, averages.noise),
                learning.learning_rate,
                _decay(learning),
            ),
            _second_layer_drift(self, state, averages),
        )


class SpectralState(WeightMoments):
    """Moments of the weights in the common eigenbasis of covariances, with fluctuations (K, K, N) in each mode."""

    @classmethod
    def of_network(cls, network: Network) -> "SpectralState":
        """Return the state of a network with weights in the eigenbasis."""
        hidden, dimension = network.W.shape
        return cls(network.W, np.zeros((hidden, hidden, dimension)), network.v)


@dataclass(frozen=True)
class SpectralEquations:
    """Learning from clusters with one common covariance Omega, or with covariances Omega_a that commute.

    Mean weights and fluctuations carry the same information as the paper's densities: mode tau has q_kl = <w_k> <w_l> +
    fluctuation_kl and r_ak = mu_a <w_k>, and obeys the paper's equations for both. In these equations, the eigenvalue
    of Omega becomes the eigenvalue of Omega_a inside the average over the clusters.

    Attributes:
        input_mean_noise: whether the squared means of the inputs add to the noise of SGD. The paper's equations leave
            them out, which is exact only if a cluster's mean is small against its covariance in every mode.

    Raises:
        ConfigError: the slope of the activation is zero, or not the derivative of its value; or the covariances of the
            clusters do not commute.

    Source: refinetti2021, arbitrary covariance.
    """

    mixture: SpectralMixture
    activation: Activation
    learning: Learning
    nodes: Nodes
    input_mean_noise: bool = True

    def __post_init__(self):
        _accept_activation(self)
        self.mixture.require_common_basis("the order-parameter equations")

    def local_fields(self, state: SpectralState) -> LocalFields:
        """Return the distribution of the pre-activations."""
        mixture, weights = self.mixture, state.mean_weights
        spectra = mixture.eigenvalues[..., None, :]
        covariance = (weights * spectra) @ weights.T + np.moveaxis(state.fluctuations @ mixture.eigenvalues.T, -1, 0)
        M = mixture.means @ weights.T / math.sqrt(mixture.dimension)
        return LocalFields(M, covariance / mixture.dimension, state.v, self.activation)

    def drift(self, state: SpectralState, fields: LocalFields | None = None) -> SpectralState:
        """Return the time derivative of the state.

        Args:
            fields: the distribution of the pre-activations, if it is known.
        """
        mixture, rate, decay = self.mixture, self.learning.learning_rate, _decay(self.learning)
        averages = local_field_averages(fields or self.local_fields(state), mixture, self.nodes)
        response = np.tensordot(_weighed(averages.response, mixture), mixture.spectra, (0, 0))  # (K, K, N)
        drive = mixture.weights[:, None] * averages.drive
        signal_input = math.sqrt(mixture.dimension) * (drive.T @ mixture.means)
        signal_input += np.einsum("kjt,jt->kt", response, state.mean_weights)  # sqrt N <u_k x>
        damped = np.einsum("kjt,jlt->klt", response, state.fluctuations)
        damped += damped.transpose(1, 0, 2)
        return SpectralState(
            rate * signal_input - decay * state.mean_weights,
            rate * damped + rate**2 * self._noise(averages) - 2 * decay * state.fluctuations,
            _second_layer_drift(self, state, averages),
        )

    def _noise(self, averages):
        """Return sum_a p_a <u_k u_l>_a <x^2>_a in every mode."""
        power = self.mixture.spectra
        if self.input_mean_noise:
            power = power + self.mixture.means**2
        return np.tensordot(_weighed(averages.noise, self.mixture), power, (0, 0))


MixtureState = IsotropicState | SpectralState | MatrixState
MixtureEquations = IsotropicEquations | SpectralEquations | MatrixEquations


def aligned(equations: MixtureEquations, state: MixtureState) -> MixtureEquations:
    """Return the equations with nodes aligned with the pre-activations in a state."""
    return replace(equations, nodes=equations.nodes.aligned(mean_covariance(equations, state)))


def mean_covariance(equations: MixtureEquations, state: MixtureState) -> np.ndarray:
    """Return the covariance (K, K) of the pre-activations, averaged over the clusters."""
    covariance = equations.local_fields(state).covariance
    return covariance.reshape(-1, *covariance.shape[-2:]).mean(axis=0)


def _weighed(averages, mixture):
    """Return averages (C, K, K), each times the weight of its cluster."""
    return mixture.weights[:, None, None] * averages


@njit(cache=True)
def _overlap_drifts(weights, powers, means, constant_input, state, averages, rate, decay):
    """Return the time derivatives of Q and R.

    Loops compile in a quarter of the time of matrix products, and run faster for such small matrices.

    Args:
        powers: (C,) weight times noise variance of each cluster. state: M, noisy overlaps, Q and R.
        averages: drive, response and noise of `LocalFieldAverages`.
    """
    (M, noisy, Q, R), (drive, response, noise) = state, averages
    hidden, coordinates = len(Q), len(R)
    dQ, dR, damping, signal_field = np.zeros_like(Q), np.zeros_like(R), np.zeros_like(Q), np.zeros_like(Q)
    for a in range(len(weights)):
        for k in range(hidden):
            signal = weights[a] * drive[a, k]
            for j in range(hidden):
                damping[k, j] += powers[a] * response[a, k, j]
                signal_field[k, j] += signal * M[a, j]  # <u_k lambda_j>
                dQ[k, j] += powers[a] * noise[a, k, j]  # <u_k u_j x^2>
            for p in range(coordinates):
                dR[p, k] += signal * means[a, p]  # <u_k x_p>
    for k in range(hidden):
        for i in range(hidden):
            for j in range(hidden):
                signal_field[k, j] += damping[k, i] * noisy[i, j]
            for p in range(coordinates - 1 if constant_input else coordinates):
                dR[p, k] += damping[k, i] * R[p, i]
    for k in range(hidden):
        for j in range(hidden):
            growth = signal_field[k, j] + signal_field[j, k] + rate * dQ[k, j]
            dQ[k, j] = rate * growth - 2 * decay * Q[k, j]
        for p in range(coordinates):
            dR[p, k] = rate * dR[p, k] - decay * R[p, k]
    return dQ, dR


def _accept_activation(equations):
    object.__setattr__(equations, "activation", as_activation(equations.activation))
    equations.activation.require_derivative("the order-parameter equations")


def _decay(learning):
    return learning.learning_rate * learning.weight_decay


def _second_layer_drift(equations, state, averages):
    """Return dv/dt, which is zero if the second layer is kept."""
    learning = equations.learning
    if not learning.train_second_layer:
        return np.zeros_like(state.v)
    return learning.learning_rate * (equations.mixture.weights @ averages.readout) - _decay(learning) * state.v

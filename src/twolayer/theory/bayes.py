"""The least class error that any classifier reaches on a mixture, by quadrature over the space of its means.

Divided by the noise, a mixture of C clusters differs from cluster to cluster along at most C - 1 directions; all others
tell a classifier nothing.
"""

import numpy as np
from scipy.special import logsumexp, ndtri
from scipy.stats import qmc

from twolayer.errors import ConfigError
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture

_SCRAMBLES = 8  # independent ones, whose spread is the error of the quadrature


def bayes_error(mixture: IsotropicMixture | SpectralMixture, log2_nodes: int, seed: int) -> tuple[float, float]:
    """Least class error and its standard error.

    Args:
        log2_nodes: binary logarithm of the number of Sobol points for each cluster, at least 3.
        seed: of their scrambling.

    Raises:
        ConfigError: the clusters differ along a direction without noise.

    Source: own derivation; the expectation of the posterior probability of the less probable label.
    """
    centres = _whitened(mixture)
    if centres.shape[1] == 0:  # all clusters alike
        positive = float(mixture.weights @ (mixture.labels > 0))
        return min(positive, 1 - positive), 0.0
    streams = np.random.default_rng(seed).spawn(_SCRAMBLES)
    estimates = [_estimate(mixture, centres, log2_nodes - 3, rng) for rng in streams]
    return float(np.mean(estimates)), float(np.std(estimates, ddof=1) / np.sqrt(_SCRAMBLES))


def _whitened(mixture):
    """(C, r) means, for noise of variance one, in the directions in which they differ."""
    noise = mixture.variance if isinstance(mixture, IsotropicMixture) else mixture.eigenvalues
    differences = mixture.means - mixture.weights @ mixture.means
    noisy = np.broadcast_to(noise, differences.shape[1:]) > 0
    if np.any(differences[:, ~noisy]):
        raise ConfigError("the means differ along a direction without noise: give every direction of theirs a variance")
    scaled = differences[:, noisy] / np.sqrt(np.broadcast_to(noise, differences.shape[1:])[noisy])
    left, lengths, _ = np.linalg.svd(scaled, full_matrices=False)
    kept = lengths > 1e-12 * max(lengths.max(initial=0.0), 1e-300)
    return left[:, kept] * lengths[kept]


def _estimate(mixture, centres, log2_nodes, rng):
    """The error by one scramble of the nodes, the same for all clusters."""
    normal = ndtri(qmc.Sobol(centres.shape[1], rng=rng).random_base2(log2_nodes))
    occurring = np.flatnonzero(mixture.weights)
    log_priors, positive = np.log(mixture.weights[occurring]), mixture.labels[occurring] > 0
    error = 0.0
    for cluster in occurring:
        offsets = (normal + centres[cluster])[:, None, :] - centres[occurring]
        joint = log_priors - np.square(offsets).sum(axis=-1) / 2  # (n, C), up to what all share
        total = logsumexp(joint, axis=1, keepdims=True)
        chance = np.exp(joint - total)
        of_positive = chance[:, positive].sum(axis=1)
        error += mixture.weights[cluster] * np.minimum(of_positive, chance[:, ~positive].sum(axis=1)).mean()
    return error

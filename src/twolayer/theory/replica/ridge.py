"""Errors of ridge regression from a spectrum, for the second layer of a network."""

from twolayer.errors import NotConverged
from twolayer.model.networks.learning import Losses
from twolayer.theory.replica.replica_equations import Labels, Spectrum, ridge_overlaps, square_losses, squared_weights


def ridge_errors(spectrum: Spectrum, labels: Labels, sample_ratio: float, penalty: float) -> Losses:
    """Return the losses for n = `sample_ratio` d samples and sum_mu (y_mu - w.v_mu / sqrt d)^2 / 2 + penalty |w|^2 / 2.

    The training loss includes the penalty.

    Raises:
        ConfigError: sample ratio or penalty is not positive.
        NotConverged: the features' variances differ too much for double precision.

    Source: goldt2021, replica solution of ridge regression.
    """
    overlaps = ridge_overlaps(spectrum, labels, sample_ratio, penalty)
    training, test = square_losses(labels, overlaps)
    if not (overlaps.q >= 0 and test > 0):
        raise NotConverged(
            f"the variances of the features go up to {spectrum.eigenvalues[-1]:.3g}, and rounding causes an error "
            f"of {test:.3g}: use an activation that grows more slowly, or a smaller degree"
        )
    return Losses(training + penalty * squared_weights(spectrum, penalty, overlaps) / (2 * sample_ratio), test)

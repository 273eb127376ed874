"""Errors of ridge regression from a spectrum, as a network's second layer has them."""

from dataclasses import dataclass

from twolayer.theory.replica import Labels, Spectrum, ridge_overlaps, square_errors, squared_weights


@dataclass(frozen=True)
class RidgeErrors:
    """Half the mean squared error on fresh inputs, and on the training set with the ridge penalty."""

    generalization: float
    training: float


def ridge_errors(spectrum: Spectrum, labels: Labels, sample_ratio: float, penalty: float) -> RidgeErrors:
    """Errors for n = `sample_ratio` d samples and the loss sum_mu (y_mu - w.v_mu / sqrt d)^2 / 2 + penalty |w|^2 / 2.

    Raises:
        ConfigError: sample ratio or penalty is not positive.

    Source: goldt2021, replica solution of ridge regression.
    """
    overlaps = ridge_overlaps(spectrum, labels, sample_ratio, penalty)
    errors = square_errors(spectrum, labels, overlaps)
    paid = penalty * squared_weights(spectrum, penalty, overlaps) / (2 * sample_ratio)
    return RidgeErrors(errors.test_loss, errors.training_loss + paid)

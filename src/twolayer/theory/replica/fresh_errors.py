"""Errors of an estimator on fresh Gaussian covariates, from its overlaps: what a test set without end would give.

Its output z = w.v / sqrt d and the teacher's field nu are jointly normal, with variances q and rho and covariance m.
"""

import math

import numpy as np

from twolayer.model.networks.learning import Performance
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.theory.replica.hinge import hinge_test_loss
from twolayer.theory.replica.logistic import logistic_test_loss
from twolayer.theory.replica.replica_equations import Labels, class_error, square_test_loss


def fresh_errors(weights: np.ndarray, feature_covariances: CovariateModel, labels: Labels, loss: str) -> Performance:
    """Of an estimator of weights (d,), without samples.

    Args:
        labels: y; all losses but the square are for sign nu. loss: `square`, `logistic` or `hinge`.

    Source: goldt2021, generalisation error of the Gaussian covariate model.
    """
    q = float(weights @ feature_covariances.Omega @ weights) / weights.size
    m = float(feature_covariances.correlation @ weights) / math.sqrt(weights.size)
    cosine = m / math.sqrt(feature_covariances.power * q)
    of_signs = {"logistic": logistic_test_loss, "hinge": hinge_test_loss}
    mean = square_test_loss(labels, q, m) if loss == "square" else of_signs[loss](q, math.atanh(cosine))
    return Performance(mean, class_error(cosine), q, m)

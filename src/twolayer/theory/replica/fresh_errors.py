"""Errors of an estimator on fresh Gaussian features, from its overlaps: the limit of an infinite test set.

The output z = w.v / sqrt d and the teacher's field nu are jointly normal, with variances q and rho and covariance m.
"""

import math

import numpy as np

from twolayer.model.networks.learning import Performance
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.theory.replica.convex_theory import ConvexTheory


def fresh_errors(weights: np.ndarray, feature_covariances: CovariateModel, theory: ConvexTheory) -> Performance:
    """Return the errors of an estimator with weights (d,), without samples.

    Args:
        theory: theory of the loss and the labels, for the teacher of the covariates.

    Source: goldt2021, generalisation error of the Gaussian covariate model.
    """
    q = float(weights @ feature_covariances.Omega @ weights) / weights.size
    m = float(feature_covariances.correlation @ weights) / math.sqrt(weights.size)
    return theory.performance(q, m)

"""Errors of an estimator on fresh Gaussian covariates, from its overlaps: what a test set without end would give.

Its output z = w.v / sqrt d and the teacher's field nu are jointly normal, with variances q and rho and covariance m.
"""

import math

import numpy as np

from twolayer.model.networks.learning import Performance
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.theory.replica.convex_theory import ConvexTheory


def fresh_errors(weights: np.ndarray, feature_covariances: CovariateModel, theory: ConvexTheory) -> Performance:
    """Of an estimator of weights (d,), without samples.

    Args:
        theory: of the loss and the labels, for the teacher of the covariates.

    Source: goldt2021, generalisation error of the Gaussian covariate model.
    """
    q = float(weights @ feature_covariances.Omega @ weights) / weights.size
    m = float(feature_covariances.correlation @ weights) / math.sqrt(weights.size)
    return theory.performance(q, m)

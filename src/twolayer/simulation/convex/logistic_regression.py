"""The minimum of the logistic loss of two or more classes.

For small ridges and separable classes, all terms of the gradient are small. So a fit is repeated with smaller
tolerances until the gradient is small compared with its terms.
"""

import warnings

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from twolayer.errors import NotConverged

# largest component of the gradient at the minimum, in units of the sum of the sizes of its terms
_REQUIRED, _REQUIRED_SPARSE = 1e-6, 1e-5
_ROUNDS = 8


def logistic_regression(inputs: np.ndarray, classes: np.ndarray, ridge: float, *, bias: bool) -> LogisticRegression:
    """Return the model of scikit-learn at the minimum of the loss + ridge / 2 |w|^2.

    Args:
        inputs: (n, d). classes: (n,). ridge: positive. bias: if false, biases are 0.

    Raises:
        NotConverged: rounding errors, or the number of iterations, end the fit before the minimum.
    """
    solver = "newton-cholesky" if len(np.unique(classes)) == 2 else "newton-cg"
    model = LogisticRegression(C=1 / ridge, fit_intercept=bias, solver=solver, max_iter=1000, warm_start=True)
    tolerance = 1e-8 * float(np.abs(inputs).mean(axis=0).max())
    return _fitted(model, inputs, classes, tolerance, _gradient, _REQUIRED)


def sparse_logistic_regression(inputs: np.ndarray, classes: np.ndarray, ridge: float) -> LogisticRegression:
    """Return the model of scikit-learn at the minimum of the loss of two classes + ridge |w|_1.

    Args:
        inputs: (n, d). classes: (n,). ridge: positive.

    Raises:
        NotConverged: rounding errors, or the number of iterations, end the fit before the minimum.
    """
    # the order of the coordinates is random
    options = {"l1_ratio": 1, "solver": "liblinear", "max_iter": 10_000, "random_state": 0}
    model = LogisticRegression(C=1 / ridge, fit_intercept=False, **options)
    return _fitted(model, inputs, classes, 1e-7, _subgradient, _REQUIRED_SPARSE)


def _fitted(model, inputs, classes, tolerance, remaining, required):
    iterations = 0
    for round_ in range(_ROUNDS):
        model.set_params(tol=tolerance * 100.0**-round_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the gradient decides
            model.fit(inputs, classes)
        change, terms = _loss_gradient(model, inputs, classes)
        if np.max(remaining(model, change)) <= required * terms:
            return model
        iterations += int(np.max(model.n_iter_))
        if np.max(model.n_iter_) >= model.max_iter:
            break
    raise NotConverged(
        f"the logistic loss at ridge {1 / model.C:g} did not converge in {iterations} iterations: raise ridges"
    )


def _loss_gradient(model, inputs, classes):
    """Return the gradient (outputs, d + bias) of the loss, and the largest sum of the sizes of its terms."""
    z = model.decision_function(inputs)
    wrong = softmax(np.stack([0 * z, z], axis=1) if z.ndim == 1 else z, axis=1)
    correct = np.arange(len(wrong)), np.searchsorted(model.classes_, classes)
    wrong[correct] = 0
    wrong[correct] = -wrong.sum(axis=1)  # 1 - p loses digits if p is close to 1
    wrong = wrong[:, -len(model.coef_) :]  # two classes have one output
    if model.fit_intercept:
        inputs = np.hstack([inputs, np.ones((len(inputs), 1))])
    return wrong.T @ inputs, (np.abs(wrong).T @ np.abs(inputs)).max()


def _gradient(model, change):
    change[:, : model.coef_.shape[1]] += model.coef_ / model.C
    return np.abs(change)


def _subgradient(model, change):
    """Return the distance of the gradient from zero; a weight of zero allows gradients up to the ridge."""
    at_zero = np.maximum(np.abs(change) - 1 / model.C, 0)
    return np.where(model.coef_ == 0, at_zero, np.abs(change + np.sign(model.coef_) / model.C))

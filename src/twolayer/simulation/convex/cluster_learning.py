"""Classifiers with a bias, trained on samples by scikit-learn."""

import math

import numpy as np
from sklearn.linear_model import Ridge

from twolayer.errors import ConfigError
from twolayer.simulation.convex.convex_learning import check_ridge, learn
from twolayer.simulation.convex.huber_regression import huber_regression
from twolayer.simulation.convex.least_norm import least_norm
from twolayer.simulation.convex.logistic_regression import logistic_regression
from twolayer.simulation.convex.support_vectors import support_vector_machine


def binary_classifier(
    inputs: np.ndarray, labels: np.ndarray, loss: str, ridge: float, *, bias: bool, huber_delta: float
) -> tuple[np.ndarray, float]:
    """Return weights (d,) and bias of the minimum of sum loss(y, w.x / sqrt d + b) + ridge / 2 |w|^2.

    Args:
        inputs: (n, d). labels: (n,) -1 and 1. loss: `square`, `logistic`, `hinge` or `huber`.

    Raises:
        ConfigError: all labels are equal, for another loss than the square; or the ridge is zero, for another loss than
            square and huber.
        NotConverged: the optimiser stops before it converges.
    """
    if not bias:
        return learn(inputs, labels, loss, ridge, huber_delta=huber_delta), 0.0
    check_training(labels, 2)
    check_ridge(loss, ridge)
    inputs = inputs / math.sqrt(inputs.shape[1])
    if loss == "huber":
        found = huber_regression(inputs, labels, ridge, huber_delta, bias=True)
        return found[:-1], float(found[-1])
    if loss == "hinge":
        found = support_vector_machine(inputs, labels, ridge, bias=True)
        return found[:-1], float(found[-1])
    if ridge == 0:
        found = least_norm(inputs, labels, bias=True)
        return found[:-1], float(found[-1])
    square = loss == "square"
    model = Ridge(alpha=ridge).fit(inputs, labels) if square else logistic_regression(inputs, labels, ridge, bias=True)
    return model.coef_.reshape(-1), float(np.squeeze(model.intercept_))


def classifier(
    inputs: np.ndarray, classes: np.ndarray, count: int, loss: str, ridge: float, *, bias: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (K, d) and bias (K,) of a classifier of K classes; biases of the softmax sum to zero.

    Args:
        inputs: (n, d). classes: (n,) numbers from 0. count: K. loss: `square`, of one-hot labels, or `softmax`.
        ridge: 0, for the square loss, gives the minimum of the smallest norm. bias: if false, biases are 0.

    Raises:
        ConfigError: a class has no sample.
        NotConverged: the optimiser stops before it converges.
    """
    classes = classes.astype(int)
    check_training(classes, count)
    inputs = inputs / math.sqrt(inputs.shape[1])
    if loss == "square":
        targets = np.eye(count)[classes]
        if ridge == 0:
            found = least_norm(inputs, targets, bias=bias)
            return found[: inputs.shape[1]].T, found[-1] if bias else np.zeros(count)
        model = Ridge(alpha=ridge, fit_intercept=bias).fit(inputs, targets)
        return model.coef_, np.broadcast_to(model.intercept_, count)
    if count == 2:  # scikit-learn trains one output, the difference of two, whose squares sum to half of its square
        model = logistic_regression(inputs, classes, ridge / 2, bias=bias)
        signs = np.array([-0.5, 0.5])
        return signs[:, None] * model.coef_, signs * model.intercept_
    model = logistic_regression(inputs, classes, ridge, bias=bias)
    return model.coef_, model.intercept_ - model.intercept_.mean()


def check_training(labels: np.ndarray, count: int) -> None:
    """Check that a training set has a sample of each class.

    Raises:
        ConfigError: a class has no sample.
    """
    if (found := len(np.unique(labels))) < count:
        raise ConfigError(
            f"a training set of {len(labels)} samples has {found} of {count} classes: raise sample_ratios, dimension "
            "or weights of the mixture"
        )

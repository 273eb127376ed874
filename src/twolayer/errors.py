"""Errors that a user can correct. Each message is one sentence with the value, the place and the remedy."""

import reprlib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from twolayer.escaping import terminal

_LONGEST_LIST = 400  # largest number of letters in a list of names


class TwolayerError(Exception):
    """Base of all errors that are reported without a traceback.

    A message may have names from files of other people. A terminal gets their control characters escaped.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     tl.Student("relu", hidden_units=0)
        ... except tl.TwolayerError as error:
        ...     type(error).__name__
        'ConfigError'
    """

    def __str__(self) -> str:
        return terminal(super().__str__())


class ConfigError(TwolayerError):
    """A value of the configuration, or an argument, is not allowed.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     tl.Student("relu", hidden_units=0)
        ... except tl.ConfigError as error:
        ...     print(error)
        hidden_units is 0: it must be at least 1 and at most 1e+12
    """


class DataError(TwolayerError):
    """An image file is missing, truncated, or has other contents than expected.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     tl.data_samples(file="nothing.npz")
        ... except tl.DataError as error:
        ...     print(str(error).partition(":")[0])
        nothing.npz is missing
    """


class ResultError(TwolayerError):
    """A results file is missing, truncated, or belongs to another run.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     tl.read("nothing.nc")
        ... except tl.ResultError as error:
        ...     print(str(error).partition(":")[0])
        results file nothing.nc is missing
    """


def shown(value: Any) -> str:
    """Return a value as an error shows it, on one line."""
    text = " ".join(_SHORT.repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


_SHORT = reprlib.Repr()  # reads only the shown part of a value: a few lines of YAML can represent 10^9 items
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 20


def known(names: Iterable[str], wanted: str = "") -> str:
    """Return allowed names as an error lists them: the first few of many, after those that resemble the wanted name."""
    names = list(names)
    if len(together := ", ".join(names)) <= _LONGEST_LIST:
        return together or "none"
    first = dict.fromkeys([*get_close_matches(wanted, names, n=3), *names[:5]])
    return f"{', '.join(first)} and {len(names) - len(first):,} more"


class NotConverged(TwolayerError):
    """A solver stopped before it reached its tolerance.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> student, schedule = tl.Student("erf", hidden_units=2), tl.Schedule(learning_rate=1e6, last_time=10)
        >>> try:
        ...     tl.order_parameter_sgd(mixture, student, schedule, seeds=2)
        ... except tl.NotConverged as error:
        ...     print(str(error).partition(": ")[2])
        lower the learning rate, which is 1e+06
    """


class UnconvergedPoint(UserWarning):
    """A point of a sweep did not converge.

    Its values are NaN, its variable `converged` is 0, and all other points are computed.

    Example:
        >>> import twolayer as tl
        >>> import warnings
        >>> data = tl.gaussian_feature_covariances(dimension=50)
        >>> problem = tl.ConvexProblem(losses=["hinge"], penalty="l1", ridges=[0.1, 20], sample_ratios=[1])
        >>> with warnings.catch_warnings(record=True) as found:
        ...     warnings.simplefilter("always")
        ...     theory = tl.replica(data, problem)
        >>> str(found[0].message).partition(",")[0], theory.converged.values.ravel().tolist()
        ('the result at loss hinge', [1.0, 0.0])
    """


class SmallSample(UserWarning):
    """A set of samples is too small for a computation.

    The result is valid for this set, and hardly for other samples.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> import warnings
        >>> features = np.random.default_rng(0).standard_normal((30, 10))
        >>> with warnings.catch_warnings(record=True) as found:
        ...     warnings.simplefilter("always")
        ...     data = tl.feature_covariances(features, np.sign(features[:, 0]))
        >>> str(found[0].message).partition(":")[0]
        '30 samples of 10 features'
    """

"""What a user can put right: each error is one sentence with the value, the place and the remedy."""


class TwolayerError(Exception):
    """Base of all errors that are reported without a traceback."""


class ConfigError(TwolayerError):
    """A value of the configuration, or an argument, is not allowed."""


class DataError(TwolayerError):
    """An image file is missing, truncated, or not what it should be."""


class ResultError(TwolayerError):
    """A results file is missing, truncated, or does not belong here."""


class NotConverged(TwolayerError):
    """A solver stopped before it reached its tolerance."""


class SmallSample(UserWarning):
    """A set of samples is too small for what is asked of it: the result holds for this set, and hardly beyond."""

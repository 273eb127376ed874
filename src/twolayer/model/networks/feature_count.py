"""How many random features, samples or hidden units a ratio makes."""

from twolayer.errors import ConfigError

_MOST = 10**8  # of anything that a ratio makes: a list of so many numbers takes 1 GB
_MOST_FEATURES = 100_000  # a covariance of them takes 80 GB


def count_of(ratio: float, size: int, name: str, what: str) -> int:
    """The whole number that a ratio to a size makes, at least one.

    Args:
        name: of the parameter that holds the ratio. what: is counted, in the singular.

    Raises:
        ConfigError: there would be none, or too many for the memory.
    """
    count = round(ratio * size)
    if count < 1:
        raise ConfigError(
            f"{name} has {ratio:g}, which makes no {what} at a size of {size}: give at least {1 / size:g}"
        )
    if count > _MOST:
        raise ConfigError(f"{name} has {ratio:g}, which makes {count:.3g} {what}s: give at most {_MOST / size:g}")
    return count


def feature_count(ratio: float, dimension: int) -> int:
    """F, the number of random features at a ratio F / D.

    Raises:
        ConfigError: there is none, or more than fit in the memory.
    """
    count = round(ratio * dimension)
    if count < 1:
        raise ConfigError(
            f"features_per_dimension is {ratio:g} at input_dimension {dimension}, which makes no feature: "
            f"give at least {1 / dimension:g}"
        )
    if count > _MOST_FEATURES:
        raise ConfigError(
            f"features_per_dimension is {ratio:g} at input_dimension {dimension}, which makes {count:.3g} features, "
            f"too many for their covariance: give at most {_MOST_FEATURES / dimension:g}"
        )
    return count

"""Numbers of random features, samples or hidden units from ratios."""

from twolayer.errors import ConfigError

_MOST = 10**8  # largest number from a ratio: a list of this length takes 1 GB
_MOST_FEATURES = 100_000  # largest number of features: their covariance takes 80 GB


def count_of(ratio: float, size: int, name: str, what: str) -> int:
    """Return the whole number for a ratio to a size, at least one.

    Args:
        name: name of the parameter with the ratio. what: name of the counted objects, in the singular.

    Raises:
        ConfigError: the number is zero, or too large for the memory.
    """
    count = round(ratio * size)
    if count < 1:
        raise ConfigError(
            f"{name} has {ratio:g}, which gives no {what} at a size of {size}: give at least {1 / size:g}"
        )
    if count > _MOST:
        raise ConfigError(f"{name} has {ratio:g}, which gives {count:.3g} {what}s: give at most {_MOST / size:g}")
    return count


def feature_count(ratio: float, dimension: int) -> int:
    """Return F, the number of random features at a ratio F / D.

    Raises:
        ConfigError: the number is zero, or too large for the memory.
    """
    count = round(ratio * dimension)
    if count < 1:
        raise ConfigError(
            f"features_per_dimension is {ratio:g} at input_dimension {dimension}, which gives no feature: "
            f"give at least {1 / dimension:g}"
        )
    if count > _MOST_FEATURES:
        raise ConfigError(
            f"features_per_dimension is {ratio:g} at input_dimension {dimension}, which gives {count:.3g} features, "
            f"too many for their covariance: give at most {_MOST_FEATURES / dimension:g}"
        )
    return count

"""How many random features a ratio to the dimension makes."""

from twolayer.errors import ConfigError


def feature_count(ratio: float, dimension: int) -> int:
    """F, the number of random features at a ratio F / D.

    Raises:
        ConfigError: there is none.
    """
    count = round(ratio * dimension)
    if count < 1:
        raise ConfigError(
            f"features_per_dimension is {ratio:g} at input_dimension {dimension}, which makes no feature: "
            f"give at least {1 / dimension:g}"
        )
    return count

"""The torus R^2 / 4 Z^2, on which features of width s = 1/2 live."""

import numpy as np
from scipy.integrate import quad

HALF_PERIOD = 2.0  # in every coordinate
FEATURE_WIDTH = 0.5


def wrap(points):
    """Representatives in [-2, 2) of coordinates on the torus, an array or a tensor."""
    return (points + HALF_PERIOD) % (2 * HALF_PERIOD) - HALF_PERIOD


def mean_feature() -> float:
    """Mean over the torus of a feature (2 / s^2) exp(-|w - x| / s), by an integral over the angle."""

    def sector(angle):  # the integral over the radius, from 0 to the edge of the cell
        edge = HALF_PERIOD / np.cos(angle) / FEATURE_WIDTH
        return 2 * (1 - (1 + edge) * np.exp(-edge))

    eighth, _ = quad(sector, 0, np.pi / 4)
    return 8 * eighth / (2 * HALF_PERIOD) ** 2

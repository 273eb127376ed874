"""Nodes of Gaussian averages of functions of the pull of a margin loss."""

import math

import numpy as np

from twolayer.errors import NotConverged
from twolayer.theory.replica.margin_losses import MarginLoss

_REACH = 9.0  # range of an average, in standard deviations
_MOST_NODES = 2 * 10**5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_PANELS = 20  # typical number of panels


def margin_nodes(
    loss: MarginLoss, V: float, scale: float, *, mean: float = 0.0, step: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes xi and weights of a Gaussian average of functions of the pull at mean + scale xi.

    Args:
        step: width around zero in which the probability of the labels changes with xi.

    Raises:
        NotConverged: the average needs too many nodes.
    """
    if loss.kinks is None:
        return _equidistant(_spacing(scale, step))
    return _panels((np.array(loss.kinks(V)) - mean) / scale, step)


def node_count(loss: MarginLoss, scale: float, step: float) -> float:
    """Return the approximate number of nodes of an average, which is limited."""
    return _NODES.size * _PANELS if loss.kinks else min(2 * _REACH / _spacing(scale, step), _MOST_NODES)


def _spacing(scale, step):
    return min(0.25, 0.5 / scale, 0.35 * step)


def _equidistant(spacing):
    """Return equally spaced nodes and weights of a Gaussian average.

    The trapezoidal rule converges exponentially: the integrand is analytic up to a distance of pi / scale from the real
    axis, and the label's step has the width `step`. The spacing causes an error of about 1e-15.
    """
    half = math.ceil(_REACH / spacing)
    if 2 * half > _MOST_NODES:
        raise NotConverged(
            f"an average of the logistic loss needs {2 * half} nodes, because outputs are large or nearly determine "
            "the labels: raise ridges"
        )
    xi = spacing * np.arange(-half, half + 1)
    return xi, spacing * np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi)


def _panels(kinks, step):
    """Return nodes and weights on panels that end at the kinks, and that are short close to the label's step."""
    around = step * 3.0 ** np.arange(0, max(1, math.ceil(math.log(_REACH / step, 3))))
    ends = np.concatenate([np.linspace(-_REACH, _REACH, 13), around, -around, kinks])
    ends = np.unique(np.clip(ends, -_REACH, _REACH))
    half, centre = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    xi, weights = (centre + half * _NODES).ravel(), (half * _WEIGHTS).ravel()
    return xi, weights * np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi)

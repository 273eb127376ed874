"""Quasi-random points and lines in the space of the pre-activations, for averages over more than two of them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import convolve1d
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

_NEIGHBOURS = 2  # number of times before, and after, over which changes of an error are averaged


def sobol_normals(dimension: int, log2_size: int, seed: int) -> np.ndarray:
    """Return scrambled Sobol points (2**log2_size, dimension) of the standard normal distribution."""
    sobol = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed))
    return ndtri(np.clip(sobol.random_base2(log2_size), 1e-12, 1 - 1e-12))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Quasi-random points, and lines through them, in the space of the pre-activations.

    A line varies one combination of the pre-activations, through a point drawn for all the rest. Every choice of the
    combination is valid. Averages converge fast, and are smooth in the parameters, if no unit is nearly independent of
    the combination. A choice is kept until `aligned` makes a new one, since derivatives need it fixed.

    Attributes:
        normals: (n, K) points of the standard normal distribution.
        direction: (K,) coefficients of the combination.
        frame: (K, K) rotation of the points of lines; its first columns belong to the largest variances.
    """

    normals: np.ndarray
    direction: np.ndarray
    frame: np.ndarray

    def aligned(self, covariance: np.ndarray) -> "Nodes":
        """Return the same points, with the combination that has the largest correlation with its least
        correlated unit.
        """
        candidates = self.normals / np.sqrt(np.diag(covariance))
        direction = candidates[np.argmax(_least_correlations(candidates, covariance))]
        slope = _slope(direction, covariance)
        frame = np.linalg.eigh(covariance - np.outer(slope, slope))[1][:, ::-1]
        return replace(self, direction=direction, frame=frame)

    def first(self, size: int) -> "Nodes":
        """Return the first `size` points, with the same combination."""
        return replace(self, normals=self.normals[:size])

    def alignment(self, covariance: np.ndarray) -> float:
        """Return the squared correlation of the combination with its least correlated unit."""
        return float(_least_correlations(self.direction[None], covariance)[0])

    def lines(self, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return deviations of the pre-activations from their mean: points (n, K) + t * slope (K,), t
        standard normal.
        """
        slope = _slope(self.direction, covariance)
        return self.normals @ (self.frame.T @ square_root(covariance - np.outer(slope, slope))), slope

    def rays(self, freedom: int) -> tuple[np.ndarray, np.ndarray]:
        """Return directions (n, freedom) and points (n, K - freedom); opposite directions belong to the same points.

        The directions are unit vectors along the first `freedom` axes. A ray begins at a point of the other axes.
        """
        if freedom == 1:
            return np.ones((len(self.normals), 1)), self.normals[:, 1:]
        if freedom == 2:  # an angle needs only one coordinate
            angle = np.pi * ndtr(self.normals[:, :1])
            return np.hstack([np.cos(angle), np.sin(angle)]), self.normals[:, 2:]
        leading = self.normals[:, :freedom]
        return leading / np.linalg.norm(leading, axis=1, keepdims=True), self.normals[:, freedom:]

    def points(self, covariance: np.ndarray) -> np.ndarray:
        """Return deviations (n, K) of the pre-activations from their mean at the points, from the coordinates nearest
        to units.
        """
        return self.normals @ square_root(covariance)


def sobol_nodes(hidden: int, log2_size: int, seed: int) -> Nodes:
    """Return 2**log2_size points for `hidden` units, with lines that are not aligned yet."""
    normals = sobol_normals(hidden, log2_size, seed)
    return Nodes(normals, direction=normals[0], frame=np.eye(hidden))


def changes_around(changes: np.ndarray) -> np.ndarray:
    """Return the root mean square (T,) of each of the changes (T,) and its neighbours.

    A change of an error with other nodes is near zero at some times by chance, and similar at neighbouring times.
    """
    window = np.ones(2 * _NEIGHBOURS + 1)
    squares, counts = (convolve1d(values, window, mode="constant") for values in (changes**2, np.ones(len(changes))))
    return np.sqrt(squares / counts)


def _least_correlations(directions, covariance):
    """Return the squared correlation (n,) of each combination (n, K) with its least correlated unit."""
    shared = directions @ covariance
    return np.min(shared**2 / (np.sum(shared * directions, axis=1)[:, None] * np.diag(covariance)), axis=1)


def _slope(direction, covariance):
    shared = covariance @ direction
    return shared / np.sqrt(direction @ shared)


def square_root(covariance: np.ndarray) -> np.ndarray:
    """Return the symmetric root of a covariance (K, K), which may be singular.

    The root is smooth where eigenvalues cross, unlike eigenvectors.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    # eigenvalues below zero are rounding errors
    return (eigenvectors * np.sqrt(np.maximum(eigenvalues, 0))) @ eigenvectors.T

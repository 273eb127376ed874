"""States of the order-parameter equations as vectors, for the solvers."""

import math
from dataclasses import fields, replace
from functools import cache

import numpy as np

from twolayer.theory.mixtures.mixture_equations import IsotropicState, MixtureState

_PART = 1e-2  # of weights and second layer, which each counts at least of the other


def packed(state: MixtureState) -> np.ndarray:
    """Return a state as a vector, with Q without its upper triangle."""
    if isinstance(state, IsotropicState):
        lower, _ = _triangle(len(state.v))
        return np.concatenate([state.Q[lower], state.R.ravel(), state.v])
    return np.concatenate([getattr(state, field.name).ravel() for field in fields(state)])


def unpacked(template: MixtureState, vector: np.ndarray) -> MixtureState:
    """Return the state of a vector, in the shape of a template."""
    if isinstance(template, IsotropicState):
        hidden = len(template.v)
        _, places = _triangle(hidden)
        R = vector[hidden * (hidden + 1) // 2 : -hidden].reshape(template.R.shape)
        return IsotropicState(vector[places], R, vector[-hidden:])
    shapes = [getattr(template, field.name).shape for field in fields(template)]
    parts = np.split(vector, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    return type(template)(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


def typical_sizes(state: MixtureState) -> np.ndarray:
    """Return the typical size of each component of the vector: of weights, of their squares, or of the second layer.

    Weights and second layer count at least as a part of each other, since errors of averages over units are relative
    to the larger of them. Averages of tanh units of weights of 1e-3 have a relative error of 7e-9, which the tolerance
    of the second layer must exceed.
    """
    squares, weights = ("Q", "R") if isinstance(state, IsotropicState) else ("fluctuations", "mean_weights")
    largest = {name: float(np.abs(getattr(state, name)).max()) for name in (squares, weights, "v")}
    weight, second_layer = max(largest[weights], largest[squares] ** 0.5), largest["v"]
    weight, second_layer = max(weight, _PART * second_layer), max(second_layer, _PART * weight)
    sizes = {squares: weight**2, weights: weight, "v": second_layer}
    return packed(replace(state, **{name: np.full_like(getattr(state, name), size) for name, size in sizes.items()}))


@cache
def _triangle(hidden):
    """Return the indices of the lower triangle (K, K), and the place (K, K) of each entry of a symmetric matrix in
    it.
    """
    lower, places = np.tril_indices(hidden), np.empty((hidden, hidden), int)
    places[lower] = places.T[lower] = np.arange(len(lower[0]))
    return lower, places

"""States of the order-parameter equations as vectors, for the solvers."""

import math
from dataclasses import fields
from functools import cache

import numpy as np

from twolayer.theory.mixtures.mixture_equations import IsotropicState, MixtureState


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
    """Return the typical size of each component of the vector: of weights, of their squares, or of the second layer."""
    second_layer = np.full_like(state.v, np.abs(state.v).max())
    if isinstance(state, IsotropicState):
        square = np.abs(state.Q).max()
        return packed(IsotropicState(np.full_like(state.Q, square), np.full_like(state.R, square**0.5), second_layer))
    square = max(np.abs(state.mean_weights).max() ** 2, np.abs(state.fluctuations).max())
    moments = np.full_like(state.mean_weights, square**0.5), np.full_like(state.fluctuations, square)
    return packed(type(state)(*moments, second_layer))


@cache
def _triangle(hidden):
    """Return the indices of the lower triangle (K, K), and the place (K, K) of each entry of a symmetric matrix in
    it.
    """
    lower, places = np.tril_indices(hidden), np.empty((hidden, hidden), int)
    places[lower] = places.T[lower] = np.arange(len(lower[0]))
    return lower, places

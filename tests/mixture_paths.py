"""Solutions of the mixture equations by Euler steps, and by how much other nodes change them."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from twolayer.theory.averages.nodes import changes_around
from twolayer.theory.mixtures.integration import observables, repeated
from twolayer.theory.mixtures.mixture_equations import aligned
from twolayer.theory.mixtures.state_vectors import packed, unpacked

_OBSERVED = ("pmse", "class_error", "zero_probability")


def euler(equations, start, times, *, step):
    """States, and three observables, by Euler steps of at most `step` that end on each of the times."""
    states = [start]
    for begin, end in pairwise(times):
        frozen, vector = aligned(equations, states[-1]), packed(states[-1])
        count = math.ceil((end - begin) / step - 1e-9)
        for _ in range(count):
            vector = vector + (end - begin) / count * packed(frozen.drift(unpacked(start, vector)))
        states.append(unpacked(start, vector))
    seen = [observables(equations, state) for state in states]
    values = {name: np.array([getattr(one, name) for one in seen]) for name in _OBSERVED}
    return SimpleNamespace(states=states, observables=SimpleNamespace(**values))


def sampling_error(equations, path, nodes):
    """By how much pmse and class error (T,) change with other nodes, the latter over neighbouring times."""
    found, first = repeated(equations, path, nodes).observables, path.observables
    return np.abs(found.pmse - first.pmse), changes_around(found.class_error - first.class_error)

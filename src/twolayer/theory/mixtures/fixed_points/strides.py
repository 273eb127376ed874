"""Strides along the flow to a stationary state, in coordinates that keep Q - R^T R positive."""

from dataclasses import replace

import numpy as np

from twolayer.theory.mixtures.fixed_points.living_units import FLOOR, LivingUnits
from twolayer.theory.mixtures.mixture_equations import IsotropicState
from twolayer.theory.mixtures.right_side import with_few_nodes
from twolayer.theory.mixtures.state_vectors import packed, unpacked

_DIFFERENCE = 1e-5  # relative step of central differences: truncation and rounding both cost 1e-10
# factors: a stride is shortened by the first if it fails, and lengthened by the second if it succeeds
_SLOWER, _FASTER = 4.0, 5.0
_FALL = 0.5  # factor by which each stride must reduce the drift if an earlier state gave the derivatives
RISE = 5.0  # factor by which a stride may raise the drift: the drift may rise on the way to the end of a slow flow
_SHORTEST = 1e-6  # stride, in units of N steps

Variations = tuple[np.ndarray, np.ndarray, np.ndarray]


def strides(
    part: LivingUnits, state: IsotropicState, stride: float, drift: np.ndarray, variations: Variations
) -> tuple[IsotropicState, float]:
    """Return the state after strides along the flow, and the length of the next stride.

    A stride is a linearised implicit Euler step: it follows the flow if short, and is Newton's step if long. The flow
    is slow, at rates of learning rate times weight decay, and Newton's method without strides may end at another fixed
    point. The derivatives, which cost most, stay the same while every stride makes the drift much smaller.
    """
    roots, *derivatives = variations
    while (found := _stride(part, state, roots, drift, derivatives, stride, RISE)) is None:
        stride /= _SLOWER
        if stride <= _SHORTEST:
            return state, stride
    while found is not None:
        before, (state, roots, drift) = np.linalg.norm(drift), found
        stride *= _FASTER if np.linalg.norm(drift) < before else 1.0
        found = _stride(part, state, roots, drift, derivatives, stride, _FALL)
    return state, stride


def _stride(part, state, roots, drift, derivatives, stride, limit):
    """Return state, roots and drift after a stride, or None if the drift is not below a limit times the present drift.

    A step of the roots suits weights that vanish together. A step of Q suits an excess Q - R^T R that vanishes
    separately.
    """
    by_roots, drift_by_roots = derivatives
    step = np.linalg.solve(by_roots / stride - drift_by_roots, drift)
    for trial in (squared(roots + step, state), unpacked(state, packed(state) + by_roots @ step)):
        trial = positive(trial, FLOOR)
        there = part.drift(trial)
        if np.linalg.norm(there) < limit * np.linalg.norm(drift):
            return trial, _roots(trial), there
    return None


def _roots(state):
    """Return (A, R, v) as a vector, where Q = R^T R + A A^T."""
    return packed(replace(state, Q=np.linalg.cholesky(positive(state, FLOOR).Q - state.R.T @ state.R)))


def variations_of(part: LivingUnits, state: IsotropicState, *, rough: bool = False) -> Variations:
    """Return roots (A, R, v), which keep Q = R^T R + A A^T positive, and derivatives of Q, R, v and the drift
    by them.

    Args:
        rough: whether derivatives of the drift from few nodes and one side are enough.
    """
    roots = _roots(state)
    step = _DIFFERENCE * np.abs(roots).max()
    pairs = [(squared(roots + shift, state), squared(roots - shift, state)) for shift in step * np.eye(roots.size)]
    by_roots = np.stack([packed(up) - packed(down) for up, down in pairs], axis=1) / (2 * step)
    if rough:
        part = replace(part, equations=with_few_nodes(part.equations))
        here = part.drift(squared(roots, state))
        return roots, by_roots, np.stack([part.drift(up) - here for up, _ in pairs], axis=1) / step
    drifts = [part.drift(up) - part.drift(down) for up, down in pairs]
    return roots, by_roots, np.stack(drifts, axis=1) / (2 * step)


def squared(roots: np.ndarray, template: IsotropicState) -> IsotropicState:
    """Return the state of roots (A, R, v), in the shape of a template."""
    root = unpacked(template, roots)
    A = np.tril(root.Q)
    return replace(root, Q=A @ A.T + root.R.T @ root.R)


def positive(state: IsotropicState, floor: float) -> IsotropicState:
    """Return the state with all eigenvalues of Q - R^T R raised to a part of Q.

    Integration errors may make smaller ones.
    """
    plane = state.R.T @ state.R
    eigenvalues, eigenvectors = np.linalg.eigh(state.Q - plane)
    raised = np.maximum(eigenvalues, floor * np.abs(state.Q).max())
    return replace(state, Q=plane + (eigenvectors * raised) @ eigenvectors.T)

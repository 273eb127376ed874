"""Where online learning of the XOR mixture ends, against the noise level."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.config import FixedPointSweep
from twolayer.model.activations import RELU
from twolayer.model.mixtures import xor
from twolayer.progress import track
from twolayer.theory.fixed_point import stationary_state, xor_start
from twolayer.theory.mixture_equations import IsotropicEquations, sobol_nodes
from twolayer.theory.ode import observables
from twolayer.theory.oracle import xor_error


def run(config: FixedPointSweep) -> xr.Dataset:
    """Errors and order parameters of the fixed point at every noise level, with the error of the quadrature.

    The fixed point is found at `start_sigma` and followed from there to both sides.
    """
    nodes, other_nodes = (
        sobol_nodes(config.hidden_units, config.log2_nodes, int(seed))
        for seed in np.random.SeedSequence(config.seed).generate_state(2)
    )
    equations = _equations(config, config.start_sigma, nodes)
    start = stationary_state(equations, xor_start(config.hidden_units), config.relaxation_time).state
    above = sorted(sigma for sigma in config.sigma if sigma >= config.start_sigma)
    below = sorted((sigma for sigma in config.sigma if sigma < config.start_sigma), reverse=True)
    points = {}
    for branch in (above, below):
        state = start
        for sigma in track(branch, "noise levels"):
            points[sigma] = stationary_state(_equations(config, sigma, nodes), state, config.relaxation_time)
            state = points[sigma].state
    rows = [_row(points[sigma], config, other_nodes) for sigma in config.sigma]
    return xr.concat(rows, "sigma").assign_coords(sigma=list(config.sigma))


def _equations(config, sigma, nodes):
    return IsotropicEquations(xor(sigma**2), RELU, config.learning_rate, config.weight_decay, nodes)


def _row(point, config, other_nodes):
    """One fixed point, and how far it moves with other nodes: an estimate of the quadrature's standard error."""
    seen = observables(point.equations, point.state)
    again = stationary_state(replace(point.equations, nodes=other_nodes), point.state, config.relaxation_time)
    other = observables(again.equations, again.state)
    variables = {
        "pmse": seen.pmse,
        "pmse_sem": abs(seen.pmse - other.pmse),
        "class_error": seen.class_error,
        "class_error_sem": abs(seen.class_error - other.class_error),
        "zero_probability": seen.zero_probability,
        "oracle": xor_error(np.sqrt(point.equations.mixture.variance)),
        "Q": (("unit", "other_unit"), point.state.Q),
        "R": (("axis", "unit"), point.state.R),
        "v": ("unit", point.state.v),
        "residual": point.residual,
        "leading_eigenvalue": point.leading_eigenvalue,
    }
    return xr.Dataset(variables)

"""A row of a phase diagram: learning from the chain of order parameters, along one parameter."""

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.errors import NotConverged
from twolayer.experiments.mixtures.geometry import build
from twolayer.experiments.mixtures.inputs import seen_by
from twolayer.experiments.mixtures.parameters import PhaseRow
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.start import first_network
from twolayer.model.activations import as_activation
from twolayer.progress import track
from twolayer.simulation.order_parameter_chain import order_parameter_chain
from twolayer.theory.local_fields import network_errors
from twolayer.theory.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.nodes import sobol_nodes
from twolayer.theory.plateau import plateau

_OUTCOMES = ("pmse", "class_error", "success", "diverged", "escape_time")
_DIVERGED = (math.inf, 0.5, 0.0, 1.0, math.inf)


def run(config: PhaseRow) -> xr.Dataset:
    """What every run comes to, at every value; and in theory, where the second layer is kept."""
    cells = [_cell(_at(config, value)) for value in track(config.values, "values")]
    return xr.concat(cells, "value").assign_coords(value=list(config.values))


def _at(config: PhaseRow, value: float) -> PhaseRow:
    """The parameters of a cell."""
    if config.along == "sigma":
        return replace(config, sigma=value)
    if config.along in ("learning_rate", "weight_decay"):
        return replace(config, schedule=replace(config.schedule, **{config.along: value}))
    return replace(config, student=replace(config.student, **{config.along: round(value)}))


def _cell(config):
    student, dimension = config.student, config.student.dimension
    mixture = seen_by(student, build(config.geometry, config.sigma, dimension))
    nodes = sobol_nodes(student.hidden_units, config.log2_nodes, config.seed)
    equations = IsotropicEquations(mixture, as_activation(student.activation), learning_of(config.schedule), nodes)
    streams = np.random.default_rng(config.seed).spawn(config.seeds)
    if config.schedule.train_second_layer:
        return _runs(config, equations, [_random_start(student, mixture, rng) for rng in streams], streams)
    try:
        at = plateau(equations, np.where(np.arange(student.hidden_units) % 2, -1.0, 1.0))
    except NotConverged:  # the noise of SGD alone makes the weights diverge
        return _outcomes([_DIVERGED] * config.seeds).assign(escape_rate=math.inf, expected_time=math.inf)
    found = _runs(config, equations, [_plateau_start(at.state, dimension, rng) for rng in streams], streams)
    time = at.escape_time(config.part, dimension, config.schedule.last_time)
    return found.assign(escape_rate=at.rate, expected_time=time)


def _random_start(student, mixture, rng):
    return IsotropicState.of_network(first_network(student, student.dimension, rng), mixture.means.shape[1])


def _plateau_start(state, dimension, rng):
    """Weights with the plateau's Q that are random but for it."""
    eigenvalues, vectors = np.linalg.eigh(state.Q)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return replace(state, R=rng.standard_normal(state.R.shape) @ root.T / math.sqrt(dimension))


def _runs(config, equations, starts, streams):
    times = np.linspace(0, config.schedule.last_time, config.measurements)
    options = {"activation": equations.activation, "dimension": config.student.dimension, "times": times}
    mixture, found = equations.mixture, []
    for start, rng in zip(starts, streams, strict=True):
        try:
            path = order_parameter_chain(mixture, start, equations.learning, **options, rng=rng)
        except NotConverged:
            found.append(_DIVERGED)
            continue
        pmse, class_error, _ = network_errors(path.local_fields(mixture)[-1], mixture, equations.nodes)
        left = np.sum(path.R**2, axis=(1, 2)) > config.part * np.trace(path.Q, axis1=1, axis2=2)
        time = path.times[left.argmax()] if left.any() else math.inf
        found.append((pmse, class_error, float(class_error < config.success_error), 0.0, time))
    return _outcomes(found)


def _outcomes(found):
    columns = zip(_OUTCOMES, zip(*found, strict=True), strict=True)
    return xr.Dataset({name: ("seed", list(values)) for name, values in columns})

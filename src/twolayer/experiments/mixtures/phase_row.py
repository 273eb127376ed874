"""A row of a phase diagram: SGD in order parameters, along one parameter."""

import math
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.experiments.mixtures.initial_network import first_network, state_of
from twolayer.experiments.mixtures.parameters import PhaseRow
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.student_inputs import seen_by
from twolayer.experiments.sweeps import concatenated, sweep
from twolayer.model.networks.activations import as_activation
from twolayer.model.random.sweep_streams import stream_at
from twolayer.progress import track
from twolayer.simulation.mixtures.order_parameter_sgd import run_order_parameters
from twolayer.theory.averages.mixture_averages import classification_error, network_errors
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.mixtures.plateau import Plateau, plateau
from twolayer.theory.mixtures.right_side import Divergence

_OUTCOMES = ("pmse", "class_error", "success", "diverged", "escape_time")
_THEORY = ("escape_rate", "median_escape_time", "escape_probability")
_STEPS = 1000  # number of time steps in which theory follows an escape
_DIVERGED = (math.inf, 0.5, 0.0, 1.0, math.inf, 0.0)  # the last is the change of the class error with other nodes


@dataclass(frozen=True)
class _Cell:
    """The start of the runs at a value, or none if they diverge in theory.

    Attributes:
        rng: random numbers of its value, so that it does not depend on the other values.
        theory: variables of the result.
        plateau: the plateau, if the second layer is kept.
    """

    config: PhaseRow
    rng: np.random.Generator
    equations: IsotropicEquations
    starts: list[IsotropicState]
    theory: dict[str, float]
    plateau: Plateau | None = None


def run(config: PhaseRow) -> xr.Dataset:
    """Return the outcome of every run at every value, and theory if the second layer is kept."""
    cells, near = {}, None
    with sweep() as point:
        for value in track(config.values, "values"):
            with point(**{config.along: value}):
                cells[value] = _cell(_at(config, value), near)
                near = cells[value].plateau
    together = config.along in ("learning_rate", "weight_decay")
    rows = [list(cells.values())] if together else [[cell] for cell in cells.values()]
    found = dict(zip(cells, (one for row in rows for one in _together(row)), strict=True))
    return concatenated(found, "value", list(config.values))


def _at(config: PhaseRow, value: float) -> PhaseRow:
    """Return the parameters of a cell."""
    config = replace(config, values=(value,))
    if config.along == "sigma":
        return replace(config, sigma=value)
    if config.along in ("learning_rate", "weight_decay"):
        return replace(config, schedule=replace(config.schedule, **{config.along: value}))
    return replace(config, student=replace(config.student, **{config.along: round(value)}))


def _cell(config, near):
    student, dimension, hidden = config.student, config.student.dimension, config.student.hidden_units
    clusters = build(config.geometry, config.sigma, dimension)
    mixture = seen_by(student, clusters)
    nodes = sobol_nodes(hidden, config.log2_nodes, config.seed)
    rng = stream_at(config.seed, config.values[0])
    equations = IsotropicEquations(mixture, as_activation(student.activation), learning_of(config.schedule), nodes)
    if config.schedule.train_second_layer:
        return _Cell(config, rng, equations, [_student_start(student, clusters, rng) for _ in range(config.seeds)], {})
    try:
        at = plateau(equations, np.where(np.arange(hidden) % 2, -1.0, 1.0), near)
    except Divergence:  # the noise of SGD makes the weights diverge
        return _Cell(config, rng, equations, [], dict(zip(_THEORY, (math.inf, math.inf, 1.0), strict=True)))
    times = np.linspace(0, config.schedule.last_time, _STEPS + 1)
    chances = at.escape_probabilities(config.part, dimension, times)
    mostly = chances > 0.5
    expected = times[mostly.argmax()] if mostly.any() else math.inf
    theory = dict(zip(_THEORY, (at.rate, float(expected), float(chances.max())), strict=True))
    starts = [_plateau_start(at.state, dimension, rng) for _ in range(config.seeds)]
    return _Cell(config, rng, equations, starts, theory, at)


def _student_start(student, clusters, rng):
    network = first_network(student, student.dimension, rng, clusters)
    return state_of(network, seen_by(student, clusters))


def _plateau_start(state, dimension, rng):
    """Return random weights with the Q of the plateau."""
    eigenvalues, vectors = np.linalg.eigh(state.Q)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return replace(state, R=rng.standard_normal(state.R.shape) @ root.T / math.sqrt(dimension))


def _together(cells):
    """Yield a result for each cell, if the cells differ only in their learning."""
    runs = [(cell, start) for cell in cells for start in cell.starts]
    outcomes = list(_outcomes(runs, cells[0].rng)) if runs else []
    for cell in cells:
        mine, outcomes = outcomes[: len(cell.starts)], outcomes[len(cell.starts) :]
        *columns, changes = zip(*(mine or [_DIVERGED] * cell.config.seeds), strict=True)
        outcomes_of = {name: ("seed", list(values)) for name, values in zip(_OUTCOMES, columns, strict=True)}
        yield xr.Dataset(outcomes_of | {"quadrature_error": math.hypot(*changes) / math.sqrt(len(changes))}).assign(
            cell.theory
        )


def _outcomes(runs, rng):
    """Return the outcomes of runs."""
    cells, starts = zip(*runs, strict=True)
    config, mixture = cells[0].config, cells[0].equations.mixture
    times = np.linspace(0, config.schedule.last_time, config.measurements)
    settings = {"activation": cells[0].equations.activation, "dimension": config.student.dimension, "times": times}
    paths = run_order_parameters(mixture, starts, [cell.equations.learning for cell in cells], **settings, rng=rng)
    with np.errstate(invalid="ignore"):  # some runs diverge
        parts = np.sum(paths.R**2, axis=(2, 3)) / (config.part * np.trace(paths.Q, axis1=2, axis2=3))
    for number, cell in enumerate(cells):
        if paths.diverged[number]:
            yield _DIVERGED
            continue
        end = IsotropicState(paths.Q[-1, number], paths.R[-1, number], paths.v[-1, number])
        fields = end.local_fields(mixture, settings["activation"])
        pmse, class_error, _ = network_errors(fields, mixture, cell.equations.nodes)
        again, _ = classification_error(
            fields, mixture, sobol_nodes(config.student.hidden_units, config.log2_nodes, config.seed + 1)
        )
        passage = _first_passage(times, parts[:, number])
        yield pmse, class_error, float(class_error < config.success_error), 0.0, passage, again - class_error


def _first_passage(times, parts):
    """Return the first time at which an exponentially growing quantity exceeds one."""
    above = parts > 1
    if not above.any():
        return math.inf
    after = above.argmax()
    if after == 0:
        return times[0]
    way = math.log(1 / parts[after - 1]) / math.log(parts[after] / parts[after - 1])
    return times[after - 1] + way * (times[after] - times[after - 1])

"""The limit of online learning of an isotropic mixture, against the noise level."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.experiments.mixtures.initial_network import adapted_state, first_network, state_of
from twolayer.experiments.mixtures.parameters import FixedPoints
from twolayer.experiments.mixtures.student_inputs import seen_by
from twolayer.experiments.sweeps import completed, concatenated, sweep
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.learning import Learning
from twolayer.progress import track
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.theory.averages.mixture_averages import network_errors
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.fixed_points.branch import Branch
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state, with_other_nodes
from twolayer.theory.mixtures.fixed_points.reduced_equations import reduced_fixed_point
from twolayer.theory.mixtures.integration import observables
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState

# time of the first relaxation in units of the slowest time scale; the start may be far from any fixed point
_FIRST_RELAXATION = 10
_FIRST_LEVEL = 0.3  # noise at the first fixed point, in units of the largest distance of a mean from their centre
# binary logarithms of the default numbers of nodes of the drift and of class errors
_RELU_NODES, _OTHER_NODES = (8, 11), (10, 15)
_SCRAMBLES = 3  # number of sets of nodes, whose spread is the error of the quadrature
_MORE_NODES = 4  # additional binary logarithm for class errors, which are computed once and converge more slowly
_DISPLACEMENT = 0.1  # relative displacement of all weights from the fixed point at the start of a simulation
_MEASUREMENTS = 26  # number of measurements over which a simulation is averaged
_ERRORS = ["pmse", "pmse_sem", "class_error", "class_error_sem"]
_SIMULATED = ("simulated_pmse", "simulated_class_error")


def run(config: FixedPoints) -> xr.Dataset:
    """Return errors and order parameters of the fixed point at every noise level, with the error of the quadrature.

    The fixed point is found at `start_sigma` and followed from there in both directions.
    """
    drift_log2, class_log2 = _sizes(config)
    nodes, *other_nodes = _nodes(config, drift_log2)
    class_nodes = _nodes(config, class_log2)
    slowest = 1 / (2 * config.learning_rate * config.weight_decay)  # time scale, in steps / N
    first = config.start_sigma or _first_level(config)

    def equations(sigma):
        return _equations(config, sigma, nodes)

    start = _start(config, equations(first).mixture)
    branch = Branch(equations, first, stationary_state(equations(first), start, _FIRST_RELAXATION * slowest), slowest)
    simulated = config.simulated_sigma or ()
    levels = sorted({*config.sigma, *simulated})
    points, rows = {}, {}
    with sweep() as point:
        for sigma in track(levels, "noise levels"):
            with point(sigma=sigma):
                found = branch.at(sigma)
                row = _row(found, other_nodes, class_nodes)
                rows[sigma] = row.assign(_reduced(found, class_nodes[0])) if config.reduced else row
                points[sigma] = found
    result = concatenated(rows, "sigma", list(config.sigma))
    result = result.assign(bayes_errors(config.geometry, np.array(config.sigma), config.simulated_dimension))
    if not simulated:
        return result
    tried = concatenated({sigma: row[_ERRORS] for sigma, row in rows.items()}, "closed_sigma", list(simulated))
    tried = tried.drop_vars("converged").rename({name: f"closed_{name}" for name in _ERRORS})
    return result.merge(tried).merge(_simulations(config, points, class_nodes[0]))


def _sizes(config):
    """Return binary logarithms of the numbers of nodes of the drift and of class errors."""
    if config.log2_nodes is not None:
        return config.log2_nodes, config.log2_nodes + _MORE_NODES
    return _RELU_NODES if unit_averages(as_activation(config.student.activation)).lines else _OTHER_NODES


def _first_level(config):
    """Return the noise level of the first fixed point: 0.3 if the means have length 1."""
    mixture = build(config.geometry, 1.0, config.simulated_dimension)
    extent = np.linalg.norm(mixture.means - mixture.weights @ mixture.means, axis=1).max()
    return _FIRST_LEVEL * float(extent or 1.0)


def _nodes(config, log2_nodes):
    """Return independent sets of nodes."""
    seeds = np.random.SeedSequence(config.seed).generate_state(_SCRAMBLES)
    return [sobol_nodes(config.student.hidden_units, log2_nodes, int(seed)) for seed in seeds]


def _equations(config, sigma, nodes):
    mixture = seen_by(config.student, build(config.geometry, sigma, config.simulated_dimension))
    learning = Learning(config.learning_rate, config.weight_decay)
    return IsotropicEquations(mixture, as_activation(config.student.activation), learning, nodes)


def _start(config, mixture):
    """Return the state from which the flow leads to the first fixed point."""
    student, clusters = config.student, build(config.geometry, 1.0, config.simulated_dimension)
    if config.start == "xor":
        return adapted_state(student, clusters)
    dimension = student.dimension or config.simulated_dimension
    network = first_network(student, dimension, np.random.default_rng(student.seed), clusters)
    return state_of(network, mixture)


def _row(point, other_nodes, class_nodes):
    """Return one fixed point. Its standard errors are the spread with other nodes."""
    states = [point.state, *(with_other_nodes(point, nodes) for nodes in other_nodes)]
    seen = [
        observables(replace(point.equations, nodes=nodes), state)
        for state, nodes in zip(states, class_nodes, strict=True)
    ]
    variables = {
        "pmse": seen[0].pmse,
        "pmse_sem": np.std([one.pmse for one in seen], ddof=1),
        "class_error": seen[0].class_error,
        "class_error_sem": np.std([one.class_error for one in seen], ddof=1),
        "zero_probability": seen[0].zero_probability,
        "Q": (("unit", "other_unit"), point.state.Q),
        "R": (("axis", "unit"), point.state.R),
        "v": ("unit", point.state.v),
        "residual": point.residual,
        "leading_eigenvalue": point.leading_eigenvalue,
        "flat_directions": point.flat_directions,
        "flat_units": ("unit", point.flat_units),
    }
    return xr.Dataset(variables)


def _reduced(point, nodes):
    """Return errors of the fixed point of the reduced equations near a fixed point."""
    state = reduced_fixed_point(point.equations, point.state.R[:, :2])
    found = observables(replace(point.equations, nodes=nodes), state)
    return {"reduced_pmse": found.pmse, "reduced_class_error": found.class_error}


def _simulations(config, points, nodes):
    """Return errors of networks that learn from a displaced fixed point, averaged over the second half of the time.

    A level without a fixed point has NaN.

    The displacement decays in the first half. A simulation that started at the fixed point would stay there for some
    time even if the fixed point were wrong, because the slowest modes take long.
    """
    rng, levels, found = np.random.default_rng(config.seed), list(config.simulated_sigma), {}
    with sweep() as point:
        for sigma in (level for level in levels if level in points):
            with point(closed_sigma=sigma):
                pmse, class_error = np.transpose(_time_averages(points[sigma], config, nodes, rng))
                found[sigma] = dict(zip(_SIMULATED, (pmse, class_error), strict=True))
    if not found:  # no simulated level has a fixed point
        found = {None: dict.fromkeys(_SIMULATED, np.zeros(config.simulated_seeds))}
    rows = completed(found, levels)
    variables = {name: (("closed_sigma", "seed"), [row[name] for row in rows]) for name in _SIMULATED}
    variables |= {"closed_converged": ("closed_sigma", [row["converged"] for row in rows])}
    return xr.Dataset(variables, {"closed_sigma": levels}).assign(input_dimension=config.simulated_dimension)


def _time_averages(point, config, nodes, rng):
    """Return pmse and class error of each simulation (seeds, 2).

    Units that have died out start without weights, and stay so. A unit with small weights could grow again, if their
    direction is not the one in which it died.
    """
    equations, longer, dead = point.equations, 1 + _DISPLACEMENT, np.diag(point.state.v == 0)
    time = config.simulated_relaxations / abs(point.leading_eigenvalue)
    small = np.where(dead, point.state.Q, 0.0)  # averages need positive variances
    start = IsotropicState(longer**2 * (point.state.Q - small), longer * point.state.R, longer * point.state.v)
    times = np.linspace(time / 2, time, _MEASUREMENTS)
    options = {"activation": equations.activation, "dimension": config.simulated_dimension, "times": times}
    starts = [start] * config.simulated_seeds
    paths = order_parameter_paths(equations.mixture, starts, equations.learning, **options, rng=rng)
    fields = [path.local_fields(equations.mixture) for path in paths]
    return [
        _mean_errors([replace(f, covariance=f.covariance + small) for f in path], equations.mixture, nodes)
        for path in fields
    ]


def _mean_errors(distributions, mixture, nodes):
    return np.mean([network_errors(distribution, mixture, nodes)[:2] for distribution in distributions], axis=0)

"""Learning curve of a teacher that sees the latents of generated inputs, by the equations of motion."""

import xarray as xr

from twolayer.experiments.generators.parameters import TeacherCurve
from twolayer.model.activations import as_activation
from twolayer.model.learning import Learning
from twolayer.results.moments import dataset_moments
from twolayer.results.teacher_curve import learning_start, path_to_dataset
from twolayer.theory.nodes import sobol_nodes
from twolayer.theory.spectral_densities import Densities
from twolayer.theory.teacher_equations import TeacherEquations, solve


def run(config: TeacherCurve, moments: xr.Dataset) -> xr.Dataset:
    """Order parameters, pmse, and by what part the latter changes with twice the nodes."""
    learning, inputs = config.learning, dataset_moments(moments)
    networks, times = learning_start(learning, inputs)
    rules = Learning(learning.learning_rate, train_second_layer=learning.train_second_layer)
    points = sobol_nodes(learning.hidden_units + learning.teacher_units, config.log2_samples, learning.seed)
    equations = TeacherEquations(as_activation(learning.activation), rules, points)
    numerics = {"nodes": config.nodes, "times": times, "step": config.step, "method": config.method}
    path, compression = solve(equations, networks, Densities.of(networks, inputs), **numerics)
    result = path_to_dataset(path.times, path.order, path.v, path.pmse)
    return result.assign(pmse_compression=("time", compression))

"""Learning curve of a teacher that sees the latents of generated inputs, by the equations of motion."""

import numpy as np
import xarray as xr

from twolayer.config import TeacherCurve
from twolayer.experiments.moment_results import dataset_moments
from twolayer.model.activations import RELU, activation_named
from twolayer.model.teacher_student import initial_teacher_student
from twolayer.simulation.stepping import log_times
from twolayer.theory.local_fields import sobol_nodes
from twolayer.theory.spectral_densities import Densities
from twolayer.theory.teacher_equations import TeacherEquations, solve


def run(config: TeacherCurve, moments: xr.Dataset) -> xr.Dataset:
    """Order parameters, pmse, and by what part the latter changes with twice the nodes."""
    learning, inputs = config.learning, dataset_moments(moments)
    (N, D), (K, M) = inputs.Phi.shape, (learning.hidden_units, learning.teacher_units)
    networks = initial_teacher_student(np.random.default_rng(learning.seed), K, M, N, D)
    activation = activation_named(learning.activation)
    lines = sobol_nodes(K + M, config.log2_samples, learning.seed) if activation == RELU else None
    equations = TeacherEquations(activation, learning.learning_rate, learning.train_second_layer, lines)
    times = log_times(learning.first_time, learning.last_time, learning.measurements, N)
    densities = Densities.of(networks, inputs)
    trajectory, compression = solve(equations, networks, densities, config.nodes, times, config.step, config.method)
    variables = {
        "pmse": ("time", trajectory.pmse),
        "pmse_compression": ("time", compression),
        "Q": (("time", "unit", "other_unit"), trajectory.order.Q),
        "R": (("time", "unit", "teacher_unit"), trajectory.order.R),
        "T": (("teacher_unit", "other_teacher_unit"), trajectory.order.T),
        "v": (("time", "unit"), trajectory.v),
    }
    return xr.Dataset(variables, coords={"time": ("time", times, {"long_name": "steps / N"})})

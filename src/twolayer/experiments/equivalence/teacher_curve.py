"""Learning curve of a student of generated inputs by the equations of motion, with a teacher of the latents."""

import xarray as xr

from twolayer.experiments.equivalence.learning_start import learning_start
from twolayer.experiments.equivalence.parameters import TeacherCurve
from twolayer.model.networks.learning import Learning
from twolayer.results.moments import dataset_moments
from twolayer.results.teacher_curve import path_to_dataset
from twolayer.theory.teacher_student.refined_points import refined
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.spectral_densities import Densities
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, solve


def run(config: TeacherCurve, moments: xr.Dataset) -> xr.Dataset:
    """Return order parameters and pmse, and the changes of pmse with twice the nodes and with twice the points."""
    learning, inputs = config.learning, dataset_moments(moments)
    networks, times = learning_start(learning, inputs)
    rates = Learning(learning.learning_rate, train_second_layer=learning.train_second_layer).layers
    numerics = {"nodes": config.nodes, "times": times, "step": config.step, "method": config.method}
    densities = Densities.of(networks, inputs)

    def solution(signals):
        return solve(TeacherEquations(signals, rates), networks, densities, **numerics)

    fields = learning.hidden_units + learning.teacher_units
    signals = Signals(learning.activation, learning.activation)
    path, compression, change = refined(solution, signals, fields, config.log2_samples, learning.seed)
    result = path_to_dataset(path.times, path.order, path.v, path.pmse)
    return result.assign(pmse_compression=("time", compression), pmse_sem=("time", change))

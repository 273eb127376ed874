"""Learning curves of a student of a teacher by online SGD."""

import numpy as np
import xarray as xr

from twolayer.experiments.teacher_student.initial_condition import (
    check_norms,
    layer_rates,
    measurement_times,
    signals,
    starting_networks,
)
from twolayer.experiments.teacher_student.parameters import TeacherStudentSGD
from twolayer.progress import track
from twolayer.results.inputs import gaussian_inputs
from twolayer.results.teacher_curve import path_to_dataset
from twolayer.simulation.teacher_student.gaussian_equivalent_sgd import JointDistribution, teacher_sgd
from twolayer.theory.teacher_student.teacher_averages import field_covariance


def run(config: TeacherStudentSGD, inputs: xr.Dataset) -> xr.Dataset:
    """Return order parameters and pmse of each data stream, from the same initial weights.

    The pre-activations are Gaussian, so `pmse` is the error on fresh inputs.
    """
    known, units, rates = gaussian_inputs(inputs), signals(config), layer_rates(config)
    start, times = starting_networks(config, known), measurement_times(config, known)
    units.require_variances(order := known.order_parameters(start))
    check_norms(rates, order)
    distribution = (
        JointDistribution.isotropic(start.B) if known.isotropic else JointDistribution.of(start.B, known.white_moments)
    )
    settings = {"student": units.student, "teacher": units.teacher, "label_noise": units.label_noise, "times": times}
    results = []
    for stream in track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations"):
        path = teacher_sgd(distribution, start, rates, **settings, rng=stream)
        order, hidden = path.order_parameters, config.student.hidden_units
        u = np.concatenate([path.v, np.broadcast_to(-start.A, (len(times), len(start.A)))], axis=1)
        pmse = units.pmse(field_covariance(order), u, hidden)
        results.append(path_to_dataset(path.times, order, path.v, pmse))
    return xr.concat(results, "seed", data_vars=["pmse", "Q", "R", "v"])

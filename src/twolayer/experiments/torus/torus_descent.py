"""A network of exponential features on the torus: risk, and distance to the teacher."""

import logging

import numpy as np
import xarray as xr

from twolayer.experiments.torus.parameters import TorusDescent
from twolayer.model.networks.descent import OFFSETS
from twolayer.model.teachers.torus_problem import TorusProblem, draw_problem
from twolayer.progress import track
from twolayer.simulation.mean_field.distances import mean_distance, pairwise_mmd, torus_distance
from twolayer.simulation.mean_field.reduced_descent import EXCESS, ReducedDescent
from twolayer.simulation.mean_field.torus_features import TorusFeatures, teacher_output
from twolayer.storage.checkpoint import Checkpoint

log = logging.getLogger("twolayer")

_KEPT_EVERY = 500  # number of iterations between two checkpoints, that is every few seconds


def run(config: TorusDescent, checkpoint: Checkpoint) -> xr.Dataset:
    """Run the descent along the reduced risk, and return risk and distances along the way."""
    gamma = np.inf if config.gamma is None else config.gamma
    sizes = config.teacher_width, config.samples, config.width
    problem = draw_problem(np.random.SeedSequence(config.seed), gamma, *sizes)
    targets = teacher_output(problem.inputs, problem.teacher)
    features = _features(config, problem, targets)
    parameters = config.ridge, OFFSETS[config.regularization], config.descent.step, EXCESS[config.precision]
    descent = ReducedDescent(features, problem.student, *parameters)
    course = _descend(config, descent, features, problem.teacher, checkpoint)
    log.info("%d products and %d inverses in %d projections", descent.products, descent.inverses, descent.iteration + 1)
    return _dataset(config, gamma, problem, targets, course)


def _features(config, problem, targets):
    arguments = problem.inputs, targets, config.width, config.precision
    if config.device != "cpu":  # torch takes seconds to load
        from twolayer.model.networks.feature_maps import TORUS
        from twolayer.simulation.mean_field.autograd_features import AutogradFeatures
        from twolayer.simulation.training.devices import device_named

        device = device_named(config.device)
        if device.type != "cpu":
            return AutogradFeatures(TORUS, *arguments, device)
    return TorusFeatures(*arguments)


def _verified(config):
    """Return iterations at which the risk is also computed from its definition."""
    measured = config.descent.measured
    return measured[np.linspace(0, len(measured) - 1, config.verified).astype(int)]


def _descend(config, descent, features, teacher, checkpoint):
    """Return risk, distance and work at every measurement, and the stored iterations and features.

    The work is the decrease of the risk by gradient flow, the integral of the features' mean square speed. Each step
    contributes its length times the mean of the speeds before and after, which is accurate to second order.
    """
    measured, kept = config.descent.measured, np.union1d(config.snapshots, _verified(config))
    course = {
        "risk": np.full(len(measured), np.nan),
        "mmd_teacher": np.full(len(measured), np.nan),
        "dissipated": np.full(len(measured), np.nan),
        "work": np.zeros(()),
        "step": np.zeros((config.width, 2)),
        "kept": kept,
        "features": np.full((len(kept), config.width, 2), np.nan),
    }
    if (state := checkpoint.read()) is not None:
        descent.resume(state)
        course = {name: state[name].copy() for name in course}
        log.info("continued at iteration %d", descent.iteration)
    spread = mean_distance(teacher, teacher, torus_distance)
    for iteration in track(range(descent.iteration, config.descent.iterations + 1), "iterations"):
        risk = descent.project(last=iteration == config.descent.iterations)
        if iteration in measured:
            here, place = features.numpy(descent.weights), measured == iteration
            course["risk"][place], course["features"][kept == iteration] = risk, here
            course["mmd_teacher"][place] = pairwise_mmd(here, teacher, torus_distance, spread)
        before, course["step"] = course["step"], features.numpy(descent.move())
        course["work"] += (before * (before + course["step"])).sum() / (2 * config.descent.step * config.width)
        course["dissipated"][measured == iteration] = course["work"]
        if descent.iteration % _KEPT_EVERY == 0 and iteration < config.descent.iterations:
            checkpoint.write(descent.state() | course)
    return course


def _dataset(config, gamma, problem: TorusProblem, targets, course):
    verified = _verified(config)
    snapshots, checked = (
        course["features"][np.searchsorted(course["kept"], at)] for at in (config.snapshots, verified)
    )
    return xr.Dataset(
        {
            "risk": ("iteration", course["risk"]),
            "mmd_teacher": ("iteration", course["mmd_teacher"]),
            "dissipated": ("iteration", course["dissipated"]),
            "feature": (("snapshot", "index", "axis"), snapshots),
            "verified_risk": ("verified", course["risk"][np.searchsorted(config.descent.measured, verified)]),
            "dense_risk": ("verified", _dense_risks(config, problem.inputs, targets, checked)),
        },
        coords={
            "iteration": config.descent.measured,
            "snapshot": list(config.snapshots),
            "verified": verified,
            "axis": ["x", "y"],
            "gamma": gamma,
            "ridge": config.ridge,
            "regularization": config.regularization,
            "width": config.width,
            "samples": config.samples,
        },
    )


def _dense_risks(config, inputs, targets, snapshots):
    """Return the reduced risk of several features (M, 2) from its definition."""
    import torch

    from twolayer.model.networks.feature_maps import TORUS
    from twolayer.simulation.mean_field.reduced_risk import Risk

    risk, inputs, targets = (
        Risk(config.ridge, OFFSETS[config.regularization]),
        *map(torch.from_numpy, (inputs, targets)),
    )
    phis = (TORUS.features(inputs, torch.from_numpy(weights)) for weights in snapshots)
    return [float(risk(phi, risk.project(phi, targets[:, None]), targets[:, None])) for phi in phis]

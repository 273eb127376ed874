"""Times at which one unit on the sphere finds its teacher: ODE, stochastic differential equation and SGD."""

import numpy as np
import xarray as xr

from twolayer.experiments.teacher_student.parameters import EscapeTime
from twolayer.model.networks.activations import as_activation
from twolayer.progress import track
from twolayer.simulation.teacher_student.single_index import sde_escapes, sgd_escape
from twolayer.theory.teacher_student.escape import SingleIndex

_STARTS, _EQUATION = 1, 2  # appended to seeds


def run(config: EscapeTime) -> xr.Dataset:
    """Return starts and times of escape of each run, and drift and diffusion at some overlaps."""
    activation, m = as_activation(config.activation), np.array(config.overlaps)
    activation.require_derivative("the escape of a unit")
    unit = SingleIndex(activation, config.learning_rate, config.second_layer, config.noise)
    starts, overlaps = _starts(config), ("overlap", m)
    (drift, diffusion), (drift_error, diffusion_error) = unit.stated_rates(m)
    (flow_drift, _), (flow_error, _) = unit.stated_rates(m, flow=True)
    times = {
        "ode_time": unit.ode_times(starts, config.threshold),
        "sde_time": _of_equation(config, unit, starts),
        "sgd_time": _of_sgd(config, activation, starts),
    }
    rates = {"drift": drift, "flow_drift": flow_drift, "diffusion": diffusion}
    rates |= {"drift_sem": drift_error, "flow_drift_sem": flow_error, "diffusion_sem": diffusion_error}
    return xr.Dataset(
        {name: ("seed", values) for name, values in ({"start": starts} | times).items()}
        | {name: ("overlap", values) for name, values in rates.items()},
        {"seed": np.arange(1, config.seeds + 1), "overlap": overlaps},
    )


def _starts(config):
    if config.starts is not None:
        return np.array(config.starts)
    m = np.random.default_rng([config.seed, _STARTS]).standard_normal(config.seeds) / np.sqrt(config.dimension)
    return np.clip(m, -1, 1)


def _of_equation(config, unit, starts):
    rates = {"drift": unit.fitted_rates[0], "variance": unit.variance}
    rates |= {"dimension": config.dimension, "step": config.step}
    rng = np.random.default_rng([config.seed, _EQUATION])
    return sde_escapes(starts, config.threshold, config.last_time, **rates, rng=rng)


def _of_sgd(config, activation, starts):
    problem = {
        "activation": activation,
        "learning_rate": config.learning_rate,
        "second_layer": config.second_layer,
        "noise": config.noise,
        "dimension": config.dimension,
    }
    limits = config.threshold, config.last_time
    streams = np.random.default_rng(config.seed).spawn(config.seeds)
    return np.array(
        [
            sgd_escape(float(m), *limits, **problem, rng=rng)
            for m, rng in zip(starts, track(streams, "runs"), strict=True)
        ]
    )

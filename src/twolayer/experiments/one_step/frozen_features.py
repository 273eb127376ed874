"""Theory of ridge regression on features that the gradient step does not change, along the axes of a sweep."""

import itertools
import math

import numpy as np
import xarray as xr

from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.parameters import FrozenFeatures
from twolayer.experiments.sweeps import completed, sweep
from twolayer.model.networks.feature_count import count_of
from twolayer.theory.one_step.frozen_features import frozen_ridge, teacher_power


def run(config: FrozenFeatures) -> xr.Dataset:
    """Return errors at every point, and the two numbers that must be small: theta / n and eta / sqrt n."""
    axes = one_step_data.axes_of(config.axes)
    activations = one_step_data.activations_of(config)
    shape = [len(values) for values in axes.values()]
    points = one_step_data.points_on(axes)
    found = {}
    with sweep() as attempt:
        for place, name in itertools.product(range(len(points)), activations):
            with attempt(**points[place], activation=name):
                found[place, name] = _errors_at(config, points[place], activations[name])
    rows = completed(found, itertools.product(range(len(points)), activations))
    data = [one_step_data.data_at(config.data, point) for point in points]
    n = config.data.input_dimension
    variables = {
        **{name: ([*axes, "activation"], np.reshape([row[name] for row in rows], [*shape, -1])) for name in rows[0]},
        "spike": ([*axes], np.reshape([one_step_data.spike_of(here) / n for here in data], shape)),
        "step": ([*axes], np.reshape([one_step_data.step_of(here) / math.sqrt(n) for here in data], shape)),
    }
    return xr.Dataset(variables, coords={**axes, "activation": list(activations)})


def _errors_at(config, point, activation):
    """Return the errors at one point."""
    data = one_step_data.data_at(config.data, point)
    n, m, spike = data.input_dimension, data.samples, one_step_data.spike_of(data)
    expansion = one_step_data.expand(activation, math.sqrt(n / (n + spike)), 1, config.nodes)
    power = teacher_power(spike, data.ratios[0], n)
    width = count_of(point.get("width", config.width), m, "width", "hidden unit")
    errors = frozen_ridge(expansion, power, width / m, n / m, config.ridge * m, width)
    return {"theory": errors.test_loss, "theory_training": errors.training_loss}

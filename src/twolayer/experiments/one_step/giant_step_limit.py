"""Theory of the errors after a giant gradient step in the limit of large dimension, along the axes of a sweep."""

import numpy as np
import xarray as xr

from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.parameters import GiantStepLimit
from twolayer.experiments.sweeps import completed, sweep
from twolayer.model.networks.feature_count import count_of
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.second_step import second_step


def run(config: GiantStepLimit) -> xr.Dataset:
    """Return errors and properties of the first layer at every point, for every activation."""
    axes, activations = one_step_data.axes_of(config.axes), one_step_data.activations_of(config)
    points = [(point, name) for point in one_step_data.points_on(axes) for name in activations]
    coordinates = axes | {"activation": list(activations)}
    found = {}
    with sweep() as attempt:
        for number, (point, name) in enumerate(points):
            with attempt(**point, activation=name):
                found[number] = _variables(config, point, activations[name])
    rows, shape = completed(found, range(len(points))), [len(labels) for labels in coordinates.values()]
    second = {"batch": list(config.second_batches or ())}
    variables = {}
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        variables[name] = (
            [*coordinates, *second][: len(shape) + values.ndim - 1],
            values.reshape(*shape, *values.shape[1:]),
        )
    return xr.Dataset(variables, coordinates | (second if config.second_batches else {}))


def _step(config, point, activation):
    data = config.data
    ratio = (data.step_samples or data.samples) / data.input_dimension
    rate = point.get("step_per_unit", config.step_per_unit)
    return GiantStep(activation, one_step_data.label_function(data), rate, ratio, data.label_noise)


def _variables(config, point, activation):
    """Return the variables at one point."""
    step = _step(config, point, activation)
    found = _errors(config, point, step)
    if config.second_batches:
        overlaps, squares = zip(*(second_step(step, one == "same") for one in config.second_batches), strict=True)
        found |= {"second_overlap": overlaps, "second_squares": squares}
    return found


def _errors(config, point, step):
    """Return the variables without a second step."""
    n, m = config.data.input_dimension, config.data.samples
    k = count_of(point.get("width", config.width), m, "width", "hidden unit")
    outputs = giant_step_limit(step, width_ratio=k / n, sample_ratio=m / k, penalty=config.ridge * m)
    classes = {"theory_misclassified": outputs.class_error} if one_step_data.has_classes(config.data) else {}
    return {
        "spike_size": step.spike,
        "row_length": step.bulk,
        "teacher_overlap": float(np.linalg.norm(step.overlaps)),
        "theory": outputs.losses.test_loss,
        "theory_training": outputs.losses.training_loss,
        **classes,
    }

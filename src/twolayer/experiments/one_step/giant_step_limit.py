"""Theory of the errors after a giant gradient step in the limit of large dimension, along the axes of a sweep."""

import numpy as np
import xarray as xr

from twolayer.experiments.one_step.one_step_data import activations_of, axes_of, has_classes, label_function, points_on
from twolayer.experiments.one_step.parameters import GiantStepLimit
from twolayer.model.networks.feature_count import count_of
from twolayer.theory.one_step.giant_limit import giant_step_limit
from twolayer.theory.one_step.giant_moments import GiantStep
from twolayer.theory.one_step.second_step import second_step


def run(config: GiantStepLimit) -> xr.Dataset:
    """Return errors and properties of the first layer at every point, for every activation."""
    axes, activations = axes_of(config.axes), activations_of(config)
    points = [(point, one) for point in points_on(axes) for one in activations]
    coordinates = axes | {"activation": [one.name for one in activations]}
    steps = [_step(config, *point) for point in points]
    rows = [_errors(config, point, step) for (point, _), step in zip(points, steps, strict=True)]
    variables = {name: [row[name] for row in rows] for name in rows[0]}
    shape = [len(labels) for labels in coordinates.values()]
    result = xr.Dataset(
        {name: ([*coordinates], np.reshape(values, shape)) for name, values in variables.items()}, coordinates
    )
    if not config.second_batches:
        return result
    batches = list(config.second_batches)
    second = np.reshape([[second_step(step, one == "same") for one in batches] for step in steps], [*shape, -1, 2])
    of_batches = [*coordinates, "batch"]
    return result.assign_coords(batch=batches).assign(
        second_overlap=(of_batches, second[..., 0]), second_squares=(of_batches, second[..., 1])
    )


def _step(config, point, activation):
    data = config.data
    ratio = (data.step_samples or data.samples) / data.input_dimension
    rate = point.get("step_per_unit", config.step_per_unit)
    return GiantStep(activation, label_function(data), rate, ratio, data.label_noise)


def _errors(config, point, step):
    """Return the variables without a second step."""
    n, m = config.data.input_dimension, config.data.samples
    k = count_of(point.get("width", config.width), m, "width", "hidden unit")
    outputs = giant_step_limit(step, width_ratio=k / n, sample_ratio=m / k, penalty=config.ridge * m)
    classes = {"theory_misclassified": outputs.class_error} if has_classes(config.data) else {}
    return {
        "spike_size": step.spike,
        "row_length": step.bulk,
        "teacher_overlap": float(np.linalg.norm(step.overlaps)),
        "theory": outputs.losses.test_loss,
        "theory_training": outputs.losses.training_loss,
        **classes,
    }

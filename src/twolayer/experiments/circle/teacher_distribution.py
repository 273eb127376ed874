"""The distribution of the teacher's features on the circle: density, sample, and the teacher's signal."""

import numpy as np
import xarray as xr

from twolayer.experiments.circle.parameters import TeacherDistribution
from twolayer.model.random.sweep_streams import stream_at
from twolayer.model.teachers.teacher_distributions import CircleTeacher


def run(config: TeacherDistribution) -> xr.Dataset:
    """Return densities on a grid with their extremes, the histogram of a sample, and signals.

    A density is averaged over each cell of the grid. Its integral is one, even if its peaks are narrower than a cell.
    """
    edges = np.linspace(-np.pi, np.pi, config.cells + 1)
    angles = (edges[:-1] + edges[1:]) / 2
    bin_edges = np.linspace(-np.pi, np.pi, config.bins + 1)
    teachers = [CircleTeacher(gamma) for gamma in config.gamma]
    density = np.stack([teacher.cell_averages(edges) for teacher in teachers])
    signal = np.stack([teacher.signal(angles) for teacher in teachers])
    mass = np.stack([teacher.cell_averages(bin_edges) for teacher in teachers]) * 2 * np.pi / config.bins
    streams = [stream_at(config.seed, gamma) for gamma in config.gamma]
    samples = [teacher.sample(rng.random(config.samples)) for teacher, rng in zip(teachers, streams, strict=True)]
    errors = np.stack([teacher.frequency_errors(bin_edges, config.samples) for teacher in teachers])
    frequency = np.stack([np.histogram(sample, bin_edges)[0] for sample in samples]) / config.samples
    return xr.Dataset(
        {
            "density": (("gamma", "angle"), density),
            "signal": (("gamma", "angle"), signal),
            "highest": ("gamma", density.max(axis=1)),
            "lowest": ("gamma", density.min(axis=1)),
            "frequency": (("gamma", "bin"), frequency),
            "frequency_sem": (("gamma", "bin"), errors),
            "mass": (("gamma", "bin"), mass),
        },
        coords={"gamma": list(config.gamma), "angle": angles, "bin": (bin_edges[:-1] + bin_edges[1:]) / 2},
    )

"""Learning curves of online SGD at finite dimension."""

from functools import partial

import numpy as np
import xarray as xr

from twolayer.experiments.kept_runs import KeptRuns
from twolayer.experiments.mixtures.dimension import agreed_dimension
from twolayer.experiments.mixtures.initial_network import start_network
from twolayer.experiments.mixtures.parameters import OnlineSGD
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.experiments.mixtures.simulations import simulations_to_dataset
from twolayer.experiments.mixtures.student_inputs import spectral_inputs
from twolayer.progress import track
from twolayer.results.mixture import in_input_coordinates
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.storage.checkpoint import Checkpoint, NoCheckpoint
from twolayer.theory.averages.nodes import sobol_nodes


def run(
    config: OnlineSGD,
    mixture: xr.Dataset,
    start: xr.Dataset | None = None,
    checkpoint: Checkpoint | None = None,
) -> xr.Dataset:
    """Return order parameters and errors for each data stream, from the same initial weights."""
    student, schedule = config.student, config.schedule
    inputs = spectral_inputs(mixture, student, agreed_dimension(mixture, student))
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, inputs.dimension)
    network = start_network(student, inputs.dimension, np.random.default_rng(student.seed), mixture, start)
    kept = KeptRuns(checkpoint or NoCheckpoint())
    streams = np.random.default_rng(config.seed).spawn(config.seeds)
    paths = [
        online_sgd(
            inputs,
            network,
            learning_of(schedule),
            times=times,
            rng=stream,
            state=kept.state(number),
            keep=partial(kept.keep, number),
        )
        for number, stream in enumerate(track(streams, "simulations"))
    ]
    nodes = (sobol_nodes(student.hidden_units, config.log2_nodes, config.seed + other) for other in range(2))
    dataset = simulations_to_dataset(times, [path.local_fields() for path in paths], inputs, *nodes)
    weights = in_input_coordinates(np.stack([path.end.W for path in paths]), mixture)
    dataset = dataset.assign(W=(("seed", "unit", "input"), weights))
    return dataset.assign(mixture[["images"]]) if "images" in mixture else dataset

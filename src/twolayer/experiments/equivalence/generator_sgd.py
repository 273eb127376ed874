"""Learning curves of online SGD on generated inputs, with a teacher that depends on the latents."""

from functools import partial

import numpy as np
import xarray as xr

from twolayer.experiments.equivalence.learning_start import learning_start
from twolayer.experiments.equivalence.parameters import GeneratorSGD
from twolayer.experiments.kept_runs import KeptRuns
from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.learning import Learning
from twolayer.progress import track
from twolayer.results.generator import latent_generator
from twolayer.results.moments import dataset_moments
from twolayer.results.teacher_curve import path_to_dataset
from twolayer.simulation.teacher_student.generator_sgd import generator_sgd
from twolayer.simulation.teacher_student.winograd_convolution import fastest
from twolayer.simulation.training.devices import device_named
from twolayer.storage.checkpoint import Checkpoint, NoCheckpoint
from twolayer.theory.teacher_student.teacher_averages import teacher_pmse


def run(
    config: GeneratorSGD,
    generator: xr.Dataset | LatentGenerator,
    moments: xr.Dataset,
    checkpoint: Checkpoint | None = None,
) -> xr.Dataset:
    """Return order parameters and errors of each stream of inputs, from the same initial weights.

    `pmse` is the error of Gaussian pre-activations with these order parameters, `test_pmse` the error on new inputs.
    """
    learning = config.learning
    network = fastest(latent_generator(generator).to(device_named(config.device)))
    known = dataset_moments(moments, network)
    start, times = learning_start(learning, known)
    activation = as_activation(learning.activation)
    rules = Learning(learning.learning_rate, train_second_layer=learning.train_second_layer)
    settings = {"activation": activation, "moments": known, "times": times, "test_samples": config.test_samples}
    results, kept = [], KeptRuns(checkpoint or NoCheckpoint())
    for run, stream in enumerate(track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations")):
        resumable = {"state": kept.state(run), "keep": partial(kept.keep, run)}
        path = generator_sgd(network, start, rules, **settings, rng=stream, **resumable)
        pmse = teacher_pmse(path.order_parameters, path.v, start.A, activation=activation)
        result = path_to_dataset(path.times, path.order_parameters, path.v, pmse)
        results.append(result.assign(test_pmse=("time", path.test_pmse)))
    sizes = {"input_size": network.output_size, "latent_size": network.latent_size}
    return xr.concat(results, "seed", data_vars=["pmse", "test_pmse", "Q", "R", "v"]).assign(sizes)

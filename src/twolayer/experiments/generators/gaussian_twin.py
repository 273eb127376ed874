"""Learning curves of online SGD on Gaussian inputs that have the moments of a generator's."""

import numpy as np
import xarray as xr

from twolayer.experiments.generators.parameters import GaussianTwin
from twolayer.model.activations import activation_named
from twolayer.progress import track
from twolayer.results.moments import dataset_moments
from twolayer.results.teacher_curve import learning_start, path_to_dataset
from twolayer.simulation.gaussian_twin import gaussian_twin
from twolayer.theory.teacher_averages import teacher_pmse


def run(config: GaussianTwin, moments: xr.Dataset) -> xr.Dataset:
    """Order parameters and error of each stream of inputs, from the initial weights that the generator's student has.

    The local fields are Gaussian, so `pmse` is that on fresh inputs.
    """
    learning, known = config.learning, dataset_moments(moments)
    start, times = learning_start(learning, known)
    activation = activation_named(learning.activation)
    rates = activation, learning.learning_rate, times
    results = []
    for stream in track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations"):
        path = gaussian_twin(known, start, *rates, stream, learning.train_second_layer)
        pmse = teacher_pmse(path.order_parameters, path.v, start.A, activation)
        results.append(path_to_dataset(path.times, path.order_parameters, path.v, pmse))
    input_size, latent_size = known.Phi.shape
    sizes = {"input_size": input_size, "latent_size": latent_size}
    return xr.concat(results, "seed", data_vars=["pmse", "Q", "R", "v"]).assign(sizes)

"""Learning curves of online SGD on Gaussian inputs with the moments of a generator's inputs."""

import numpy as np
import xarray as xr

from twolayer.experiments.equivalence.learning_start import learning_start
from twolayer.experiments.equivalence.parameters import GaussianEquivalentSGD
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.learning import Learning
from twolayer.progress import track
from twolayer.results.moments import dataset_moments
from twolayer.results.teacher_curve import path_to_dataset
from twolayer.simulation.teacher_student.gaussian_equivalent_sgd import gaussian_equivalent_sgd
from twolayer.theory.teacher_student.teacher_averages import teacher_pmse


def run(config: GaussianEquivalentSGD, moments: xr.Dataset) -> xr.Dataset:
    """Return order parameters and error of each stream of inputs, from the initial weights of the generator's student.

    The pre-activations are Gaussian, so that `pmse` is the error on new inputs.
    """
    learning, known = config.learning, dataset_moments(moments)
    start, times = learning_start(learning, known)
    activation = as_activation(learning.activation)
    rules = Learning(learning.learning_rate, train_second_layer=learning.train_second_layer)
    results = []
    for stream in track(np.random.default_rng(config.seed).spawn(config.seeds), "simulations"):
        path = gaussian_equivalent_sgd(known, start, rules, activation=activation, times=times, rng=stream)
        pmse = teacher_pmse(path.order_parameters, path.v, start.A, activation=activation)
        results.append(path_to_dataset(path.times, path.order_parameters, path.v, pmse))
    input_size, latent_size = known.Phi.shape
    sizes = {"input_size": input_size, "latent_size": latent_size}
    return xr.concat(results, "seed", data_vars=["pmse", "Q", "R", "v"]).assign(sizes)

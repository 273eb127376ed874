"""Online training of the readout of random features of an isotropic mixture."""

import xarray as xr

from twolayer.experiments.features.parameters import ReadoutTraining
from twolayer.experiments.features.training import trained
from twolayer.experiments.mixture_inputs.shapes import build


def run(config: ReadoutTraining) -> xr.Dataset:
    """Return errors of the readout against time for each data stream, and errors of the best readout of its
    features."""
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    return trained(config, mixture, config.input_dimension).assign(sigma=config.sigma)

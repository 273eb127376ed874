"""Online training of the readout of random features of any mixture."""

import xarray as xr

from twolayer.experiments.features.input_mixture import mixture_of_inputs
from twolayer.experiments.features.parameters import FeatureTraining
from twolayer.experiments.features.training import trained


def run(config: FeatureTraining, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors of the readout against time for each data stream, and errors of the best readout of its
    features."""
    inputs, dimension = mixture_of_inputs(mixture)
    return trained(config, inputs, dimension).assign(input_dimension=dimension)

"""The least class error of any classifier on a mixture, against the noise."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import BayesError
from twolayer.results.mixture import isotropic_mixture, known_dimension, spectral_mixture
from twolayer.theory.mixtures.bayes_error import bayes_error


def run(config: BayesError, mixture: xr.Dataset) -> xr.Dataset:
    """Return the Bayes error and its quadrature error at every noise level."""
    dimension = known_dimension(mixture)
    inputs = isotropic_mixture(mixture) if dimension is None else spectral_mixture(mixture, dimension)
    noise = inputs.variances if dimension is None else inputs.spectra.mean(axis=1)
    given = float(np.sqrt(inputs.weights @ noise))
    levels = [given] if config.sigma is None else list(config.sigma)
    factors = [sigma / given if given > 0 else 1.0 for sigma in levels]  # a cluster without noise stays without noise
    found = [bayes_error(_scaled(inputs, factor), config.log2_nodes, config.seed) for factor in factors]
    errors, uncertainties = np.transpose(found)
    variables = {"bayes_error": ("sigma", errors), "bayes_error_sem": ("sigma", uncertainties)}
    return xr.Dataset(variables, coords={"sigma": levels})


def _scaled(mixture, factor):
    """Return the mixture with the noise multiplied by a factor."""
    name = "variance" if hasattr(mixture, "variance") else "eigenvalues"
    return replace(mixture, **{name: getattr(mixture, name) * factor**2})

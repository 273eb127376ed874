"""The least class error that any classifier reaches on a mixture, against the noise."""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.experiments.mixtures.parameters import BayesError
from twolayer.results.mixture import is_isotropic, isotropic_mixture, spectral_mixture
from twolayer.theory.oracle import bayes_error


def run(config: BayesError, mixture: xr.Dataset) -> xr.Dataset:
    """The error, and that of its quadrature, at every noise level."""
    inputs = isotropic_mixture(mixture) if is_isotropic(mixture) else spectral_mixture(mixture, mixture.sizes["mode"])
    own = float(np.sqrt(np.mean(_noise(inputs))))
    levels = [own] if config.sigma is None else list(config.sigma)
    found = [bayes_error(_scaled(inputs, sigma / own), config.log2_nodes, config.seed) for sigma in levels]
    errors, uncertainties = np.transpose(found)
    variables = {"oracle": ("sigma", errors), "oracle_sem": ("sigma", uncertainties)}
    return xr.Dataset(variables, coords={"sigma": levels})


def _noise(mixture):
    return mixture.variance if hasattr(mixture, "variance") else mixture.eigenvalues


def _scaled(mixture, factor):
    """The mixture with that much more noise."""
    name = "variance" if hasattr(mixture, "variance") else "eigenvalues"
    return replace(mixture, **{name: getattr(mixture, name) * factor**2})

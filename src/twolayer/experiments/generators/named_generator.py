"""A generator of one's own."""

from pathlib import Path

import xarray as xr
from safetensors import SafetensorError
from safetensors.torch import load

from twolayer.errors import ConfigError, DataError
from twolayer.experiments.generators.parameters import NamedGeneratorParameters
from twolayer.files import read_regular
from twolayer.model.convolutional_generator import ConvolutionalGenerator
from twolayer.model.flows import DenseFlow
from twolayer.model.own_generators import NamedGenerator
from twolayer.results.generator import latent_generator_to_dataset


def run(config: NamedGeneratorParameters) -> xr.Dataset:
    """Its weights, and by which name or as which architecture it is made again."""
    if config.module is not None:
        return latent_generator_to_dataset(NamedGenerator(config.module, config.latent_size))
    generator = _ours(config)
    try:
        generator.load_state_dict(load(read_regular(Path(config.weights))))
    except FileNotFoundError:
        raise DataError(f"weights file {config.weights} is missing: name a safetensors file") from None
    except (SafetensorError, OSError) as error:
        raise DataError(
            f"weights file {config.weights} cannot be read ({error}): give a safetensors file; no pickle is read"
        ) from None
    except RuntimeError as error:  # of torch, whose complaint has a line for each tensor
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"weights {config.weights} do not fit {config.architecture} ({reason})") from None
    return latent_generator_to_dataset(generator)


def _ours(config):
    if config.architecture == "dense_flow":
        return DenseFlow(config.latent_size, config.couplings)
    return ConvolutionalGenerator(config.latent_size, config.width, config.doublings, config.colours)

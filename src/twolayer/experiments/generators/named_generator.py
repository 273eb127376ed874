"""A custom generator."""

import os
from pathlib import Path

import xarray as xr
from safetensors import SafetensorError
from safetensors.torch import load

from twolayer.errors import ConfigError, DataError
from twolayer.experiments.generators.parameters import NamedGeneratorParameters
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator
from twolayer.model.generators.custom_generators import NamedGenerator
from twolayer.model.generators.flows import DenseFlow
from twolayer.results.generator import latent_generator, latent_generator_to_dataset
from twolayer.storage.files import read_regular


def run(config: NamedGeneratorParameters) -> xr.Dataset:
    """Return the weights of the generator, with its name or its architecture.

    Raises:
        ConfigError: the module or the weights do not define a generator. DataError: the file of weights is unreadable.
    """
    if config.module is not None:
        result = latent_generator_to_dataset(NamedGenerator(config.module, config.latent_size))
        latent_generator(result)  # refuses a module that changes when it is created again
        return result
    generator = _ours(config)
    try:
        generator.load_state_dict(load(read_regular(Path(os.path.expanduser(config.weights)))))
    except FileNotFoundError:
        raise DataError(f"weights file {config.weights} is missing: name a safetensors file") from None
    except (SafetensorError, OSError) as error:
        raise DataError(
            f"weights file {config.weights} cannot be read ({error}): give a safetensors file; no pickle is read"
        ) from None
    except RuntimeError as error:  # the message of torch has one line for each tensor
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"weights {config.weights} do not fit {config.architecture} ({reason}): change architecture, or give "
            "weights of this architecture"
        ) from None
    return latent_generator_to_dataset(generator)


def _ours(config):
    if config.architecture == "dense_flow":
        return DenseFlow(config.latent_size, config.couplings)
    return ConvolutionalGenerator(config.latent_size, config.width, config.doublings, config.colours)

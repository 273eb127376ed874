"""A generator with latents as a result, and conversion back."""

import json

import numpy as np
import xarray as xr

from twolayer.errors import ResultError, shown
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator
from twolayer.model.generators.custom_generators import NamedGenerator
from twolayer.model.generators.dense_network import DenseNetwork, SignNetwork
from twolayer.model.generators.flows import DenseFlow, ImageFlow
from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.random.torch_seeds import seeded
from twolayer.results.network import dataset_weights, weights_to_dataset
from twolayer.results.types import kind_of, named

_ARCHITECTURES = {
    kind.__name__: kind
    for kind in (SignNetwork, DenseNetwork, ConvolutionalGenerator, DenseFlow, ImageFlow, NamedGenerator)
}
GENERATOR = "generator"
_LARGEST = 10**6  # width of a layer
EXAMPLES = 64  # number of images that are stored for drawing


def latent_generator_to_dataset(generator: LatentGenerator) -> xr.Dataset:
    """Return the weights and statistics of a generator. The attributes hold the name of its class and its sizes."""
    sizes = {"architecture": type(generator).__name__, "sizes": json.dumps(generator.sizes)}
    return named(weights_to_dataset(generator).assign_attrs(sizes), GENERATOR)


def latent_generator(result: xr.Dataset | LatentGenerator) -> LatentGenerator:
    """Return the generator in a result, or a given generator, in evaluation mode.

    Raises:
        ResultError: the result describes another generator than its parameters, or its weights do not fit.
        ConfigError: a custom generator in the parameters cannot be created.
    """
    if isinstance(result, LatentGenerator):
        return result.eval()
    kind_of(result, GENERATOR)
    kind, sizes = _described(result)
    try:
        generator = kind(**sizes)
        generator.load_state_dict(dataset_weights(result))
    except (TypeError, ValueError, RuntimeError, MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ResultError(
            f"the result does not have the weights of a {kind.__name__} ({reason}): make it again"
        ) from None
    return generator.eval()


def _described(result):
    """Return the class of a generator and its arguments.

    They are read from a file, and one of them may be the name of a function. So they must agree with the parameters,
    which are compared with the configuration.
    """
    name, sizes = result.attrs.get("architecture"), _object(result, "sizes", {})
    params = _object(result, "params", sizes)
    if name not in _ARCHITECTURES:
        raise ResultError(f"the result is a generator of the unknown architecture {shown(name)}: make it again")
    if "module" in sizes and name != NamedGenerator.__name__:
        raise ResultError(f"the result is a {name}, but has the module {shown(sizes['module'])}: make it again")
    for key, value in sizes.items():
        if value != params.get(key, None if key == "module" else value):
            raise ResultError(
                f"the result describes a generator with {key} {shown(value)}, but its parameters have "
                f"{shown(params.get(key))}: make it again"
            )
        if not all(isinstance(one, int | str) and 0 < _magnitude(one) <= _LARGEST for one in _items(value)):
            raise ResultError(f"the result describes a generator with the unknown {key} {shown(value)}: make it again")
    return _ARCHITECTURES[name], sizes


def _object(result, name, default):
    """Return an attribute with an object in JSON."""
    try:
        found = json.loads(result.attrs[name]) if name in result.attrs else default
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ResultError(f"the result has {name} {shown(result.attrs[name])}: make it again")
    return found


def _items(value):
    return value if isinstance(value, list) else [value]


def _magnitude(value):
    return len(value) if isinstance(value, str) else value


def generated_images(generator: LatentGenerator, rng: np.random.Generator) -> xr.DataArray:
    """Return examples of the images from a generator, for drawing."""
    images = np.concatenate([inputs for _, inputs in sampled_batches(generator, EXAMPLES, rng)])
    return image_array(images, generator)


def image_array(images: np.ndarray, generator: LatentGenerator) -> xr.DataArray:
    """Return images (n, N) with the generator's image shape as separate axes."""
    shaped = images.reshape(-1, *generator.image_shape)
    return xr.DataArray(shaped, dims=("example", "colour", "row", "column"))


def made_from(seed: int, kind: type[LatentGenerator], **sizes: int) -> LatentGenerator:
    """Return a generator with the initial weights of a seed."""
    with seeded(seed):
        return kind(**sizes)

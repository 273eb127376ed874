"""A generator with latents as a result, and back."""

import json

import numpy as np
import torch
import xarray as xr

from twolayer.model.convolutional_generator import ConvolutionalGenerator
from twolayer.model.flows import DenseFlow, ImageFlow
from twolayer.model.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.own_generators import NamedGenerator
from twolayer.model.sign_network import SignNetwork
from twolayer.results.kinds import kind_of, marked
from twolayer.results.network import dataset_weights, weights_to_dataset

_ARCHITECTURES = {
    kind.__name__: kind for kind in (SignNetwork, ConvolutionalGenerator, DenseFlow, ImageFlow, NamedGenerator)
}
GENERATOR = "generator"
EXAMPLES = 64  # images that are kept for drawing


def latent_generator_to_dataset(generator: LatentGenerator) -> xr.Dataset:
    """Its weights and statistics, with the name of its class and the sizes in the attributes."""
    sizes = {"architecture": type(generator).__name__, "sizes": json.dumps(generator.sizes)}
    return marked(weights_to_dataset(generator).assign_attrs(sizes), GENERATOR)


def latent_generator(result: xr.Dataset | LatentGenerator) -> LatentGenerator:
    """The generator of such a result, or one that is given as itself, in evaluation mode."""
    if isinstance(result, LatentGenerator):
        return result.eval()
    kind_of(result, GENERATOR)
    generator = _ARCHITECTURES[result.attrs["architecture"]](**json.loads(result.attrs["sizes"]))
    generator.load_state_dict(dataset_weights(result))
    return generator.eval()


def generated_images(generator: LatentGenerator, rng: np.random.Generator) -> xr.DataArray:
    """Examples of what a generator of images gives, for drawing."""
    images = np.concatenate([inputs for _, inputs in sampled_batches(generator, EXAMPLES, rng)])
    return image_array(images, generator)


def image_array(images: np.ndarray, generator: LatentGenerator) -> xr.DataArray:
    """Images (n, N) of the shape that the generator gives them, in axes of their own."""
    shaped = images.reshape(-1, *generator.image_shape)
    return xr.DataArray(shaped, dims=("example", "colour", "row", "column"))


def made_from(seed: int, kind: type[LatentGenerator], **sizes: int) -> LatentGenerator:
    """A generator with the initial weights of a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return kind(**sizes)

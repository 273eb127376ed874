"""The published trained generators, with their weights in the networks of this package."""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError  # torch raises this if it cannot load a file

import torch
from torch import Tensor, nn

from twolayer.errors import DataError
from twolayer.model.generators.conditional_generator import ConditionalGenerator
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator
from twolayer.model.generators.published_files import PublishedFile, blob_id, published_file
from twolayer.storage.files import read_regular

# a counter of batch norms, which files of old versions lack; evaluation does not use it
_COUNTER = "num_batches_tracked"


@dataclass(frozen=True)
class _Architecture:
    """A network, and the positions of the publisher's layers in it.

    Attributes:
        make: creates the network, with arbitrary weights.
        places: publisher's name of a sequence of layers -> our name, and the offset of each layer.
        alone: publisher's name of a layer -> our name, if our layer is not in a sequence.
    """

    make: Callable[[], nn.Module]
    places: Mapping[str, tuple[str, int]]
    alone: Mapping[str, str]

    def our_name(self, name: str) -> str:
        """Return our name of an entry, such as "main.0.weight"; unknown names are not changed."""
        sequence, _, rest = name.partition(".")
        number, _, entry = rest.partition(".")
        if f"{sequence}.{number}" in self.alone:
            return f"{self.alone[f'{sequence}.{number}']}.{entry}"
        if sequence not in self.places or not re.fullmatch(r"\d{1,3}", number):
            return name
        ours, later = self.places[sequence]
        return f"{ours}.{int(number) + later}.{entry}"


_ARCHITECTURES = {
    "cifar-10-batches-bin": _Architecture(ConvolutionalGenerator, {"main": ("maps", 1)}, {"main.12": "colours"}),
    "fashion-mnist": _Architecture(ConditionalGenerator, {"fc": ("dense", 0), "deconv": ("maps", 1)}, {}),
}


def published_generator(folder: Path, dataset: str) -> nn.Module:
    """Return the published generator of an image set, in evaluation mode.

    Args:
        folder: folder of all image sets.

    Raises:
        ConfigError: there is no published generator.
        DataError: its file is missing, has another content, or does not contain the network.

    Source: goldt2021, dcGAN; demir2025, conditional GAN.
    """
    published, architecture = published_file(dataset), _ARCHITECTURES[dataset]
    path = Path(folder) / dataset / published.name
    network = architecture.make()
    weights = {architecture.our_name(name): tensor for name, tensor in _read(path, published).items()}
    counters = {name: tensor for name, tensor in network.state_dict().items() if name.endswith(_COUNTER)}
    try:
        network.load_state_dict(counters | weights)
    except RuntimeError as error:
        difference = " ".join(str(error).split())[:200]
        raise DataError(
            f"{path} does not contain the weights of {published.title} ({difference}): {_remedy(published)}"
        ) from None
    return network.eval()


def _remedy(published):
    return f"replace it by {published.url}, or set generators: trained in config/config.yaml"


def _read(path: Path, published: PublishedFile) -> dict[str, Tensor]:
    """Read the tensors of a file with a known content, without running any code in it."""
    remedy = _remedy(published)
    try:
        content = read_regular(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    if blob_id(content) != published.blob:
        raise DataError(f"{path} is not {published.title}: its git blob is not {published.blob}: {remedy}")
    try:
        weights = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except (RuntimeError, UnpicklingError, EOFError) as error:
        raise DataError(f"{path} has no weights ({type(error).__name__}): {remedy}") from None
    return dict(weights)

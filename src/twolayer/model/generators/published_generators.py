"""The trained generators that the authors published: their weights in our networks."""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError  # what torch raises where it will not load

import torch
from torch import Tensor, nn

from twolayer.errors import DataError
from twolayer.model.generators.conditional_generator import ConditionalGenerator
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator
from twolayer.model.generators.published_files import PublishedFile, blob_id, published_file
from twolayer.storage.files import read_regular

_COUNTER = "num_batches_tracked"  # of a batch norm, which files of old versions lack; evaluation has no use for it


@dataclass(frozen=True)
class _Architecture:
    """A network, and where the publisher's layers are in it.

    Attributes:
        make: the network, with weights of its own.
        places: publisher's name of a sequence of layers -> ours, and by how much later each layer comes in it.
        alone: publisher's name of a layer -> ours, where ours is in no sequence.
    """

    make: Callable[[], nn.Module]
    places: Mapping[str, tuple[str, int]]
    alone: Mapping[str, str]

    def our_name(self, name: str) -> str:
        """Our name of an entry, "main.0.weight"; what is unknown stays as it is."""
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
    """The published generator that learned from an image set, in evaluation mode.

    Args:
        folder: of all image sets.

    Raises:
        ConfigError: none is known.
        DataError: its file is missing, is another one, or does not hold the network.

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
        raise DataError(f"{path} does not hold the weights of {published.title}: {difference}") from None
    return network.eval()


def _read(path: Path, published: PublishedFile) -> dict[str, Tensor]:
    """The tensors of a file that has the content which is known; no code in it is run."""
    remedy = f"replace it by {published.url}, or set generators: trained in config/config.yaml"
    try:
        content = read_regular(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    if blob_id(content) != published.blob:
        raise DataError(f"{path} is not {published.title}: its git blob is not {published.blob}: {remedy}")
    try:
        weights = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except (RuntimeError, UnpicklingError, EOFError) as error:
        raise DataError(f"{path} holds no weights ({type(error).__name__}): {remedy}") from None
    return dict(weights)

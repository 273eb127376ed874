"""Locations of the authors' trained generators, and the git names of the contents of their files.

Each file belongs to the folder of the image set on which it was trained, and has the publisher's name.
"""

import hashlib
from dataclasses import dataclass

from twolayer.errors import ConfigError


@dataclass(frozen=True)
class PublishedFile:
    """A file of weights.

    Attributes:
        title: description of the generator, for an error. name: name of the file. blob: git name of its content.
        folder_url: folder of its publisher, at a fixed commit.
    """

    title: str
    name: str
    blob: str
    folder_url: str

    @property
    def url(self) -> str:
        """The address of the file."""
        return f"{self.folder_url}/{self.name}"


_RAW = "https://raw.githubusercontent.com"
# image set on which the generator was trained -> file
PUBLISHED_FILES = {
    "cifar-10-batches-bin": PublishedFile(
        title="the dcGAN of Goldt et al. 2021",
        name="dcgan_cifar10_weights.pth",
        blob="0a4ab38182c9c5761c90092c7845146f180a0fe6",
        folder_url=f"{_RAW}/sgoldt/gaussian-equiv-2layer/2a05db072ad98bde7d85749bd337afd1e4ae04be/models",
    ),
    "fashion-mnist": PublishedFile(
        title="the conditional GAN of Demir and Dogan 2025",
        name="CGAN_G.pkl",
        blob="e8ba885782ca1ed784c73f2f2f4af7598b13d87a",
        folder_url=f"{_RAW}/KU-MLIP/2-Layer-NNs-with-Gaussian-Mixtures-Data/"
        "257bcd539ab3adef9aeae9d78604f681ea204017/models/fashion-mnist/CGAN",
    ),
}


def published_file(dataset: str) -> PublishedFile:
    """Return the file of the generator that was trained on an image set.

    Raises:
        ConfigError: no generator is published for this set.
    """
    if dataset not in PUBLISHED_FILES:
        raise ConfigError(f"no generator of {dataset!r} is published: choose one of {', '.join(PUBLISHED_FILES)}")
    return PUBLISHED_FILES[dataset]


def blob_id(content: bytes) -> str:
    """Return git's name of a content: the SHA-1 of `blob <length>`, a zero byte and the content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

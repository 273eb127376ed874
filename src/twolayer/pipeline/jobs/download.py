"""Downloads of image sets and generators from their publishers, over https and with checked hashes."""

import hashlib
import os
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pooch

from twolayer.errors import ConfigError, DataError, ResultError
from twolayer.io import digest, read_bytes
from twolayer.model.data.images import SPLITS, image_files
from twolayer.model.generators.published_files import PUBLISHED_FILES, PublishedFile, blob_id
from twolayer.storage.files import check_size, opened, replacing, write_bytes


@dataclass(frozen=True)
class Publisher:
    """The source of an image set.

    Attributes:
        base_url: address of the folder of the files.
        sha256: file name -> SHA-256 of the published file.
    """

    base_url: str
    sha256: dict[str, str]


SOURCES = {
    "mnist": Publisher(
        base_url="https://ossci-datasets.s3.amazonaws.com/mnist/",
        sha256={
            "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        },
    ),
    "fashion-mnist": Publisher(
        base_url="https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
        sha256={
            "train-images-idx3-ubyte.gz": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            "train-labels-idx1-ubyte.gz": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            "t10k-images-idx3-ubyte.gz": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            "t10k-labels-idx1-ubyte.gz": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        },
    ),
    "cifar-10-batches-bin": Publisher(
        base_url="https://www.cs.toronto.edu/~kriz/",
        sha256={"cifar-10-binary.tar.gz": "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
    ),
}


def fetch(dataset: str, file_name: str, target: Path, base_url: str | None = None) -> None:
    """Download one file of an image set, the archive of all its files, or the published generator of the set.

    The file appears at `target` complete and checked, or not at all. An existing file is kept if its hash is right,
    else replaced.

    Args:
        dataset: one of `SOURCES`.
        target: path of the file; its folder is created if it does not exist.
        base_url: address of a mirror of the publisher.

    Raises:
        ConfigError: the set or the file is unknown.
        DataError: the file cannot be downloaded, or differs from the published file.
    """
    target = Path(target)
    remedy = (
        "try again later, or set data_root in config/config.yaml, or TWOLAYER_DATA, to a folder "
        f"that has {dataset}/{file_name}"
    )
    if dataset in PUBLISHED_FILES and file_name == PUBLISHED_FILES[dataset].name:
        _fetch_generator(PUBLISHED_FILES[dataset], target, base_url, f"{remedy}, or set generators: trained")
        return
    source = _source(dataset, file_name)
    url = f"{(base_url or source.base_url).rstrip('/')}/{file_name}"
    sha256 = source.sha256[file_name]
    _retrieve(url, target, "SHA-256", sha256, lambda content: hashlib.sha256(content).hexdigest(), remedy)


def _fetch_generator(published: PublishedFile, target: Path, base_url: str | None, remedy: str) -> None:
    """Download the weights of a generator with a known git name."""
    url = f"{(base_url or published.folder_url).rstrip('/')}/{published.name}"
    _retrieve(url, target, "git blob", published.blob, blob_id, remedy)


def _retrieve(url: str, target: Path, kind: str, known: str, name_of: Callable[[bytes], str], remedy: str) -> None:
    """Download a file whose content has a known hash."""
    if target.exists() and name_of(read_bytes(target)) == known:
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as temporary:
            with opened(temporary) as file:
                os.fchmod(file.fileno(), 0o644)  # a data root is often shared
                pooch.HTTPDownloader()(url, file, None)
            if name_of(read_bytes(temporary, follow=False)) != known:
                raise DataError(f"{url} does not have the {kind} {known}, so nothing was kept: {remedy}")
    except (OSError, ResultError) as error:  # includes errors of the network
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise DataError(f"{url} cannot be downloaded to {target} ({_reason(cause)}): {remedy}") from error


def unpack(dataset: str, archive: Path, folder: Path) -> None:
    """Unpack the files of an image set from their archive: only these files, each completely or not at all.

    Args:
        archive: archive from `fetch`, which is checked again. folder: folder for the files.

    Raises:
        ConfigError: the set or its archive is unknown.
        DataError: the archive differs from the published archive, or lacks a file.
    """
    archive, folder = Path(archive), Path(folder)
    source = _source(dataset, archive.name)
    remedy = f"delete it, and run the command again to download it, or give a data root that has {dataset}/"
    if digest(archive) != source.sha256[archive.name]:
        raise DataError(f"{archive} does not have the SHA-256 {source.sha256[archive.name]}: {remedy}")
    with tarfile.open(archive) as members:
        for name in [name for split in SPLITS for name in image_files(dataset, split)]:
            try:
                member = members.getmember(f"{dataset}/{name}")
            except KeyError:
                raise DataError(f"{archive} has no file {dataset}/{name}: {remedy}") from None
            if not member.isreg():
                raise DataError(f"{archive} has {dataset}/{name} as a link or a device: {remedy}")
            check_size(member.size, f"{dataset}/{name} in {archive}")
            write_bytes(members.extractfile(member).read(), folder / name)


def _source(dataset, file_name):
    if dataset not in SOURCES:
        raise ConfigError(f"image set is {dataset!r}: use one of {', '.join(SOURCES)}")
    if file_name not in SOURCES[dataset].sha256:
        raise ConfigError(f"{dataset} has no file {file_name!r}: use one of {', '.join(SOURCES[dataset].sha256)}")
    return SOURCES[dataset]


def _reason(error):
    """Return the HTTP status, the message of the operating system, or the type of network failure."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP status {response.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__

"""Downloads of image files from their publishers, checked by hash."""

from dataclasses import dataclass
from pathlib import Path

import pooch

from twolayer.errors import ConfigError, DataError


@dataclass(frozen=True)
class Source:
    """Where an image set comes from.

    Attributes:
        base_url: what a file's name is appended to.
        md5: file name -> its publisher's MD5.
    """

    base_url: str
    md5: dict[str, str]


SOURCES = {
    "mnist": Source(
        base_url="https://ossci-datasets.s3.amazonaws.com/mnist/",
        md5={
            "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
            "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
            "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
            "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
        },
    ),
    "fashion-mnist": Source(
        base_url="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        md5={
            "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
            "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
            "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
        },
    ),
    "cifar-10-batches-bin": Source(
        base_url="https://www.cs.toronto.edu/~kriz/",
        md5={"cifar-10-binary.tar.gz": "c32a1d4ab5d03f1284b67883e8d87530"},
    ),
}


def fetch(dataset: str, file_name: str, target: Path, base_url: str | None = None) -> None:
    """Download one file of an image set, or the archive of them all.

    It appears at `target` whole and checked, or not at all. A target that is there already is kept where its hash is
    right, else replaced.

    Args:
        dataset: one of `SOURCES`.
        target: path of the file itself; its folder is made where needed.
        base_url: a mirror of the publisher.

    Raises:
        ConfigError: there is no such set, or no such file in it.
        DataError: the file cannot be downloaded, or is not what its publisher issued.
    """
    source = _source(dataset, file_name)
    url = f"{(base_url or source.base_url).rstrip('/')}/{file_name}"
    md5 = source.md5[file_name]
    target = Path(target)
    remedy = (
        "try again later, or set data_root in config/config.yaml, or TWOLAYER_DATA, to a folder "
        f"that has {dataset}/{file_name}"
    )
    try:
        pooch.retrieve(url, f"md5:{md5}", target.name, target.parent, downloader=pooch.HTTPDownloader())
        target.chmod(0o644)  # pooch leaves it to its owner alone, but a data root is often shared
    except OSError as error:  # also what the network raises
        raise DataError(f"{url} cannot be downloaded to {target} ({_reason(error)}): {remedy}") from error
    except ValueError as error:
        raise DataError(f"{url} does not have its publisher's MD5 {md5}, nothing was kept: {remedy}") from error


def _source(dataset, file_name):
    if dataset not in SOURCES:
        raise ConfigError(f"image set is {dataset!r}: use one of {', '.join(SOURCES)}")
    if file_name not in SOURCES[dataset].md5:
        raise ConfigError(f"{dataset} has no file {file_name!r}: use one of {', '.join(SOURCES[dataset].md5)}")
    return SOURCES[dataset]


def _reason(error):
    """HTTP status, operating system's words, or kind of network failure."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP status {response.status_code}"
    return error.strerror or type(error).__name__

"""Contents that carry their own digest, so that damage shows before anything of them is parsed.

The digest follows the contents, in a line of its own. Formats that define their end, NetCDF and PNG,
are read by other programs as if it were not there. JSON holds its digest in front.
"""

import hashlib
import re
from pathlib import Path

from twolayer.errors import ResultError
from twolayer.storage.files import read_regular

LIST = "SHA256SUMS"  # digests of the files in a folder that cannot carry theirs, as `sha256sum` writes and checks them

_WORDS = b"\nsha256 of all before this line: "
_LENGTH = len(_WORDS) + 64 + 1
_JSON = re.compile(rb'\{"sha256": "([0-9a-f]{64})",\n"contents": (.*)\}\n', re.DOTALL)


def checksum(contents: bytes | memoryview) -> bytes:
    """The line that belongs behind these contents."""
    return _WORDS + hashlib.sha256(contents).hexdigest().encode() + b"\n"


def has_checksum(content: bytes) -> bool:
    """Whether it ends as what `checksum` closed, intact or not."""
    return content[-_LENGTH:].startswith(_WORDS)


def without_checksum(content: bytes, name: str, remedy: str) -> bytes:
    """The contents without their checksum.

    Args:
        name: of the file, for an error: "results file a.nc". remedy: what to do about it.

    Raises:
        ResultError: the checksum is missing, or belongs to other contents.
    """
    if not has_checksum(content):
        raise ResultError(f"{name} does not end with its digest, it is truncated or of an earlier version: {remedy}")
    contents, line = content[:-_LENGTH], content[-_LENGTH:]
    if checksum(contents) != line:
        raise ResultError(f"{name} does not have the digest that it ends with, it is damaged: {remedy}")
    return contents


def json_with_checksum(body: str) -> str:
    """A JSON document that holds another, the `contents`, and its digest."""
    return f'{{"sha256": "{hashlib.sha256(body.encode()).hexdigest()}",\n"contents": {body}}}\n'


def json_of_checksummed(content: bytes, name: str, remedy: str) -> bytes:
    """What `json_with_checksum` was given.

    Raises:
        ResultError: the digest is missing, or is one of other contents.
    """
    parts = _JSON.fullmatch(content)
    if parts is None or hashlib.sha256(parts[2]).hexdigest() != parts[1].decode():
        raise ResultError(f"{name} does not have a digest that fits, it is damaged or of an earlier version: {remedy}")
    return parts[2]


def as_listed(content: bytes, path: Path) -> bool:
    """Whether a file's content has the digest in the list of its folder. Without a list, any content does."""
    listed = path.with_name(LIST)
    if not listed.exists():
        return True
    line = f"{hashlib.sha256(content).hexdigest()}  {path.name}"
    return line in read_regular(listed).decode("utf-8", errors="replace").split("\n")

"""Contents with their digest, so that damage is detected before they are parsed.

The digest follows the contents in a separate line. Formats that define their end, NetCDF and PNG, are not affected in
other programs. In JSON the digest precedes the contents.
"""

import hashlib
import re
from pathlib import Path

from twolayer.errors import ResultError
from twolayer.storage.files import read_regular

LIST = "SHA256SUMS"  # digests of files in a folder that cannot contain them, in the format of `sha256sum`

_WORDS = b"\nsha256 of all before this line: "
_LENGTH = len(_WORDS) + 64 + 1
_JSON = re.compile(rb'\{"sha256": "([0-9a-f]{64})",\n"contents": (.*)\}\n', re.DOTALL)


def checksum(contents: bytes | memoryview) -> bytes:
    """Return the line to append to these contents."""
    return _WORDS + hashlib.sha256(contents).hexdigest().encode() + b"\n"


def has_checksum(content: bytes) -> bool:
    """Return whether a content ends like a result of `checksum`, intact or not."""
    return content[-_LENGTH:].startswith(_WORDS)


def without_checksum(content: bytes, name: str, remedy: str) -> bytes:
    """Return the contents without their checksum.

    Args:
        name: name of the file, for an error: "results file a.nc". remedy: remedy for the error.

    Raises:
        ResultError: the checksum is missing, or belongs to other contents.
    """
    if not has_checksum(content):
        raise ResultError(
            f"{name} does not end with its digest, so it is truncated or from an earlier version: {remedy}"
        )
    contents, line = content[:-_LENGTH], content[-_LENGTH:]
    if checksum(contents) != line:
        raise ResultError(f"{name} does not match the digest at its end, so it is damaged: {remedy}")
    return contents


def json_with_checksum(body: str) -> str:
    """Return a JSON document that contains another one, the `contents`, and its digest."""
    return f'{{"sha256": "{hashlib.sha256(body.encode()).hexdigest()}",\n"contents": {body}}}\n'


def json_of_checksummed(content: bytes, name: str, remedy: str) -> bytes:
    """Return the argument of `json_with_checksum`.

    Raises:
        ResultError: the digest is missing, or belongs to other contents.
    """
    parts = _JSON.fullmatch(content)
    if parts is None or hashlib.sha256(parts[2]).hexdigest() != parts[1].decode():
        raise ResultError(
            f"{name} does not have a matching digest, so it is damaged or from an earlier version: {remedy}"
        )
    return parts[2]


def as_listed(content: bytes, path: Path) -> bool:
    """Return whether a file's content has the digest in the list of its folder; true if there is no list."""
    listed = path.with_name(LIST)
    if not listed.exists():
        return True
    line = f"{hashlib.sha256(content).hexdigest()}  {path.name}"
    return line in read_regular(listed).decode("utf-8", errors="replace").split("\n")

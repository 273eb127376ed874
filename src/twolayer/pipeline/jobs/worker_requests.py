"""Incoming requests of the worker, which does not wait for any of them, because a client may stop in the middle."""

import array
import contextlib
import json
import os
import socket
import struct
from collections.abc import Collection, Iterator
from typing import Any

from twolayer_command import SIZE, is_of_this_user

_LARGEST = 2**20  # largest size of a request in bytes
_MOST = 64  # largest number of incomplete requests; beyond it the oldest is dropped
_STREAMS = 3  # standard input, output and error


class Incoming:
    """Requests of this user that have started to arrive."""

    def __init__(self):
        self._parts: dict[socket.socket, _Part] = {}

    @property
    def lines(self) -> list[socket.socket]:
        """Return the connections of these requests."""
        return list(self._parts)

    def accept(self, listener: socket.socket) -> None:
        """Accept the next connection if it comes from this user."""
        with contextlib.suppress(OSError):  # the client has ended
            line, _ = listener.accept()
            if not is_of_this_user(line):
                line.close()
                return
            line.setblocking(False)
            if len(self._parts) >= _MOST:
                self._drop(next(iter(self._parts)))
            self._parts[line] = _Part()

    def arrived(self, ready: Collection[socket.socket]) -> Iterator[tuple[socket.socket, Any, array.array]]:
        """Read from these connections, and yield the connections with a complete request, the request and three
        streams.
        """
        for line in [line for line in self.lines if line in ready]:
            part = self._parts[line]
            try:
                request = part.read(line)
            # the client was killed in the middle of its request
            except (OSError, struct.error, ValueError, RecursionError):
                self._drop(line)
                continue
            if request is not None:
                del self._parts[line]
                line.setblocking(True)
                yield line, request, part.streams

    def _drop(self, line):
        close_all(self._parts.pop(line).streams)
        line.close()


def close_all(streams: array.array) -> None:
    """Close file descriptors."""
    for stream in streams:
        os.close(stream)


class _Part:
    """The received part of a request: its size, its content in JSON, and the streams with the first bytes."""

    def __init__(self):
        self.streams = array.array("i")
        self._content = b""

    def read(self, line):
        """Return the request if it is complete, else None.

        Raises:
            OSError, ValueError, RecursionError: it is not a request, or will never be complete.
        """
        content, ancillary, _, _ = line.recvmsg(_LARGEST, socket.CMSG_SPACE(_STREAMS * 4))
        for _, _, data in ancillary:
            self.streams.frombytes(data)
        if not content:
            raise ConnectionError
        self._content += content
        if len(self._content) < SIZE.size:
            return None
        (size,) = SIZE.unpack(self._content[: SIZE.size])
        if size > _LARGEST or len(self.streams) != _STREAMS:
            raise ValueError
        if len(self._content) < SIZE.size + size:
            return None
        return json.loads(self._content[SIZE.size : SIZE.size + size])

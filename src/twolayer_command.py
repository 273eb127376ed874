"""The command `twolayer`, which runs in the worker if there is one, or else in this process.

The worker is `twolayer.pipeline.jobs.worker`.

This module is outside the package, so that a command that uses the worker imports nothing of the package. The import
would take half as long as the rest of the start.
"""

import array
import json
import os
import socket
import struct
import sys

VARIABLE = "TWOLAYER_WORKER"  # names the socket of the worker
FORKED = "TWOLAYER_FORKED"  # is set in forked processes, which share most of their memory with the worker
SIZE, STATUS = struct.Struct("I"), struct.Struct("i")  # the length of a request, which precedes it, and the answer
BEGUN = b"\x01"  # is sent by the process that was forked for a request, before its status
_PEER = struct.Struct("3i")
_KILLED, _INTERRUPTED = 128 + 9, 128 + 2  # exit statuses of commands that a signal ends, as in shells


def main() -> int:
    """Do the command of this process, and return its exit status."""
    _open_streams()
    try:
        os.getcwd()
    except FileNotFoundError:
        print("error: the current folder was removed: go to another folder", file=sys.stderr)
        return 2
    try:
        return _done()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return _INTERRUPTED


def _open_streams():
    """Open standard streams that are closed, or else the next file that is opened would receive what they receive."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, mode))


def _done():
    if sys.platform == "win32":
        print("error: the workflow and its command need Linux or macOS: use the library on Windows", file=sys.stderr)
        return 2
    if path := os.environ.get(VARIABLE):
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(path)
                if is_of_this_user(line):
                    return ask(line, sys.argv[1:])
            except OSError:  # no server listens, or it ended before it started the command
                pass
    return _alone()


def is_of_this_user(line: socket.socket) -> bool:
    """Return whether the process at the other end of a connection belongs to this user. It receives the environment.

    The answer is no on systems without this information, such as macOS.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return False
    found = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)  # process, user and group
    return _PEER.unpack(found)[1] == os.geteuid()


def ask(line: socket.socket, arguments: list[str]) -> int:
    """Hand a command over, with the folder, environment and streams of this process, and return its exit status.

    It returns when the process of the command has ended. If this process ends first, the server kills the command. If
    the process of the command ends without a status, the command counts as killed.

    Raises:
        OSError: the server ended before it started the command.
    """
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    content = json.dumps(request).encode()
    streams = array.array("i", [0, 1, 2])
    line.sendmsg([SIZE.pack(len(content))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    line.sendall(content)
    if not line.recv(len(BEGUN)):
        raise ConnectionError("the server has ended")
    answer = b""
    try:
        answer = line.recv(STATUS.size)
        while line.recv(STATUS.size):  # the server closes the connection when the process has ended
            pass
    except OSError:
        pass
    return STATUS.unpack(answer)[0] if answer else _KILLED


def _alone():
    try:
        from twolayer.pipeline.cli import main
    except ImportError as error:  # a package is missing, or its version is too low
        print(f"error: {error}", file=sys.stderr)
        return 2
    return main()

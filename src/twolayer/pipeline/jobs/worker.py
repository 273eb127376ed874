"""A worker that runs commands without start-up time: it has imported everything and forks one child for each command.

Most jobs of the quick preset compute for a second and import for two. While Snakemake runs on this machine, `serve`
listens on a socket. The command, `twolayer_command`, sends its arguments, folder, environment and standard streams, and
waits for the exit status. If there is no worker, the command runs in its own process.
"""

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from twolayer.dependencies import PACKAGE
from twolayer.errors import TwolayerError
from twolayer.pipeline.jobs.worker_requests import Incoming, close_all
from twolayer_command import BEGUN, FORKED, STATUS, VARIABLE

# libraries that a forked command may need; torch.optim needs torch._dynamo, and papermill needs black
LIBRARIES = ("numba", "scipy.stats", "xarray", "h5netcdf", "torch", "torch._dynamo", "black")
prepared: list[tuple[subprocess.Popen, Path]] = []  # at most one worker, and its socket
_loaded: dict[Path, int] = {}  # the modules loaded by the worker, see `_sources`
_CANNOT_FORK = ("darwin",)  # macOS ends a process that was forked after its system libraries were loaded
_LONGEST = 70  # bytes of the path of the parent folder
_NO_SHORT_FOLDER = (
    "each job starts a new process, which takes two seconds: a socket needs a folder for temporary files with a "
    "path of at "
    f"most {_LONGEST} bytes, so set TMPDIR to a shorter path"
)


def prepare() -> None:
    """Start a worker that ends with this process, and let it load. Commands use it after `start`.

    If the environment names a worker, or has an empty name, nothing is started. There is no worker on macOS.
    """
    if VARIABLE in os.environ or prepared or sys.platform in _CANNOT_FORK:
        return
    parent = short_folder(_LONGEST)
    if parent is None:
        print(_NO_SHORT_FOLDER, file=sys.stderr)
        return
    path = Path(tempfile.mkdtemp(prefix="twolayer-", dir=parent)) / "worker"
    # its standard input, to which nothing is written, ends when this process ends for any reason
    command = [sys.executable, "-m", "twolayer.pipeline.jobs.worker", str(path)]
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    server = subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | single, start_new_session=True)
    prepared.append((server, path))


def short_folder(longest: int) -> str | None:
    """Return a folder for temporary files with a path of limited length in bytes, or None if there is none.

    The path of a socket is limited to about 100 bytes.
    """
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if len(os.fsencode(folder)) <= longest and os.access(folder, os.W_OK):
            return folder
    return None


def start() -> None:
    """Let a worker run all commands that this process starts from now on."""
    prepare()
    for server, path in prepared:
        while not path.exists() and server.poll() is None:  # if it cannot start, each command runs in its own process
            time.sleep(0.01)
        os.environ[VARIABLE] = str(path)


def dismiss() -> None:
    """End a worker that was prepared and will not be started, even while it is loading."""
    while prepared:
        server, path = prepared.pop()
        with server:
            server.kill()
        shutil.rmtree(path.parent)


def command(arguments: list[str]) -> int:
    """Run the command `twolayer` in this process, or in a new one if the program was edited since it was loaded."""
    if _sources() != _loaded:
        del os.environ[VARIABLE], os.environ[FORKED]
        program = "import sys; from twolayer_command import main; sys.exit(main())"
        return subprocess.call([sys.executable, "-c", program, *arguments])
    from twolayer.pipeline.cli import main

    return main(arguments)


def _sources() -> dict[Path, int]:
    """Return the time of the last change of each module of this package."""
    return {path: path.stat().st_mtime_ns for path in PACKAGE.rglob("*.py")}


def load() -> None:
    """Import everything that a command may need, including the modules of the tasks, and read the configuration.

    The objects are excluded from garbage collection, so that a child does not search the objects of its parent.
    """
    _loaded.update(_sources())
    from twolayer.experiments import TASKS

    for name in (*LIBRARIES, "twolayer.pipeline.report.notebooks", *(task.module for task in TASKS.values())):
        with contextlib.suppress(ModuleNotFoundError):  # a job that needs the package reports that it is missing
            importlib.import_module(name)
    from twolayer.pipeline.catalogue import Catalogue

    with contextlib.suppress(TwolayerError):  # each command reports this error
        Catalogue.load(Catalogue.find_root())
    gc.collect()
    gc.freeze()


def serve(path: Path, load: Callable[[], None] = load, work: Callable[[list[str]], int] = command) -> None:
    """Listen on a socket until standard input ends.

    Args:
        path: path of the socket, in a separate folder, which is removed at the end.
        load: imports the modules that all commands share.
        work: runs the command with these arguments in a separate process, and returns its exit status.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(64)
        load()
        try:
            _Server(listener, work).run()
        finally:
            shutil.rmtree(path.parent)


class _Server:
    """A server with one thread, so that a fork copies its complete state."""

    def __init__(self, listener: socket.socket, work: Callable[[list[str]], int]):
        self._listener = listener
        self._work = work
        self._lines: dict[int, socket.socket] = {}  # process -> connection of its client
        self._incoming = Incoming()
        self._ended, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        signal.set_wakeup_fd(self._wakes)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        while True:
            lines = [*self._lines.values(), *self._incoming.lines]
            ready, _, _ = select.select([0, self._listener, self._ended, *lines], [], [])
            if 0 in ready and not os.read(0, 1):
                self._end()
                return
            if self._ended in ready:
                os.read(self._ended, 4096)
                self._report()
            for process, line in list(self._lines.items()):
                if line in ready and _is_gone(line):
                    # its group does not exist yet: the next pass kills it
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process, signal.SIGKILL)
            for line, request, streams in self._incoming.arrived(ready):
                self._start(line, request, streams)
            if self._listener in ready:
                self._incoming.accept(self._listener)

    def _start(self, line, request, streams):
        process = os.fork()
        if process == 0:
            for other in (self._listener, *self._lines.values(), *self._incoming.lines):
                other.close()
            _work(request, streams, self._work, line)
        self._lines[process] = line
        close_all(streams)

    def _report(self):
        """Report the status of processes that a signal has ended. Other processes report their status."""
        for process in list(self._lines):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                line = self._lines.pop(process)
                code = os.waitstatus_to_exitcode(status)
                if code < 0:
                    with contextlib.suppress(OSError):
                        line.sendall(STATUS.pack(128 - code))
                line.close()

    def _end(self):
        for process in self._lines:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)


def _is_gone(line):
    """Return whether the client at the other end of a readable connection has ended."""
    try:
        return not line.recv(1)
    except ConnectionError:
        return True


def _work(request, streams, work, line):
    """Run a command in the process that was forked for it, report its status to the client, and end.

    The process sends the report, so that a client gets the right status even if the server is killed meanwhile.
    """
    code = 1
    try:
        line.sendall(BEGUN)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"] | {FORKED: "1"})
        code = work(request["arguments"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):  # the log may be on a full disk
                stream.flush()
        with contextlib.suppress(OSError):  # the client has ended
            line.sendall(STATUS.pack(code))
        os._exit(code)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))

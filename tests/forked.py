"""`snakemake`, `twolayer`, `pytest` and `python` without their start-up: forked by a process that has imported most.

It is the worker of the workflow, with the same libraries, and with Snakemake in it as well. What it shares is
other people's: a fork imports the package itself, from where the command finds it. So a copy of the project runs its
own code.
"""

import ctypes
import gc
import importlib
import os
import runpy
import subprocess
import sys
import time
import uuid
from pathlib import Path

from twolayer.pipeline.jobs.worker import short_folder

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
PACKAGES = "TWOLAYER_TEST_PACKAGES"  # a folder with packages in other versions than the installed ones
ORDINARY = "TWOLAYER_TEST_ORDINARY"  # if it is set, a command may do no more than ordinary users
PRELOADED = (
    "docutils.core",
    "h5netcdf.legacyapi",
    "hypothesis.strategies",
    "pytest",
    "sklearn.linear_model",
    "smart_open",
    "snakemake.api",
    "snakemake.cli",
    "snakemake.profiles",
    "threadpoolctl",
    "twolayer.pipeline.report.notebooks",
)
PROGRAM = """#!{python} -SE
import socket
import sys

sys.path.append({source!r})
from twolayer_command import ask

with socket.socket(socket.AF_UNIX) as line:
    line.connect({path!r})
    sys.exit(ask(line, [{name!r}, *sys.argv[1:]]))
"""


def search_path(source):
    """Where programs look for modules before the environment: the package, and the folder that PACKAGES names."""
    return os.pathsep.join(filter(None, [str(source), os.environ.get(PACKAGES)]))


def start(run=None):
    """Start that process, one for all processes of a run of pytest; it ends when the last of them has.

    Args:
        run: what xdist calls the run; its workers know.

    Returns: the environment in which the programs are those that ask it.
    """
    run = run or os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
    folder = Path(short_folder(45)) / f"twolayer-tests-{run}"  # it is removed at the end
    try:
        folder.mkdir()
    except FileExistsError:  # another process was first
        server = None
    else:
        server = serve_in(folder)
    while not (folder / "socket").exists():
        assert server is None or server.poll() is None
        time.sleep(0.01)
    if server is None:
        os.open(folder / "users", os.O_WRONLY)  # to the end of this process
    programs = f"{folder}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    return {"PATH": programs, "TWOLAYER_WORKER": ""}


def serve_in(folder):
    """Start the process; its standard input is a pipe that ends when all who have opened it have."""
    for name in ("snakemake", "twolayer", "pytest", "python"):
        program = PROGRAM.format(python=sys.executable, source=SOURCE, path=str(folder / "socket"), name=name)
        (folder / name).write_text(program)
        (folder / name).chmod(0o755)
    users = folder / "users"
    os.mkfifo(users)
    ends = os.open(users, os.O_RDONLY | os.O_NONBLOCK)
    os.open(users, os.O_WRONLY)  # to the end of this process, and before that one looks
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = os.environ | single | {"PYTHONPATH": search_path(SOURCE)}
    command = [sys.executable, __file__, folder / "socket"]
    server = subprocess.Popen(command, stdin=ends, env=environment, start_new_session=True)
    os.close(ends)
    return server


def load():
    """Import what commands share, and have it left alone by the garbage collection of every fork."""
    from numba.core.registry import cpu_target

    from twolayer.pipeline.jobs.worker import LIBRARIES

    share_compiled_code()
    for name in (*LIBRARIES, *PRELOADED):
        importlib.import_module(name)
    find_plugins()
    cpu_target.target_context.refresh()  # else the first compiled function of every fork does it
    gc.freeze()


def find_plugins():
    """Have Snakemake look for all its plugins but ours, of which every copy of the project has its own."""
    from snakemake.cli import get_argument_parser
    from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

    get_argument_parser()
    LoggerPluginRegistry._instance = None


def work(arguments):
    """A command in a fork: with the package, and the path, of its own environment."""
    for name in [name for name in sys.modules if name.startswith(("twolayer", "snakemake_logger_plugin_twolayer"))]:
        del sys.modules[name]
    sys.path[:] = [*os.environ["PYTHONPATH"].split(":"), *sys.path[2:]]  # after this folder and our own package
    sys.argv = arguments
    if ORDINARY in os.environ:
        give_up_privileges()
    if arguments[0] == "python":
        return run_script(*arguments[1:])
    if arguments[0] == "snakemake":
        from snakemake.cli import main
    elif arguments[0] == "pytest":
        from _pytest.config import console_main as main
    else:
        from twolayer_command import main
    return main()


def give_up_privileges():
    """Let permissions of files and folders hold for root as well."""
    if os.geteuid() == 0:
        version, capabilities = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset(version, capabilities) == 0


def run_script(name, *arguments):
    """What `python name` does, or `python -m` with a module of ours. With another option it starts by itself."""
    if name == "-m" and arguments[0].startswith("twolayer."):
        sys.argv = list(arguments)
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        return 0
    if name.startswith("-"):
        os.execv(sys.executable, [sys.executable, name, *arguments])
    sys.argv = [name, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    runpy.run_path(name, run_name="__main__")
    return 0


def share_compiled_code():
    """Let a copy of the project load the compiled code of this project.

    numba distinguishes files by their folder. The name of the folder of compiled code depends on its contents instead.
    """
    from numba.core.caching import _CacheLocator

    known = _CacheLocator.get_suitable_cache_subpath

    def of_this_project(cls, path):
        _, inside, rest = path.rpartition("/twolayer/")
        return known(f"{SOURCE}/twolayer/{rest}" if inside else path)

    _CacheLocator.get_suitable_cache_subpath = classmethod(of_this_project)


if __name__ == "__main__":
    from twolayer.pipeline.jobs.worker import serve

    serve(Path(sys.argv[1]), load, work)

"""For all tests."""

import gc
import os
import re
import subprocess
import sys

import forked
import pytest
import threadpoolctl
from hypothesis import settings
from small_project import ROOT, shared_once

# A workflow that a test loads in this process starts no worker, which would last to the end of the process.
os.environ["TWOLAYER_WORKER"] = ""

# The same examples in every run; and no deadline, since the first call of a compiled function compiles it.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")


def build_site(folder):
    """Build the site as `make docs` does. A warning is an error."""
    options = ["-q", "-W", "--keep-going", "-b", "html", "-d", f"{folder}-trees"]
    command = [sys.executable, "-m", "sphinx", *options, ROOT / "docs", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site, which one process builds for all."""
    return shared_once(tmp_path_factory, "site", build_site)


def _stated():
    """What a workflow or a task that runs in this process may state in the environment."""
    return {name: value for name, value in os.environ.items() if re.match("TWOLAYER_|.*_NUM_THREADS$", name)}


@pytest.fixture(autouse=True)
def own_environment():
    """What a workflow or a task in this process states, other tests do not inherit: its settings for jobs, and the
    number of threads, which `twolayer run` sets to the number of cores.
    """
    before = _stated()
    yield
    after = _stated()
    for name in after.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)
    if after.get("OMP_NUM_THREADS") != before.get("OMP_NUM_THREADS"):
        threads = int(before.get("OMP_NUM_THREADS", os.cpu_count()))
        threadpoolctl.threadpool_limits(threads)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)


def pytest_configure(config):
    gc.disable()
    # No more threads than cores. NumPy reads the variable when it is imported: the workers of xdist must inherit it.
    if getattr(config.option, "numprocesses", None):
        os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Before xdist starts a worker: the process that forks for all of them loads while they collect."""
    if not node.config.option.markexpr:  # else they may need none
        forked.start(node.workerinput["testrunuid"])


def pytest_collection_finish():
    """What was imported stays to the end: no collection of garbage goes through it again, a seventh of the CPU time."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--sensitivity", type=int, metavar="N", help="try wrong versions of the physics as well: every N-th, 1 for all"
    )
    parser.addoption(
        "--altered", type=int, default=50, metavar="N", help="altered results, archives, configurations, data files"
    )


def pytest_collection_modifyitems(config, items):
    wrong = [item for item in items if "sensitivity" in item.keywords and item.get_closest_marker("sensitivity")]
    step = config.getoption("--sensitivity")
    left_out = {item for number, item in enumerate(wrong) if step is None or number % step}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
    # What makes projects takes longest: it comes first, so that no process ends with a long test while others wait.
    making = {item.path for item in items if item.get_closest_marker("slow") and "fresh_project" in item.fixturenames}
    items.sort(key=lambda item: item.path not in making)

"""Commands that a worker does are the same as those that start by themselves."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from twolayer import io
from twolayer.pipeline.jobs import worker as worker_module
from twolayer_command import SIZE, VARIABLE

pytestmark = pytest.mark.slow

STARTER = """
import os, time
from twolayer.pipeline.jobs import worker
worker.start()
print(os.environ[worker.VARIABLE], flush=True)
time.sleep(300)
"""
SAMPLE = ("twolayer", "run", "mixture_sample", "--params", '{"sigma": 0.2, "samples": 9, "seed": 1}', "--output")


def without_worker():
    """The environment of a process that may start a worker."""
    return {name: value for name, value in os.environ.items() if name != VARIABLE}


@contextlib.contextmanager
def started(project):
    """A worker, its socket, and the process that it ends with."""
    environment = without_worker() | {"PYTHONPATH": str(project.root / "src")}
    starter = subprocess.Popen([sys.executable, "-c", STARTER], env=environment, stdout=subprocess.PIPE, text=True)
    yield starter, starter.stdout.readline().strip()
    starter.kill()


@pytest.fixture
def no_worker(monkeypatch):
    """A process that has no worker, and may start one."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(worker_module, "prepared", [])


@pytest.fixture(scope="module")
def worker(fresh_project):
    with started(fresh_project) as both:
        yield both


@pytest.fixture
def starter_of_worker(fresh_project):
    """Return the process and the socket of a worker that the test may kill."""
    with started(fresh_project) as both:
        yield both


def wait_until(true):
    """Wait for a condition, at most for a minute."""
    for _ in range(1200):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("what was waited for did not happen in a minute")


def begun(project, path, samples, target):
    """The client of a job that the worker has begun."""
    command = [*SAMPLE[:4], json.dumps({"sigma": 0.2, "samples": samples, "seed": 1}), "--output", str(target)]
    paths = {"PYTHONPATH": str(project.root / "src"), VARIABLE: path}
    client = subprocess.Popen(command, cwd=project.root, env=os.environ | paths, stderr=subprocess.PIPE, text=True)
    assert "starts" in client.stderr.readline()
    return client


def test_the_same_results_and_streams(fresh_project, worker, tmp_path):
    _, path = worker
    results = {}
    for name, environment in (("cold", {VARIABLE: ""}), ("worker", {VARIABLE: path})):
        done = fresh_project.run(*SAMPLE, str(tmp_path / f"{name}.nc"), **environment)
        assert done.returncode == 0
        assert "mixture_sample ends after" in done.stderr
        results[name] = io.read(tmp_path / f"{name}.nc")
    assert results["cold"].identical(results["worker"].assign_attrs(results["cold"].attrs))


def test_the_same_errors_and_status(fresh_project, worker):
    _, path = worker
    done = fresh_project.run("twolayer", "check", "fig99", **{VARIABLE: path})
    assert (done.returncode, done.stderr.split(":")[:2]) == (2, ["error", " unknown figure 'fig99'"])
    assert fresh_project.run("twolayer", "--version", **{VARIABLE: path}).returncode == 0


def test_who_waits_takes_its_work_along(fresh_project, worker, tmp_path):
    _, path = worker
    target = tmp_path / "it.nc"
    client = begun(fresh_project, path, 20000000, target)
    client.send_signal(signal.SIGKILL)
    client.wait()
    wait_until(lambda: not subprocess.run(["pgrep", "-f", str(target)], capture_output=True).stdout)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "said", [b"", b"\x08", SIZE.pack(1000) + b"{"], ids=["nothing", "half a length", "half a request"]
)
def test_it_outlives_who_is_killed_while_asking(fresh_project, worker, tmp_path, said):
    """A result states its peak memory only if no worker made it."""
    _, path = worker
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(said)
    assert fresh_project.run(*SAMPLE, str(tmp_path / "it.nc"), **{VARIABLE: path}).returncode == 0
    assert "peak_memory_mb" not in io.read(tmp_path / "it.nc").attrs
    assert os.path.exists(path)


def test_its_socket_is_in_a_private_folder_and_silent_clients_do_not_block_it(fresh_project, worker, tmp_path):
    """The clients stay connected: one sends nothing, the others send only a part of a request."""
    _, path = worker
    folder = os.stat(os.path.dirname(path))
    assert (folder.st_uid, folder.st_mode & 0o777) == (os.geteuid(), 0o700)
    with contextlib.ExitStack() as silent:
        for said in (b"", b"\x08", SIZE.pack(1000) + b"{"):
            line = silent.enter_context(socket.socket(socket.AF_UNIX))
            line.connect(path)
            line.sendall(said)
        done = fresh_project.run(*SAMPLE, str(tmp_path / "it.nc"), **{VARIABLE: path})
    assert done.returncode == 0
    assert "peak_memory_mb" not in io.read(tmp_path / "it.nc").attrs  # the worker made it


def test_it_does_not_keep_a_program_that_was_edited(fresh_project, worker, tmp_path):
    """A result that is newer than an edit counts as made by the edited program."""
    _, path = worker
    assert fresh_project.run("twolayer", "--version", **{VARIABLE: path}).returncode == 0  # so it has loaded all
    module = fresh_project.own("src/twolayer/experiments/mixture_inputs/mixture_sample.py")
    before = module.read_text()
    module.write_text(before + "\nraise RuntimeError('edited')\n")
    try:
        done = fresh_project.run(*SAMPLE, str(tmp_path / "edited.nc"), **{VARIABLE: path})
        assert "RuntimeError: edited" in done.stderr
    finally:
        module.write_text(before)


def test_one_that_is_dismissed_was_never_there(no_worker):
    before = set(psutil.Process().children())
    worker_module.prepare()
    (server,) = set(psutil.Process().children()) - before
    wait_until(server.cmdline)  # a new process has none for a moment
    path = Path(server.cmdline()[-1])
    assert VARIABLE not in os.environ
    worker_module.dismiss()
    assert not server.is_running()
    assert not path.parent.exists()
    worker_module.dismiss()


def test_a_job_reports_its_own_status_when_the_worker_is_killed(fresh_project, tmp_path, starter_of_worker):
    """Snakemake deletes the output of a job whose command fails."""
    starter, path = starter_of_worker
    target = tmp_path / "it.nc"
    client = begun(fresh_project, path, 3000000, target)
    (server,) = (one for one in psutil.Process(starter.pid).children() if path in one.cmdline())
    server.send_signal(signal.SIGKILL)
    wait_until(lambda: server.status() == psutil.STATUS_ZOMBIE)  # the process that started it does not wait for it
    assert not target.exists()
    assert client.wait(timeout=60) == 0
    assert target.exists()
    failing = fresh_project.run("twolayer", "check", "fig99", **{VARIABLE: path})
    assert failing.returncode == 2  # nobody listens any more: the command starts by itself


def test_a_request_that_the_worker_never_began_is_done_by_the_client(fresh_project, tmp_path):
    """The worker is killed between accepting a connection and starting the job."""
    folder = tmp_path / "s"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "worker"))
        listener.listen(1)
        paths = {"PYTHONPATH": str(fresh_project.root / "src"), VARIABLE: str(folder / "worker")}
        client = subprocess.Popen(
            [*SAMPLE, str(tmp_path / "it.nc")], cwd=fresh_project.root, env=os.environ | paths, stderr=subprocess.PIPE
        )
        line, _ = listener.accept()
        line.recv(SIZE.size)
        line.close()
        assert client.wait(timeout=60) == 0
    assert (tmp_path / "it.nc").exists()


@pytest.mark.parametrize("length", [85, 150])
def test_a_long_folder_for_temporary_files(fresh_project, tmp_path, length):
    """A socket of the worker fits in a path of about 100 bytes."""
    long = tmp_path / ("t" * max(length - len(str(tmp_path)) - 1, 1))
    long.mkdir()
    program = "import os; from twolayer.pipeline.jobs import worker; worker.start(); "
    program += "print(os.stat(os.environ[worker.VARIABLE]).st_uid)"
    paths = {"PYTHONPATH": str(fresh_project.root / "src"), "TMPDIR": str(long)}
    environment = without_worker() | paths
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{os.getuid()}\n", "")


def test_no_folder_for_the_socket_costs_a_sentence(no_worker, monkeypatch, capsys):
    monkeypatch.setattr(worker_module, "short_folder", lambda longest: None)
    worker_module.start()
    assert VARIABLE not in os.environ
    assert capsys.readouterr().err.startswith("each job starts a new process")


def test_it_ends_with_who_started_it_and_nobody_misses_it(fresh_project, worker, tmp_path):
    starter, path = worker
    starter.kill()
    starter.wait()
    wait_until(lambda: not os.path.exists(path))
    assert fresh_project.run(*SAMPLE, str(tmp_path / "cold.nc"), **{VARIABLE: path}).returncode == 0

"""Commands that a warm process does are the same as those that start by themselves."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from twolayer import io
from twolayer.pipeline import warm as warm_module
from twolayer_command import SIZE, VARIABLE

pytestmark = pytest.mark.slow

STARTER = """
import os, time
from twolayer.pipeline import warm
warm.start()
print(os.environ[warm.VARIABLE], flush=True)
time.sleep(300)
"""
SAMPLE = ("twolayer", "run", "mixture_sample", "--params", '{"sigma": 0.2, "samples": 9, "seed": 1}', "--output")


@pytest.fixture(scope="module")
def warm(fresh_project):
    """A warm process, its socket, and the process that it ends with."""
    paths = {"PYTHONPATH": str(fresh_project.root / "src")}
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER], env=os.environ | paths, stdout=subprocess.PIPE, text=True
    )
    yield starter, starter.stdout.readline().strip()
    starter.kill()


def test_the_same_results_and_streams(fresh_project, warm, tmp_path):
    _, path = warm
    results = {}
    for name, environment in (("cold", {VARIABLE: ""}), ("warm", {VARIABLE: path})):
        done = fresh_project.run(*SAMPLE, str(tmp_path / f"{name}.nc"), **environment)
        assert done.returncode == 0
        assert "mixture_sample ends after" in done.stderr
        results[name] = io.read(tmp_path / f"{name}.nc")
    assert results["cold"].identical(results["warm"].assign_attrs(results["cold"].attrs))


def test_the_same_errors_and_status(fresh_project, warm):
    _, path = warm
    done = fresh_project.run("twolayer", "verdict", "fig99", **{VARIABLE: path})
    assert (done.returncode, done.stderr.split(":")[:2]) == (2, ["error", " unknown figure 'fig99'"])
    assert fresh_project.run("twolayer", "--version", **{VARIABLE: path}).returncode == 0


def test_who_waits_takes_its_work_along(fresh_project, warm, tmp_path):
    _, path = warm
    target = tmp_path / "it.nc"
    command = [*SAMPLE[:4], '{"sigma": 0.2, "samples": 20000000, "seed": 1}', "--output", str(target)]
    paths = {"PYTHONPATH": str(fresh_project.root / "src"), VARIABLE: path}
    client = subprocess.Popen(command, env=os.environ | paths, stderr=subprocess.PIPE, text=True)
    assert "starts" in client.stderr.readline()
    client.send_signal(signal.SIGKILL)
    client.wait()
    time.sleep(0.5)
    assert not subprocess.run(["pgrep", "-f", str(target)], capture_output=True).stdout
    time.sleep(3)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "said", [b"", b"\x08", SIZE.pack(1000) + b"{"], ids=["nothing", "half a length", "half a request"]
)
def test_it_outlives_who_is_killed_while_asking(fresh_project, warm, tmp_path, said):
    """A result says how much memory its process took at its peak only where no warm process made it."""
    _, path = warm
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(said)
    assert fresh_project.run(*SAMPLE, str(tmp_path / "it.nc"), **{VARIABLE: path}).returncode == 0
    assert "peak_memory_mb" not in io.read(tmp_path / "it.nc").attrs
    assert os.path.exists(path)


def test_it_does_not_keep_a_program_that_was_edited(fresh_project, warm, tmp_path):
    """A result that is newer than an edit counts as made by the edited program."""
    _, path = warm
    assert fresh_project.run("twolayer", "--version", **{VARIABLE: path}).returncode == 0  # so it has loaded all
    module = fresh_project.own("src/twolayer/experiments/mixtures/mixture_sample.py")
    before = module.read_text()
    module.write_text(before + "\nraise RuntimeError('edited')\n")
    try:
        done = fresh_project.run(*SAMPLE, str(tmp_path / "edited.nc"), **{VARIABLE: path})
        assert "RuntimeError: edited" in done.stderr
    finally:
        module.write_text(before)


def test_one_that_is_dismissed_was_never_there(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    warm_module.prepare()
    ((server, path),) = warm_module._prepared
    assert VARIABLE not in os.environ
    warm_module.dismiss()
    assert server.returncode == -signal.SIGKILL
    assert not path.parent.exists()
    warm_module.dismiss()


def test_it_ends_with_who_started_it_and_nobody_misses_it(fresh_project, warm, tmp_path):
    starter, path = warm
    starter.kill()
    starter.wait()
    for _ in range(100):
        if not os.path.exists(path):
            break
        time.sleep(0.1)
    assert not os.path.exists(path)
    assert fresh_project.run(*SAMPLE, str(tmp_path / "cold.nc"), **{VARIABLE: path}).returncode == 0

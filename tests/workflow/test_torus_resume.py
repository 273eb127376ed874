"""A descent on the torus that is killed goes on, to the same numbers."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest
from small_project import ROOT, Project

from twolayer import io

pytestmark = pytest.mark.slow

PARAMS = {
    "gamma": 100,
    "ridge": 0.01,
    "width": 24,
    "seed": 0,
    "device": "cpu",
    "samples": 256,
    "teacher_width": 64,
    "descent": {"iterations": 5_000, "every": 500},
    "snapshots": [0, 2_500],
}


def start(output):
    options = ["--params", json.dumps(PARAMS), "--output", str(output), "--threads", "1"]
    command = ["twolayer", "run", "torus_descent", *options]
    return subprocess.Popen(command, env=Project(ROOT).environment(), stderr=subprocess.PIPE, text=True)


def finish(output):
    with start(output) as process:
        _, log = process.communicate()
    assert process.returncode == 0, log
    return log


def test_sigkill(tmp_path):
    killed, straight = tmp_path / "killed.nc", tmp_path / "straight.nc"
    kept = killed.with_suffix(".checkpoint.safetensors")
    with start(killed) as process:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not killed.exists()
    assert "continued at iteration" in finish(killed)
    assert not kept.exists()
    assert "continued" not in finish(straight)
    found, expected = (io.read(path, task="torus_descent") for path in (killed, straight))
    for name in expected.data_vars:
        np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=name)

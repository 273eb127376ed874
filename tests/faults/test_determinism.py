"""Every task twice, with one thread and with two, on the smallest of its quick runs whose inputs are there.

`TWOLAYER_THREADS=2 pytest tests/faults/test_determinism.py` after `make figures`; the tally is in docs/reliability.md.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_project import ROOT

from twolayer import io
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import Catalogue

PROGRAM = str(Path(sys.executable).parent / "twolayer")
CATALOGUE = Catalogue.load(ROOT, environment={})

# What several threads add up in another order is the same to rounding, which a training makes grow: in single
# precision, and where an optimum is found by steps, to this relative error of the largest value.
ROUNDING = 1e-9
THREADS = int(os.environ.get("TWOLAYER_THREADS", "0"))  # of the second run
LOOSER = {"image_training": 1e-2, "conditional_gan": 1e-2, "trained_generator": 1e-2, "trained_flow": 1e-2}


def smallest(task):
    """The cheapest quick run of a task whose inputs have been made; None where there is none."""
    runs = [
        run
        for (scale, study, _), run in CATALOGUE.runs.items()
        if scale == "quick"
        and run.task == task
        and all((ROOT / CATALOGUE.run(scale, study, source).path).exists() for source in run.inputs.values())
    ]
    return min(runs, key=lambda run: run.minutes, default=None)


def made(run, threads, path):
    """The result of a run in a process of its own."""
    inputs = [f"{role}={CATALOGUE.run('quick', run.study, source).path}" for role, source in run.inputs.items()]
    inputs += [f"images={CATALOGUE.image_folder('quick')}"] if run.images else []
    words = [word for given in inputs for word in ("--input", given)]
    command = [PROGRAM, "run", run.task, "--params", run.params, *words, "--output", path, "--threads", str(threads)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"TWOLAYER_WARM": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return io.read(path)


@pytest.mark.slow
@pytest.mark.skipif(not THREADS, reason="takes minutes: only where TWOLAYER_THREADS is set")
@pytest.mark.parametrize("task", sorted(TASKS))
def test_with_one_thread_and_with_more(task, tmp_path):
    run = smallest(task)
    if run is None:
        pytest.skip("the results that it needs are missing: `make figures`")
    one, two = (made(run, threads, tmp_path / f"{threads}.nc") for threads in (1, THREADS))
    apart = {}
    for name, variable in one.variables.items():
        if not np.issubdtype(variable.dtype, np.floating):
            assert np.array_equal(variable, two[name]), name
        elif variable.size:
            scale = np.max(np.abs(variable.values)) or 1.0
            apart[name] = float(np.max(np.abs(variable.values - two[name].values)) / scale)
    worst = max(apart, key=apart.get, default=None)
    print(f"{task}: {apart.get(worst, 0.0):.1e} in {worst}")
    assert worst is None or apart[worst] <= LOOSER.get(task, ROUNDING), f"{worst} of {run.name}"

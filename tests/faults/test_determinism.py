"""Run every task with one thread and with two, on its smallest quick run whose inputs exist.

A task without a quick run gets arrays or a mixture. `TWOLAYER_THREADS=2 pytest tests/faults/test_determinism.py -s`
after `make figures` prints a line for each task. The summary is in docs/reference/reliability.md.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_project import CATALOGUE, ROOT

from twolayer import io
from twolayer.experiments import TASKS

PROGRAM = str(Path(sys.executable).parent / "twolayer")

# What several threads add up in another order is the same to rounding, relative to the largest value of a variable: in
# double precision, and in single precision where a task computes in that. What states an error of its own is left out.
ROUNDING = 1e-9
SINGLE = dict.fromkeys(
    ("conditional_outputs", "convolutional_generator", "image_theory", "one_step_theory", "published_generator"), 1e-5
)
# Rounding grows from step to step of a training, or of a search for a maximum. Another result follows that is as good.
# With the same number of threads it has the same bits.
TRAININGS = {name for name, task in TASKS.items() if task.training} | {"sliced_maximum"}
# Steps by the definitions use sums in double precision. These depend on the addresses of arrays in memory.
DEFINITIONS = {"first_risk", "reference_risk", "confidence", "reference_confidence"}
PUBLISHED = {"published_generator", "published_conditional_gan"}  # files of their authors, read as they are
# Tasks without a quick run: parameters, and the run of each input as (study, name).
PROBLEM = '"problem": {"sample_ratios": [0.5, 2], "ridges": [0.1], "losses": ["square", "logistic"]}'
WITHOUT_A_RUN = {
    "bayes_error": ('{"sigma": [0.3]}', {"mixture": ("mixtures", "mixture_xor")}),
    "dense_generator": ('{"widths": [20, 30, 40]}', {}),
    "escape_time": (
        '{"activation": "erf", "dimension": 100, "learning_rate": 0.2, "last_time": 20, "seeds": 4}',
        {},
    ),
    "mixture_learning": (f'{{{PROBLEM}, "seeds": 2}}', {"mixture": ("mixtures", "mixture_xor")}),
    "mixture_replica": (f"{{{PROBLEM}}}", {"mixture": ("mixtures", "mixture_xor")}),
    "optimal_ridge": (
        f"{{{PROBLEM.replace('[0.1]', '[0.01, 10]')}}}",
        {"feature_covariances": ("gaussian_equivalence", "isotropic")},
    ),
}
THREADS = int(os.environ.get("TWOLAYER_THREADS", "0"))  # of the second run


def smallest(task):
    """Return the cheapest quick run of a task whose inputs exist, or None."""
    runs = [
        run
        for (scale, study, _), run in CATALOGUE.runs.items()
        if scale == "quick"
        and run.task == task
        and all((ROOT / CATALOGUE.run(scale, study, source).path).exists() for source in run.inputs.values())
    ]
    return min(runs, key=lambda run: run.minutes, default=None)


def arguments(task, folder):
    """Parameters in JSON and inputs of a task; None where its inputs are missing."""
    run = smallest(task)
    if run is not None:
        inputs = {role: CATALOGUE.run("quick", run.study, source).path for role, source in run.inputs.items()}
        return run.params, inputs | ({"images": CATALOGUE.image_folder(run)} if run.images else {})
    if arrays := TASKS[task].arrays:
        numbers = np.random.default_rng(0).standard_normal
        drawn = {"features": numbers((400, 30)), "inputs": numbers((60, 5)) / 5, "labels": np.sign(numbers(400))}
        drawn["targets"] = np.tanh(drawn["inputs"][:, 0])
        required = [name for name in arrays if not name.endswith("?")]
        for name in required:
            np.save(folder / f"{name}.npy", drawn[name])
        return "{}", {name: folder / f"{name}.npy" for name in required}
    params, sources = WITHOUT_A_RUN[task]
    paths = {name: Path(CATALOGUE.run("quick", *source).path) for name, source in sources.items()}
    return (params, paths) if all((ROOT / path).exists() for path in paths.values()) else None


def made(task, given, threads, path):
    """The result of a task in a process of its own."""
    params, inputs = given
    words = [word for name, source in inputs.items() for word in ("--input", f"{name}={source}")]
    command = [PROGRAM, "run", task, "--params", params, *words, "--output", path, "--threads", str(threads)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"TWOLAYER_WORKER": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return io.read(path)


def classes_of_the_page():
    """Return the names of the tasks in each row of the table of determinism."""
    text = (ROOT / "docs" / "reference" / "reliability.md").read_text().partition("## Determinism")[2]
    rows = re.findall(r"(?m)^\| ([^|]*) \| (`.*`) \|$", text)
    return {label: re.findall(r"`(\w+)`", names) for label, names in rows}


def test_the_page_has_every_task_once():
    rows = classes_of_the_page()
    _, same_threads, _, single, *_ = rows.values()
    assert sorted(name for names in rows.values() for name in names) == sorted(set(TASKS) - PUBLISHED)
    assert set(same_threads) == TRAININGS
    assert set(single) == set(SINGLE) - PUBLISHED


@pytest.mark.slow
@pytest.mark.skipif(not THREADS, reason="takes minutes: only where TWOLAYER_THREADS is set")
@pytest.mark.parametrize("task", sorted(set(TASKS) - PUBLISHED))
def test_with_one_thread_and_with_more(task, tmp_path):
    given = arguments(task, tmp_path)
    if given is None:
        pytest.skip("the results that it needs are missing: `make figures`")
    threads = 1 if task in TRAININGS else THREADS
    one, two = made(task, given, 1, tmp_path / "one.nc"), made(task, given, threads, tmp_path / "two.nc")
    apart = {name: distance(one[name].values, two[name].values) for name in one.variables if "compression" not in name}
    worst = max(apart, key=apart.get)
    print(f"{task}: {apart[worst]:.1e} in {worst}")
    for name, difference in apart.items():
        exact = task in (*TRAININGS, *classes_of_the_page()["identical"]) and name not in DEFINITIONS
        assert difference <= (0 if exact else SINGLE.get(task, ROUNDING)), f"{name} of {given}"


def distance(one, other):
    """Largest difference of two arrays, relative to the largest value."""
    if not np.issubdtype(one.dtype, np.floating):
        return 0.0 if np.array_equal(one, other) else np.inf
    differ = one != other  # infinite values that are equal have no difference
    return float(np.max(np.abs(one[differ] - other[differ]), initial=0.0)) / (np.max(np.abs(one), initial=0.0) or 1.0)

"""The workflow on a SLURM cluster: what is well, what fails, and what is interrupted.

`make test-cluster` starts a cluster of one node for them (tests/cluster/slurm.sh) and ends it.
"""

import getpass
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from small_project import ROOT, Project

from twolayer import io

PROFILE = ("--profile", "workflow/profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
ENDLESS = {
    "task": "order_parameter_sgd",
    "inputs": {"mixture": "xor"},
    "params": {
        "student": {"activation": "relu", "hidden_units": 4, "dimension": 1000},
        "schedule": {"learning_rate": 0.1, "last_time": 1e8, "measurements": 4},
        "log2_nodes": 8,
    },
    "minutes": {"paper": 9, "quick": 9},  # so that it travels alone
    "mem_mb": 200,
}
XOR = {"task": "isotropic_mixture", "params": {"sigma": 0.5}, "minutes": {"paper": 0.1, "quick": 0.1}, "mem_mb": 100}
GREEDY = {  # more at its peak than is stated
    "task": "mixture_sample",
    "params": {"sigma": 0.2, "samples": 2_000_000},
    "minutes": {"paper": 9, "quick": 9},
    "mem_mb": 10,
}
BROKEN = '''"""A figure that cannot be drawn."""

from twolayer.figures.checks import NUMERICS, at_most


def draw(r):
    """Nothing."""
    raise RuntimeError("this figure cannot be drawn")


def checks(r):
    """One that passes."""
    yield at_most(r["xor_sample"].points, 100, "bounded", compared=NUMERICS, source="nothing")
'''

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif("SLURM_CONF" not in os.environ, reason="no cluster for tests: `make test-cluster`"),
]


@pytest.fixture
def project(fresh_project, tmp_path):
    """The small project, nothing made yet, with a run that never ends and one that needs more memory than it states."""
    copy = fresh_project.copy(tmp_path / "project")
    copy.edit("config/mixtures.yaml", lambda study: study["runs"].update(xor=XOR, endless=ENDLESS, greedy=GREEDY))
    yield copy
    subprocess.run(["scancel", "--user", getpass.getuser()], check=True)


def submit(project, *arguments, partition="long"):
    """Snakemake with the profile for SLURM."""
    defaults = (f"slurm_partition={partition}", "mem_mb=1000", "runtime=20")
    command = ["snakemake", *PROFILE, *arguments, "--default-resources", *defaults]
    return subprocess.run(
        command, cwd=project.root, env=environment(project), capture_output=True, text=True, timeout=900
    )


def environment(project):
    """Return the environment of a user. A fork of this process would escape the memory limit of the cluster."""
    return os.environ | {"PYTHONPATH": str(project.root / "src")}


def queue(*states):
    """Numbers of the jobs in these states, or of all that run or wait."""
    wanted = [f"--states={','.join(states)}"] if states else []
    return subprocess.run(
        ["squeue", "--noheader", "--format=%A", *wanted], capture_output=True, text=True
    ).stdout.split()


def start(project, *arguments):
    """Snakemake with the profile for SLURM, in the background."""
    command = ["snakemake", *PROFILE, *arguments, "--default-resources", "slurm_partition=long"]
    log = (project.root / "snakemake.log").open("w")
    return subprocess.Popen(command, cwd=project.root, env=environment(project), stdout=log, stderr=log)


def start_endless(project):
    """The same, once its one job runs."""
    process = start(project, "results/quick/mixtures/order_parameter_sgd/endless.nc")
    wait_until((project.root / "results/quick/logs/mixtures/order_parameter_sgd/endless.log").exists)
    return process


def wait_until(happened, seconds=90):
    """Wait until something happened, and fail after a time limit."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.2)


@pytest.mark.parametrize("names", [("fig5",), ("fig13", "fig27", "fig40")], ids=["one_figure", "other_studies"])
def test_a_figure_of_each_study(tmp_path, names):
    project = Project(tmp_path)
    for name in ("Snakefile", "workflow", "config", "src", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    figures = [tmp_path / f"figures/quick/{name}.pdf" for name in names]
    done = submit(project, *map(str, [figure.relative_to(tmp_path) for figure in figures]))
    assert done.returncode == 0, done.stderr
    assert all(figure.read_bytes().startswith(b"%PDF") for figure in figures)
    # for each figure one for its runs, one for itself; two share runs with figures that come before them
    assert done.stderr.count("has been submitted with SLURM jobid") <= 2 * len(figures) + 2


def test_what_fails_and_what_does_not(project):
    study = "src/twolayer/figures/mixtures"
    (project.root / study / "broken.py").write_text(BROKEN)
    notebook = (project.root / "workflow/notebooks/fig1.py").read_text()
    (project.root / "workflow/notebooks/broken.py").write_text(notebook.replace("fig1", "broken"))
    broken = {"paper_figure": "-", "title": "A figure", "runs": ["xor_sample"]}
    project.edit("config/mixtures.yaml", lambda study: study["figures"].update(broken=broken))
    results = "results/quick/mixtures"
    done = submit(
        project,
        *("figures/quick/fig1.pdf", "figures/quick/broken.pdf"),
        *(f"{results}/order_parameter_sgd/endless.nc", f"{results}/mixture_sample/greedy.nc"),
        *("--set-resources", "order_parameter_sgd:runtime=1", "--retries", "1"),
    )
    assert done.returncode == 1
    assert (project.root / "figures/quick/fig1.pdf").exists()
    assert f"FAILED: {results}/mixture_sample/greedy.nc" in done.stderr  # killed, and made at the second attempt
    assert (project.root / f"{results}/mixture_sample/greedy.nc").exists()
    failed = {line for line in done.stderr.splitlines() if line.startswith("failed: ")}
    chain = "mixtures/order_parameter_sgd/endless"
    assert failed == {
        "failed: figures/quick/broken.pdf, see results/quick/logs/figures/broken.log",
        f"failed: results/quick/{chain}.nc, see results/quick/logs/{chain}.log",
    }


def test_control_c_cancels_the_jobs(project):
    process = start_endless(project)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    wait_until(lambda: not queue())


def test_groups_killed_again_and_again_end_with_the_same_numbers(fresh_project, made_project, project, tmp_path):
    """Several runs work in parallel, because Snakemake mostly waits for SLURM."""
    kills = int(os.environ.get("TWOLAYER_KILLS", "5"))
    result = "results/quick/mixtures/online_sgd/sgd.nc"
    rng = np.random.default_rng(0)
    same = [f"{task}:{need}" for task in ("online_sgd", "random_mixture") for need in ("mem_mb=600", "runtime=20")]
    projects = [project, *(fresh_project.copy(tmp_path / f"other_{number}") for number in range(kills // 10))]
    words = (result, "--retries", str(kills + 3), "--set-resources", *same)
    running = [start(one, *words) for one in projects]
    while kills > 0 and any(process.poll() is None for process in running):
        time.sleep(rng.uniform(1, 8))
        for job in queue("RUNNING"):
            subprocess.run(["scancel", "--signal=KILL", "--full", job], check=True)
            kills -= 1
    assert kills <= 0
    assert [process.wait(timeout=600) for process in running] == [0] * len(projects)
    expected = io.read(made_project.root / result)
    for one in projects:
        assert list((one.root / ".snakemake" / "slurm_logs").glob("group_quick_fig1_*"))
        found = io.read(one.root / result)
        for name in expected.variables:
            np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=name)


def test_an_orphan_is_named_and_nothing_is_submitted_beside_it(project):
    process = start_endless(project)
    process.kill()
    process.wait()
    (job,) = queue()
    refused = project.run("twolayer", "recover")
    assert refused.returncode == 2
    assert job in refused.stderr
    subprocess.run(["scancel", job], check=True)
    wait_until(lambda: not queue())
    assert project.run("twolayer", "recover").returncode == 0
    assert submit(project, "results/quick/mixtures/mixture_sample/xor_sample.nc").returncode == 0


def test_a_partition_that_is_not_there(project):
    done = submit(project, "figures/quick/fig1.pdf", partition="nope")
    assert done.returncode == 1
    assert "error: slurm_partition is 'nope', which is not a partition of this cluster: set it in" in done.stderr
    assert not queue()

"""Kills at any moment, full disks: nothing is lost, nothing half-written is taken for whole.

`KILLS` a kind; the summary is in docs/reference/reliability.md.
"""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time

import numpy as np
import psutil
import pytest
import xarray as xr
from PIL import Image
from small_project import PROGRAMS, ROOT, Project

from twolayer import io
from twolayer.errors import ConfigError, ResultError
from twolayer.experiments import TASKS, digests
from twolayer.parameters import parse
from twolayer.pipeline.jobs import recovery
from twolayer.pipeline.report.checks import check_results
from twolayer.storage.checkpoint import Checkpoint
from twolayer.storage.files import replacing

KILLS = int(os.environ.get("TWOLAYER_KILLS", "2"))
COLD = {"TWOLAYER_WORKER": "", "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}  # each command a process of its own
RECOVER = PROGRAMS / "twolayer"  # `twolayer recover` lists the processes of a project
TRAINING = {
    "optimizer": "sgd",
    "batch_size": 8,
    "learning_rate": 0.1,
    "seed": 0,
    "device": "cpu",
    "epochs": 30,
    "final_epochs": 1,
    "layers": 8,
    "dataset": "cifar-10-subset",
}
LONG = {
    "task": "mixture_sample",
    "params": {"sigma": 0.2, "samples": 30_000_000, "seed": 1},
    "minutes": {"paper": 1, "quick": 1},
    "mem_mb": 4000,
}


def pictures(root, seed=0):
    """A data root with two training images and one test image of each class."""
    folder = root / "cifar-10-subset"
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in (("train", 2), ("test", 1)):
        pixels = np.random.default_rng(seed).integers(0, 256, size=(320, 32 * count, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{split}.webp", lossless=True)
    return root


def started(task, params, output, images=None):
    """A task, forked; where it is killed, it has ended when its log has."""
    given = ["--input", f"images={images}"] if images else []
    command = [
        "twolayer",
        "run",
        task,
        "--params",
        json.dumps(params),
        *given,
        "--output",
        str(output),
        "--threads",
        "1",
    ]
    return subprocess.Popen(command, env=Project(ROOT).environment(), stderr=subprocess.PIPE, text=True)


def finished(*arguments):
    """Return the log of a task that is not interrupted."""
    with started(*arguments) as process:
        _, log = process.communicate()
    assert process.returncode == 0, log
    return log


def assert_same(found, expected):
    for name in expected.variables:
        np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=name)


@pytest.mark.slow
def test_a_killed_job_leaves_a_whole_result_or_none(tmp_path):
    params = {"sigma": 0.2, "samples": 200_000, "seed": 1}
    expected = tmp_path / "expected.nc"
    for _ in range(2):  # the first may wait for the process that forks
        begin = time.perf_counter()
        finished("mixture_sample", params, expected)
        takes = time.perf_counter() - begin
    rng, whole = np.random.default_rng(0), 0
    for _ in range(KILLS):
        output = tmp_path / "jobs" / "it.nc"
        with started("mixture_sample", params, output) as process:
            time.sleep(takes * rng.uniform(0.1, 1.1))
            process.kill()
            process.communicate()
        if output.exists():
            assert_same(io.read(output), io.read(expected))
            output.unlink()
            whole += 1
    assert whole < KILLS


@pytest.mark.slow
def test_a_training_killed_again_and_again_ends_with_the_same_bits(tmp_path):
    images = pictures(tmp_path / "images")
    straight, killed = tmp_path / "straight.nc", tmp_path / "killed.nc"
    finished("image_training", TRAINING, straight, images)
    kept, rng, resumed = killed.with_suffix(".checkpoint.safetensors"), np.random.default_rng(0), 0
    for _ in range(KILLS):
        with started("image_training", TRAINING, killed, images) as process:
            before = kept.stat().st_mtime_ns if kept.exists() else 0
            while process.poll() is None and (not kept.exists() or kept.stat().st_mtime_ns == before):
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.3))
            process.kill()
            _, log = process.communicate()
        resumed += "continued after epoch" in log
        if killed.exists():
            assert_same(io.read(killed), io.read(straight))
            killed.unlink()
    finished("image_training", TRAINING, killed, images)
    assert_same(io.read(killed), io.read(straight))
    assert resumed > KILLS / 4


@pytest.mark.slow
def test_a_killed_snakemake_is_recovered_from(fresh_project, made_project, tmp_path):
    project = fresh_project.copy(tmp_path / "killed")
    result = "results/quick/mixtures/online_sgd/sgd.nc"
    targets = [result, "results/quick/mixtures/mixture_sample/xor_sample.nc", "results/quick/checks/fig1.json"]
    rng = np.random.default_rng(0)
    begin = time.perf_counter()
    assert project.snakemake("--dry-run", *targets).returncode == 0
    starts = time.perf_counter() - begin
    for _ in range(KILLS):
        command = ["snakemake", "--cores", "2", *targets]
        with subprocess.Popen(
            command, cwd=project.root, env=project.environment(), stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(starts * rng.uniform(0.5, 3))
            kill_alone(process, project.root)
        until_recovered(project)
        for path in project.root.rglob("*.nc"):
            assert_same(io.read(path), io.read(made_project.root / path.relative_to(project.root)))
        if (project.root / targets[-1]).exists():
            shutil.rmtree(project.root / "results")
    done = project.snakemake("--cores", "2", *targets)
    assert done.returncode == 0, done.stderr
    judged, expected = (check_results.read(root / targets[-1]).outcomes for root in (project.root, made_project.root))
    assert judged == expected


def kill_alone(snakemake, root):
    """Kill a forked Snakemake, but not the jobs that it has; one that has any has left word of its own number."""
    notes = list((root / "results" / ".running").glob("*"))
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(notes[0].name.rpartition("-")[2]) if notes else snakemake.pid, signal.SIGKILL)


def until_recovered(project):
    """Recover as soon as the jobs that outlived Snakemake have ended."""
    for _ in range(60):
        done = project.run(RECOVER, "recover")
        if done.returncode == 0:
            return
        assert "error: still runs: process" in done.stderr
        time.sleep(1)
    raise AssertionError(done.stderr)


@pytest.mark.slow
def test_recovery_waits_for_what_still_runs(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit("config/mixtures.yaml", lambda study: study["runs"].update(long=LONG))
    target = "results/quick/mixtures/mixture_sample/long.nc"
    environment = project.environment(**COLD)
    with subprocess.Popen(
        ["snakemake", "--cores", "1", target], cwd=project.root, env=environment, stderr=subprocess.DEVNULL
    ) as process:
        while not (orphans := jobs_in(project.root)):
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    try:
        assert "LockException" in project.snakemake("--cores", "1", target).stderr
        refused = project.run(RECOVER, "recover")
        assert refused.returncode == 2
        assert f"process {orphans[0].pid} (" in refused.stderr
        assert f"end it with `kill {' '.join(str(one.pid) for one in jobs_in(project.root))}`" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    finally:
        for one in reversed(jobs_in(project.root)):
            one.kill()
    time.sleep(0.5)
    (project.root / "results" / ".partial-elsewhere-1-a.nc").touch()
    done = project.run(RECOVER, "recover")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("unlocked, and 1 partial files of killed jobs removed")
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["long"]["params"].update(samples=10))
    done = project.snakemake("--cores", "1", target)
    assert done.returncode == 0, done.stderr
    assert not list((project.root / "results" / ".running").iterdir())


def jobs_in(root):
    """Processes of the tasks that run in a project."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(root) and str(PROGRAMS / "twolayer") in process.cmdline()[:2]:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def test_recovery_asks_for_the_other_machine(tmp_path):
    recovery.note_start(tmp_path)
    (tmp_path / "results" / ".running" / "login-2-123").touch()
    with pytest.raises(ConfigError, match="Snakemake was also started on login-2: call `make recover` there"):
        recovery.recover(tmp_path)
    recovery.note_end(tmp_path)
    assert [path.name for path in (tmp_path / "results" / ".running").iterdir()] == ["login-2-123"]


SQUEUE = """#!/bin/sh
echo "7|/somewhere/else|rule_other"
echo "8|{root}|rule_online_sgd_wildcards_quick_gmm_sgd"
"""


def test_recovery_looks_into_the_queue_of_a_cluster(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "squeue"
    program.write_text(SQUEUE.format(root=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    (tmp_path / ".snakemake" / "slurm_logs").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"SLURM job 8 \(rule_online_sgd_.*: wait for it, or end it with `scancel 8`"):
        recovery.recover(tmp_path)
    program.write_text("#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n")
    with pytest.raises(ConfigError, match=r"squeue fails .*Unable to contact slurm controller.*: try again"):
        recovery.recover(tmp_path)


def test_partial_files_say_who_writes_them(tmp_path):
    with replacing(tmp_path / "a.nc") as partial:
        assert re.fullmatch(
            rf"\.partial-{re.escape(socket.gethostname())}-{os.getpid()}-[0-9a-f]{{16}}-a\.nc", partial.name
        )
        partial.touch()


def origin(images, **params):
    task = TASKS["image_training"]
    config = parse(task.parameters, params, "here")
    return digests.origin_of(task, config, digests.digests_of(task, config, {"images": images}))


def test_a_checkpoint_depends_on_images_parameters_and_libraries(tmp_path, monkeypatch):
    one, other = pictures(tmp_path / "one", seed=1), pictures(tmp_path / "other", seed=2)
    kept = origin(one, **TRAINING)
    assert origin(one, **TRAINING) == kept
    assert origin(other, **TRAINING) != kept
    assert origin(one, **TRAINING | {"seed": 1}) != kept
    monkeypatch.setattr(digests, "library_versions", lambda: {"version_torch": "0"})
    assert origin(one, **TRAINING) != kept


@pytest.mark.slow
def test_a_training_does_not_go_on_on_other_images(tmp_path):
    images, output = pictures(tmp_path / "images"), tmp_path / "it.nc"
    kept = output.with_suffix(".checkpoint.safetensors")
    with started("image_training", TRAINING, output, images) as process:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.communicate()
    pictures(tmp_path / "images", seed=1)
    log = finished("image_training", TRAINING, output, images)
    assert "belongs to other parameters, inputs or libraries, or another program: starting from the beginning" in log
    assert "continued" not in log


@pytest.fixture
def small_disk(tmp_path):
    """A folder that holds 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def assert_refused_and_whole(path, write):
    """A file is not replaced by what does not fit, and nothing else is left."""
    before = path.read_bytes()
    with pytest.raises(ResultError, match=r"cannot be written \(No space left on device\): free some space") as caught:
        write()
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_the_limit_of_file_sizes_has_its_own_remedy(tmp_path):
    result, small = tmp_path / "a.nc", xr.Dataset({"error": ("sigma", np.ones(3))})
    large = io.made_by(xr.Dataset({"error": ("sigma", np.ones(100_000))}), "fixed_point", "{}", 1.0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        io.write(io.made_by(small, "fixed_point", "{}", 1.0), result)
        with pytest.raises(ResultError, match=r"\(File too large\): raise the limit of file sizes with `ulimit -f`"):
            io.write(large, result)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    io.write(large, result)


def test_a_full_disk_is_a_sentence_and_what_was_there_stays(small_disk):
    result, small = small_disk / "a.nc", xr.Dataset({"error": ("sigma", np.ones(3))})
    io.write(io.made_by(small, "fixed_point", "{}", 1.0), result)
    large = io.made_by(xr.Dataset({"error": ("sigma", np.ones(100_000))}), "fixed_point", "{}", 1.0)
    assert_refused_and_whole(result, lambda: io.write(large, result))
    result.unlink()
    checkpoint, kept = Checkpoint(result, "origin"), small_disk / "a.checkpoint.safetensors"
    checkpoint.write({"weights": np.ones(3)})
    assert_refused_and_whole(kept, lambda: checkpoint.write({"weights": np.ones(100_000)}))


@pytest.mark.slow
@pytest.mark.parametrize("logged_there", [False, True])
def test_a_task_on_a_full_disk(small_disk, logged_there):
    log = small_disk / "log"
    (small_disk / "fill").write_bytes(bytes(400_000 if logged_there else 300_000))
    params = json.dumps({"sigma": 0.2, "samples": 10_000, "seed": 1})
    with open(log if logged_there else small_disk.parent / "log", "w+") as stream:
        done = subprocess.run(
            ["twolayer", "run", "mixture_sample", "--params", params, "--output", str(small_disk / "a.nc")],
            cwd=small_disk.parent,
            env=Project(ROOT).environment(),
            stderr=stream,
        )
        stream.seek(0)
        lines = stream.read().splitlines()
    assert done.returncode == 2
    assert not (small_disk / "a.nc").exists()
    assert "Traceback" not in "".join(lines)
    if not logged_there:
        assert len(lines) == 2
        assert lines[1].startswith("error: ")
        assert lines[1].endswith("(No space left on device): free some space, or give another path")


@pytest.mark.parametrize("place", ["folder", "file/a.nc", "a" * 300, "a\0.nc"])
def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ResultError, match=r"give (the path of a file|another path|a shorter path)$"):
        io.check_writable(tmp_path / place)


def test_the_readme_says_how_to_recover():
    assert "make recover" in (ROOT / "README.md").read_text()

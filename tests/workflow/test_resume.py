"""A training that is killed goes on, to the same numbers."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_project import PROGRAMS

from twolayer import io

pytestmark = pytest.mark.slow

PARAMS = {
    "optimizer": "shampoo",
    "batch_size": 8,
    "learning_rate": 0.1,
    "seed": 0,
    "device": "cpu",
    "epochs": 6,
    "final_epochs": 1,
    "layers": 8,
    "dataset": "cifar-10-subset",
}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A data root with two training images and one test image of each class."""
    root = tmp_path_factory.mktemp("root")
    (root / "cifar-10-subset").mkdir()
    for split, count in (("train", 2), ("test", 1)):
        pixels = np.random.default_rng(count).integers(0, 256, size=(320, 32 * count, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / "cifar-10-subset" / f"{split}.webp", lossless=True)
    return root


def straight(project, images, output):
    """The numbers of a training that nothing interrupts."""
    words = ["--params", json.dumps(PARAMS), "--input", f"images={images}", "--output", str(output), "--threads", "1"]
    done = project.run("twolayer", "run", "image_training", *words)
    assert done.returncode == 0, done.stderr
    return io.read(output, task="image_training")


def test_sigkill(fresh_project, images, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    shutil.copytree(images / "cifar-10-subset", project.root / "workflow/resources/cifar-10-subset", dirs_exist_ok=True)
    (project.root / "workflow/resources/cifar-10-subset/SHA256SUMS").unlink()  # these are other pictures
    training = {
        "task": "image_training",
        "params": {name: value for name, value in PARAMS.items() if name not in ("seed", "device")},
        "minutes": {"paper": 1, "gpu": 0.1, "quick": 0.1},
        "mem_mb": 500,
    }
    project.edit("config/mixtures.yaml", lambda study: study["runs"].update(training=training))
    result = project.root / "results/quick/mixtures/image_training/training.nc"
    log = project.root / "results/quick/logs/mixtures/image_training/training.log"
    target = str(result.relative_to(project.root))
    with subprocess.Popen(
        [PROGRAMS / "snakemake", "--cores", "1", target],
        cwd=project.root,
        env=project.environment(),
        stderr=subprocess.DEVNULL,
    ) as process:
        while not (log.exists() and "epoch 2 of 7" in log.read_text()):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(job_of(result), signal.SIGKILL)
    assert process.returncode != 0
    assert not result.exists()
    assert result.with_suffix(".checkpoint.safetensors").exists()  # Snakemake removes outputs alone
    done = project.snakemake("--cores", "1", target)
    assert done.returncode == 0, done.stderr
    assert "continued after epoch" in log.read_text()
    assert "epoch 2 of 7" not in log.read_text()
    assert [path.name for path in result.parent.iterdir()] == [result.name]
    found, expected = io.read(result, task="image_training"), straight(project, images, tmp_path / "straight.nc")
    for name in expected.data_vars:
        np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=name)


def job_of(result):
    """The process that makes a result."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        words = path.read_bytes().split(b"\0")
        if b"image_training" in words and str(result).endswith(words[words.index(b"--output") + 1].decode()):
            return int(path.parent.name)
    raise AssertionError("no such process")

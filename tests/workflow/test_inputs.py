"""Every file that a job reads is an input of its rule."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from twolayer.errors import DataError
from twolayer.pipeline.custom_files import module_paths
from twolayer.pipeline.jobs.outdated import contents_digest

COSTS = {"minutes": {"paper": 0.01, "quick": 0.01}, "mem_mb": 500}
SAMPLES = "results/quick/mixtures/data_samples/samples.nc"
MOMENTS = "results/quick/mixtures/moments/moments.nc"
NETWORK = """from torch import nn

from .layers import weights


def network():
    module = nn.Linear(3, 8, bias=False)
    module.load_state_dict({"weight": weights()})
    return module
"""
LAYERS = """import torch


def weights():
    return torch.arange(24.0).reshape(8, 3)
"""


def with_runs(fresh_project, target, **runs):
    """A copy of the small project with more runs."""
    project = fresh_project.copy(target / "project")
    runs = {name: run | COSTS for name, run in runs.items()}
    project.edit("config/mixtures.yaml", lambda study: study["runs"].update(runs))
    return project


def make(project, result):
    """Make a result, of which nothing is stale then."""
    done = project.snakemake(result)
    assert done.returncode == 0, done.stderr
    assert project.stale(result) == set()


@pytest.fixture
def images(fresh_project, tmp_path):
    """A project with samples from a folder of images, made."""
    samples = {"task": "data_samples", "params": {"file": "my pictures", "size": 2, "drop_constant": True}}
    project = with_runs(fresh_project, tmp_path, samples=samples)
    rng = np.random.default_rng(0)
    for kind in ("cat", "dog"):
        (project.root / "my pictures" / kind).mkdir(parents=True)
        for number in range(12):
            picture(project, f"{kind}/{number}.png", rng)
    make(project, SAMPLES)
    return project


def picture(project, name, rng):
    """Write an image of random pixels."""
    pixels = rng.integers(256, size=(2, 2), dtype=np.uint8)
    Image.fromarray(pixels).save(project.root / "my pictures" / name)


@pytest.mark.slow
def test_images_of_a_folder(images):
    """A changed, an additional and a missing image make the samples stale."""
    rng = np.random.default_rng(1)
    picture(images, "cat/3.png", rng)
    assert images.stale(SAMPLES) == {"samples"}
    make(images, SAMPLES)
    picture(images, "dog/99.png", rng)
    assert images.stale(SAMPLES) == {"samples"}
    make(images, SAMPLES)
    (images.root / "my pictures" / "dog" / "99.png").unlink()
    assert images.stale(SAMPLES) == {"samples"}


@pytest.mark.slow
def test_a_file_of_labels(fresh_project, tmp_path):
    samples = {"task": "data_samples", "params": {"file": "x.npy", "labels": "y.npy"}}
    project = with_runs(fresh_project, tmp_path, samples=samples)
    rng = np.random.default_rng(0)
    np.save(project.root / "x.npy", rng.standard_normal((30, 3)))
    np.save(project.root / "y.npy", rng.integers(2, size=30))
    make(project, SAMPLES)
    np.save(project.root / "y.npy", rng.integers(2, size=30))
    assert project.stale(SAMPLES) == {"samples"}
    (project.root / "y.npy").unlink()
    done = project.snakemake("--dry-run", SAMPLES)
    assert done.returncode != 0
    assert (
        "config/mixtures.yaml: samples: the file 'y.npy' is missing: give an existing file" in done.stderr + done.stdout
    )


@pytest.mark.slow
def test_an_older_file(fresh_project, tmp_path):
    """Another file makes the samples stale, even with an old time stamp. A new time stamp does not."""
    project = with_runs(fresh_project, tmp_path, samples={"task": "data_samples", "params": {"file": "x.npy"}})
    path, rng = project.root / "x.npy", np.random.default_rng(0)

    def save(samples):
        np.save(path, np.c_[rng.standard_normal((samples, 3)), rng.integers(2, size=samples)])

    save(30)
    make(project, SAMPLES)
    os.utime(path)
    assert project.stale(SAMPLES) == set()
    save(30)
    os.utime(path, (1e9, 1e9))
    assert project.stale(SAMPLES) == {"samples"}


def test_digests_of_contents(tmp_path):
    first, second = (str(tmp_path / name) for name in "ab")
    Path(first).write_text("1")
    Path(second).write_text("2")
    assert len({contents_digest(files) for files in ([], [first], [second], [first, second], [second, first])}) == 5
    with pytest.raises(DataError, match=r"cannot be read .No such file.*give a file that you may read"):
        contents_digest([str(tmp_path / "missing")])


def test_contents_that_are_rewritten_with_the_same_size_and_time(tmp_path):
    """As `cp --preserve` or `rsync --inplace` write a file."""
    path = tmp_path / "a"
    path.write_text("1")
    before, first = path.stat(), contents_digest([str(path)])
    time.sleep(0.05)  # longer than the resolution of the file system's clock
    path.write_text("2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    assert contents_digest([str(path)]) != first


@pytest.mark.slow
def test_the_module_of_a_generator_and_what_it_imports(fresh_project, tmp_path):
    generator = {"task": "named_generator", "params": {"module": "mine.net:network", "latent_size": 3}}
    moments = {"task": "moments", "inputs": {"generator": "generator"}, "params": {"samples": 1000}}
    project = with_runs(fresh_project, tmp_path, generator=generator, moments=moments)
    (project.root / "mine").mkdir()
    (project.root / "mine" / "net.py").write_text(NETWORK)
    (project.root / "mine" / "layers.py").write_text(LAYERS)
    make(project, MOMENTS)
    project.rewrite("mine/layers.py", "24.0)", "24.0).neg()")
    assert project.stale(MOMENTS) == {"generator", "moments"}
    make(project, MOMENTS)
    project.rewrite("mine/net.py", "import weights\n", "import weights  # of the layer\n")
    assert project.stale(MOMENTS) == {"generator", "moments"}
    (project.root / "mine" / "net.py").unlink()
    done = project.snakemake("--dry-run", MOMENTS)
    assert done.returncode != 0
    assert "mixtures.yaml: generator: the module 'mine.net' is missing" in done.stderr + done.stdout


@pytest.mark.slow
def test_the_module_of_a_map(fresh_project, tmp_path):
    samples = {"task": "data_samples", "params": {"file": "x.npy", "map": {"module": "mine:network"}}}
    project = with_runs(fresh_project, tmp_path, samples=samples)
    rng = np.random.default_rng(0)
    np.save(project.root / "x.npy", np.c_[rng.standard_normal((30, 3)), rng.integers(2, size=30)])
    (project.root / "mine.py").write_text("from torch import nn\n\n\ndef network():\n    return nn.Tanh()\n")
    make(project, SAMPLES)
    project.rewrite("mine.py", "Tanh", "Sigmoid")
    assert project.stale(SAMPLES) == {"samples"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of modules, none of which can be imported without an error."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "elsewhere")])
    files = {
        "package/__init__.py": "",
        "package/part.py": "from .. import outside\nfrom . import sibling\nfrom .deep import leaf as x",
        "package/sibling.py": "import broken",
        "package/deep/leaf.py": "if True:\n    def f():\n        from package import late",
        "package/late.py": "import twolayer.model.networks.hermite_expansion\nimport numpy",
        "package/unused.py": "",
        "broken.py": "this is no Python",
        "elsewhere/helper.py": "import package.sibling",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\nraise SystemExit")
    return tmp_path


def names(paths):
    return {path.as_posix() for path in paths if not path.is_absolute()}


def test_modules_are_found_without_an_import(folder):
    paths = module_paths("package.part:function", folder)
    assert names(paths) == {
        "package/__init__.py",
        "package/part.py",
        "package/sibling.py",
        "package/deep/leaf.py",
        "package/late.py",
        "broken.py",
    }
    assert [path.name for path in paths if path.is_absolute()] == ["hermite_expansion.py"]  # no file of NumPy
    assert names(module_paths("helper:f", folder)) >= {"elsewhere/helper.py", "package/sibling.py"}
    assert "package" not in sys.modules


@pytest.mark.parametrize("name", ["none:f", "package.none:f", "broken.part:f"])
def test_a_missing_module_is_refused(folder, name):
    with pytest.raises(DataError, match=r"the module '.*' is missing: give a module that can be imported"):
        module_paths(name, folder)

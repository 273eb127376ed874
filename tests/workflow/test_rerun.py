"""Only what is stale reruns."""

import os

import pytest

pytestmark = pytest.mark.slow

FEATURES = {"xor_random_features_input_dimension20", "xor_random_features_input_dimension30"}
DRAWN = {"fig1", "scoreboard"}
DIFFUSION = {
    "task": "ultrafast_diffusion",
    "params": {"gamma": 10, "cells": 64, "descent": {"iterations": 100}},
    "minutes": {"paper": 0.1, "quick": 0.1},
    "mem_mb": 100,
}


def test_nothing_to_do(project):
    by_products = [f"results/quick/{kind}/mixtures/online_sgd/sgd" for kind in ("logs", "benchmarks")]
    assert project.stale("quick", f"{by_products[0]}.log", f"{by_products[1]}.tsv") == set()


def test_one_noise_level(project):
    project.edit(
        "config/mixtures.yaml", lambda study: study["runs"]["xor_random_features"]["quick"].update(sigma=[0.1, 0.3])
    )
    assert project.stale("quick") == FEATURES | DRAWN


def test_a_noise_level_of_the_other_scale(project):
    project.edit(
        "config/mixtures.yaml", lambda study: study["runs"]["xor_random_features"]["params"].update(sigma=[0.2])
    )
    assert project.stale("quick") == set()


def test_one_seed(project):
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"]["params"].update(seed=5))
    assert project.stale("quick") == {"sgd"} | DRAWN


def test_the_seed_of_all(project):
    project.edit("config/config.yaml", lambda config: config.update(seed=5))
    assert project.stale("quick") == {"xor_sample", "mixture", "sgd"} | FEATURES | DRAWN


def test_an_input_of_another_run(project):
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["mixture"]["params"].update(input_dimension=25))
    assert project.stale("quick") == {"mixture", "sgd"} | DRAWN


def test_one_module(project):
    with project.own("src/twolayer/theory/mixtures/random_features.py").open("a") as module:
        module.write("# edited\n")
    assert project.stale("quick") == FEATURES | DRAWN


def test_a_touched_module(project):
    os.utime(project.own("src/twolayer/theory/mixtures/random_features.py"))
    assert project.stale("quick") == set()


def test_one_check(project):
    project.rewrite("src/twolayer/figures/mixtures/fig1.py", "1e-9", "10.0")
    assert project.stale("quick") == DRAWN


def test_the_template_of_the_scoreboard(project):
    project.rewrite("src/twolayer/pipeline/templates/scoreboard.html.j2", "<h1>", "<h1>The ")
    assert project.stale("quick") == DRAWN


def test_a_number_that_parameters_import(project):
    """What a run computes from its parameters is a dependency, wherever it stands."""
    project.edit("config/mixtures.yaml", lambda study: study["runs"].update(diffusion=DIFFUSION))
    made = project.snakemake("results/quick/mixtures/ultrafast_diffusion/diffusion.nc")
    assert made.returncode == 0, made.stderr
    project.rewrite("src/twolayer/model/networks/descent.py", "geomspace(10, 1000, 25)", "geomspace(10, 1000, 24)")
    assert project.stale("results/quick/mixtures/ultrafast_diffusion/diffusion.nc") == {"diffusion"}


def test_one_image_file(project):
    path = project.root / "workflow/resources/mnist/train-labels-idx1-ubyte.gz"
    path.write_bytes(path.read_bytes() + b"\0")
    assert project.stale("results/quick/mixtures/image_mixture/images.nc") == {"images"}


def test_a_published_table(project):
    """A figure is compared with the table again when the table changes."""
    table = project.root / "mine.csv"
    table.write_text("time,value\n1,0.5\n")
    reference = {"file": "mine.csv", "coordinates": ["time"]}
    project.edit("config/mixtures.yaml", lambda study: study["figures"]["fig1"].update(references={"mine": reference}))
    made = project.snakemake("figures/quick/fig1.pdf")
    assert made.returncode == 0, made.stderr
    assert project.stale("figures/quick/fig1.pdf") == set()
    table.write_text("time,value\n1,0.6\n")
    assert project.stale("figures/quick/fig1.pdf") == {"fig1"}


def test_restored_results(project, tmp_path):
    """A figure is stale if its results have other contents, and a result if its input was restored instead."""
    packed, results = tmp_path / "a.tar", project.root / "results" / "quick" / "mixtures"
    assert project.run("twolayer", "archive", "--preset", "quick", "--output", str(packed)).returncode == 0

    def restore():
        done = project.run("twolayer", "restore", str(packed))
        assert done.returncode == 0, done.stderr

    (results / "online_sgd" / "sgd.nc").unlink()
    restore()
    assert project.stale("quick") == set()  # the same contents
    (results / "online_sgd" / "sgd.nc").unlink()
    assert project.snakemake("quick").returncode == 0  # with another time in the result
    (results / "online_sgd" / "sgd.nc").unlink()
    restore()
    assert project.stale("quick") == DRAWN
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"]["params"].update(seeds=3))
    (results / "random_mixture" / "mixture.nc").unlink()
    restore()
    assert project.stale("quick") == {"sgd"} | DRAWN

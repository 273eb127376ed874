"""The tests follow the how-to guides on custom problems and on the comparison of theories in a copy of the project."""

import pytest
from tutorials import follow, with_study

pytestmark = pytest.mark.slow


def fewer_draws(study):
    """Reduce the draws at the quick preset to a number that still separates the two theories."""
    study["runs"]["custom_learning"]["quick"]["seeds"] = 6
    for name in ("custom_sgd", "custom_equivalent", "custom_one_sgd"):
        study["runs"][name]["quick"] = {"seeds": 8}
    for name in ("custom_curve", "custom_one_curve"):
        study["runs"][name]["quick"] = {"log2_nodes": 7}


def test_own_data(fresh_project, tmp_path):
    project = with_study(fresh_project, tmp_path / "project", "custom_data", ["custom_data", "data_sets"])
    project.edit("config/custom_data.yaml", fewer_draws)
    follow(project, "how_to/custom_data.md")
    assert (project.root / "figures/quick/custom_data.pdf").exists()
    judged = project.run("twolayer", "check", "custom_data", "--preset", "quick")
    failed = [line for line in judged.stdout.splitlines() if line.startswith(("fail ", "undecided "))]
    assert any("test loss of least squares against theory" in line for line in failed)
    assert not any("against the replica equations" in line for line in failed)
    (project.root / "samples.npz").touch()  # the data are newer than the results
    assert "custom_samples" in project.stale("figures/quick/custom_data.pdf")
    (project.root / "samples.npz").unlink()
    missing = project.snakemake("--dry-run", "figures/quick/custom_data.pdf")
    assert missing.returncode != 0
    assert "custom_samples: the file 'samples.npz' is missing: give an existing file" in missing.stderr + missing.stdout


def fewer_runs(study):
    """At the quick preset: two runs in each cell of maps of three by three, in few dimensions."""
    for run in study["runs"].values():
        run["quick"] |= {"seeds": 2, "values": [0.03, 0.1, 0.5], "student": {"dimension": 100}}
    study["runs"]["plateau"]["quick_grid"]["sigma"] = [0.4, 0.8, 1.2]
    study["runs"]["width_rate"]["quick_grid"]["student.hidden_units"] = [2, 4, 10]


def test_phases(fresh_project, tmp_path):
    project = with_study(fresh_project, tmp_path / "project", "phases", ["phases"])
    project.edit("config/phases.yaml", fewer_runs)  # the figure is not judged here
    printed = follow(project, "how_to/phases.md")
    assert (project.root / "figures/quick/phases.pdf").exists()
    assert printed[-1].count("[") == 3


def test_the_meeting(fresh_project, tmp_path):
    project = with_study(fresh_project, tmp_path / "project", "theory_comparison", ["theory_comparison"])
    fewer = {"seeds: 8": "seeds: 4", "[0.1, 2, 8]": "[0.1, 2, 4]", "[0.2, 0.4, 0.8]": "[0.4]", "0.4, 0.6, 1.0]": "0.4]"}
    for whole, less in fewer.items():  # fewer networks and noise levels, at the quick preset
        project.rewrite("config/theory_comparison.yaml", whole, less)
    printed = follow(project, "how_to/theory_comparison.md")
    assert (project.root / "figures/quick/theory_comparison.pdf").exists()
    assert "6 clusters: 0.50 before, 0.50 after a step" in "".join(printed)
    assert "three_clusters" in (project.root / "config" / "theory_comparison.yaml").read_text()
    assert "comparison_noise" in project.stale("figures/quick/theory_comparison.pdf")


def shorter_learning(study):
    """At the quick preset, and in fewer runs."""
    for name in ("generator_curve", "generator_sgd", "generator_equivalent"):
        study["runs"][name]["quick"]["learning"] = {"last_time": 5, "measurements": 6}
    for name in ("generator_sgd", "generator_equivalent", "generator_learning"):
        study["runs"][name]["quick"]["seeds"] = 3


def test_own_generator(fresh_project, tmp_path):
    project = with_study(fresh_project, tmp_path / "project", "custom_generator", ["custom_generator"])
    project.edit("config/custom_generator.yaml", shorter_learning)  # the figure is not judged here
    printed = follow(project, "how_to/custom_generator.md")
    assert (project.root / "figures/quick/custom_generator.pdf").exists()
    distance, floor = map(float, printed[-1].splitlines()[0].split())
    assert 0 < floor < distance

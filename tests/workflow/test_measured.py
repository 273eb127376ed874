"""Minutes and memory of the configuration come from the attributes of results."""

import pytest
import yaml
from small_project import PROGRAMS

from twolayer import io
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.jobs import timings


def made(project, preset, name, minutes, megabytes, waited=0.0):
    """A result of that cost, beside minutes in which others had the core."""
    run = Catalogue.load(project.root, environment={}).run(preset, "mixtures", name)
    done = project.run("twolayer", "run", run.task, "--params", run.params, "--output", run.path)
    assert done.returncode == 0, done.stderr
    path = project.root / run.path
    result = io.read(path)
    assert 0 < result.attrs["cpu_time_s"] < 60
    assert "peak_memory_mb" not in result.attrs  # the process is shared, so that its peak is unknown
    times = {"wall_time_s": 60 * (minutes + waited), "cpu_time_s": 60.0 * minutes}
    io.write(result.assign_attrs(times, peak_memory_mb=megabytes), path)


@pytest.mark.slow
def test_a_process_of_its_own_says_what_memory_it_took(project):
    run = Catalogue.load(project.root, environment={}).run("quick", "mixtures", "xor_sample")
    done = project.run(PROGRAMS / "twolayer", "run", run.task, "--params", run.params, "--output", run.path)
    assert done.returncode == 0, done.stderr
    assert 50 < io.read(project.root / run.path).attrs["peak_memory_mb"] < 2000


def stated(project, name):
    family = yaml.safe_load((project.root / "config/mixtures.yaml").read_text())["runs"][name]
    return family["minutes"], family["mem_mb"]


@pytest.mark.slow
def test_the_configuration_follows_the_results(project):
    """The dearest run of a grid counts, all else stays; the quick preset alone does not lower the memory."""
    path = project.root / "config/mixtures.yaml"
    # other families begin from a named one
    named = path.read_text().replace("\n  mixture:\n", "\n  mixture: &named\n")
    assert "&named" in named
    path.write_text("# what concerns nobody\n" + named)
    before = path.read_text()
    made(project, "quick", "mixture", 0.5321, 90)
    made(project, "quick", "xor_sample", 0.1, 20)
    made(project, "paper", "xor_sample", 2.0, 30, waited=1.5)
    for dimension, minutes in ((20, 1.0), (30, 3.456)):
        made(project, "quick", f"xor_random_features_input_dimension{dimension}", minutes, 150 + dimension)
    changes = timings.write(Catalogue.load(project.root, environment={}))
    assert stated(project, "mixture") == ({"paper": 0.1, "quick": 0.53}, 100)
    assert stated(project, "xor_sample") == ({"paper": 2, "quick": 0.1}, 50)
    assert stated(project, "xor_random_features") == ({"paper": 0.1, "quick": 3.5}, 200)
    after = path.read_text()
    assert len(changes) == sum(old != new for old, new in zip(before.splitlines(), after.splitlines(), strict=True))
    assert after.startswith("# what concerns nobody")
    assert timings.write(Catalogue.load(project.root, environment={})) == []


@pytest.mark.slow
def test_what_stands_in_for_a_run_says_nothing_of_its_cost(project):
    """As a generator that was downloaded, or trained for a short time, of its training."""
    shorter = {"params": {"samples": 2}, "minutes": {"paper": 0.1}}
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["xor_sample"].update(brief=shorter))
    project.edit("config/config.yaml", lambda settings: settings.update(generators="brief"))
    made(project, "paper", "xor_sample", 7.0, 300)
    timings.write(Catalogue.load(project.root, environment={}))
    minutes, memory = stated(project, "xor_sample")
    assert (minutes["paper"], memory) == (0.1, 100)
    project.edit("config/config.yaml", lambda settings: settings.update(generators="trained"))
    timings.write(Catalogue.load(project.root, environment={}))  # the run now has other parameters
    minutes, memory = stated(project, "xor_sample")
    assert (minutes["paper"], memory) == (0.1, 100)

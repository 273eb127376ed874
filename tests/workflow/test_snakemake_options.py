"""Snakemake's own options keep their meaning."""

import os
import re
import sys
from importlib.metadata import distributions
from pathlib import Path
from types import SimpleNamespace

import forked
import pytest
from small_project import ROOT
from snakemake.settings.types import MaxJobsPerTimespan, SchedulingSettings

from twolayer.pipeline import snakemake_adapter
from twolayer.pipeline.snakemake_adapter import lift_default_rate_limit
from twolayer.versions import WORKFLOW


def workflow(limit, local_exec=True):
    """The parts of Snakemake's workflow that limit the rate of jobs."""
    settings = SchedulingSettings(max_jobs_per_timespan=MaxJobsPerTimespan.parse_choice(limit))
    scheduler = SimpleNamespace(job_rate_limiter="set")
    return SimpleNamespace(scheduling_settings=settings, local_exec=local_exec, scheduler=scheduler)


@pytest.mark.parametrize(
    ("limit", "local", "arguments", "lifted"),
    [
        ("100/1s", True, ["snakemake", "quick"], True),
        ("100/1s", False, ["snakemake", "quick"], False),  # a cluster
        ("100/1s", True, ["snakemake", "--max-jobs-per-timespan", "100/1s"], False),
        ("2/5s", True, ["snakemake"], False),  # the option comes from a profile
        ("2/5s", True, ["snakemake", "--max-jobs-per-timespan=2/5s"], False),
    ],
)
def test_only_the_default_rate_limit_is_lifted(limit, local, arguments, lifted):
    it = workflow(limit, local)
    lift_default_rate_limit(it, arguments)
    assert it.scheduler.job_rate_limiter == (None if lifted else "set")


def test_the_version_that_runs(project):
    """`make test-oldest` tests another version than the installed one."""
    other = os.environ.get(forked.PACKAGES)
    paths = [other] if other else sys.path
    (found,) = {one.version for one in distributions(name="snakemake", path=paths)}
    assert project.snakemake("--version").stdout.strip() == found


def test_a_snakemake_without_these_settings_runs_as_it_does():
    lift_default_rate_limit(SimpleNamespace(), [])
    lift_default_rate_limit(SimpleNamespace(scheduling_settings=SimpleNamespace(max_jobs_per_timespan=5)), [])


def test_without_undocumented_parts_only_conveniences_are_lost(monkeypatch, tmp_path):
    bare = SimpleNamespace(basedir="/project")
    for module in ("snakemake.workflow", "snakemake.persistence"):
        monkeypatch.setitem(sys.modules, module, SimpleNamespace())
    assert not snakemake_adapter.keep_records_elsewhere(tmp_path)
    snakemake_adapter.list_changed_parameters_only()
    assert snakemake_adapter.folder_of_rules(bare) == Path("/project")
    assert snakemake_adapter.is_main_process(bare)
    assert snakemake_adapter.runs_here(bare)
    assert not snakemake_adapter.sends_groups(bare)
    assert not snakemake_adapter.uses_slurm(bare)
    assert snakemake_adapter.cores(bare) >= 1
    snakemake_adapter.join_groups(bare, ["quick_fig1"], "runs")
    assert snakemake_adapter.needed_jobs(bare) == snakemake_adapter.partitions(bare) == []
    assert snakemake_adapter.failures(bare) == []


def test_failures_name_the_first_missing_file_and_the_logs(tmp_path):
    made = tmp_path / "made.nc"
    made.touch()
    parts = [
        SimpleNamespace(output=[made], log=["made.log"]),
        SimpleNamespace(output=[made, "results/a.nc", "results/b.nc"], log=["a.log"]),
    ]
    group = SimpleNamespace(is_group=lambda: True, jobs=parts)
    single = SimpleNamespace(is_group=lambda: False, output=["results/c.nc"], log=[])
    scheduler = SimpleNamespace(failed=[group, single])
    found = snakemake_adapter.failures(SimpleNamespace(scheduler=scheduler))
    assert sorted(found) == [("results/a.nc", ["a.log"]), ("results/c.nc", [])]


UNDOCUMENTED = re.compile(
    r"workflow\.(?!basedir\b|source_path\b|configfiles\b|cores\b)\w+|needrun|job_rate_limiter|parent_group"
    r'|["/]\.snakemake["/]|\bis_producer\b|__signature__'
    r"|\b(?:from|import) snakemake\.(?!utils\b)|\bfrom snakemake import\b|\bdag\.\w|\b(?:rules|checkpoints|job)\._"
)
ADAPTER = "src/twolayer/pipeline/snakemake_adapter.py"
OF_THE_LIBRARY = {
    "src/twolayer/library/functions.py",
    "src/twolayer/parameters.py",
}  # signatures of Python functions, not of rules


def test_undocumented_parts_of_snakemake_are_used_in_the_adapter_only():
    found = [path for folder in ("workflow", "src", "figures", "examples") for path in (ROOT / folder).rglob("*")]
    files = [ROOT / "Snakefile", *(path for path in found if path.suffix in (".smk", ".py", ".ipynb"))]
    used = {str(path.relative_to(ROOT)): UNDOCUMENTED.findall(path.read_text()) for path in files}
    assert {name for name, found in used.items() if found} == {ADAPTER, *OF_THE_LIBRARY}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("workflow.basedir, workflow.source_path(name)", False),
        ("from snakemake.utils import min_version", False),
        ("from snakemake_interface_logger_plugins.base import LogHandlerBase", False),
        ("jobs = workflow.scheduler.failed", True),
        ("jobs = dag.jobs", True),
        ("from snakemake.io import is_flagged", True),
        ("from snakemake import dag", True),
        ("rules._rules", True),
        ('Path(".snakemake") / "metadata"', True),
    ],
)
def test_what_counts_as_undocumented(line, found):
    assert bool(UNDOCUMENTED.search(line)) is found


def test_the_snakefile_needs_the_lowest_version_that_is_tested():
    text = (ROOT / "Snakefile").read_text()
    assert re.search(r'min_version\("(.*)"\)', text)[1] == WORKFLOW["snakemake"]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "limited"), [([], False), (["--max-jobs-per-timespan", "1/1s"], True)])
def test_a_rate_limit_of_the_user_is_kept(fresh_project, tmp_path, options, limited):
    project = fresh_project.copy(tmp_path / "project")
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["xor_sample"].update(grid={"seed": [1, 2, 3]}))
    runs = [f"results/quick/mixtures/mixture_sample/xor_sample_seed{seed}.nc" for seed in (1, 2, 3)]
    done = project.snakemake(*options, "--", *runs)
    assert done.returncode == 0, done.stderr
    log = max((project.root / ".snakemake" / "log").glob("*.log"), key=lambda path: path.stat().st_mtime)
    assert ("Job rate limit reached" in log.read_text()) is limited


@pytest.mark.slow
def test_all_quick_figures_are_the_default_target(fresh_project):
    plain, named = (fresh_project.snakemake("--dry-run", *target) for target in ([], ["quick"]))
    assert plain.returncode == 0
    assert "would make figures/quick/fig1.pdf" in plain.stdout
    assert plain.stdout == named.stdout


@pytest.mark.slow
def test_options_without_a_target_do_their_work(project):
    assert "figure_quick" in project.snakemake("--dag").stdout
    assert "figures/quick/fig1.pdf" in project.snakemake("--summary").stdout
    report = project.root / "report.html"
    done = project.snakemake("--report", str(report))
    assert done.returncode == 0, done.stderr
    assert "fig1.pdf" in report.read_text()


@pytest.mark.slow
def test_the_linter_has_only_the_remarks_that_the_documentation_explains(fresh_project):
    done = fresh_project.snakemake("--lint")
    remarks = set(re.findall(r"(?m)^    \* ([^:\n]+?)\.?:", done.stdout + done.stderr))
    assert remarks == {"Specify a conda environment or container for each rule", "No log directive defined"}
    text = (ROOT / "docs" / "reference" / "environments.md").read_text()
    assert all(remark in text for remark in remarks)

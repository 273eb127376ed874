"""What Snakemake prints."""

import logging
import re
from itertools import count
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_twolayer import LogHandler, expect, time


def settings(**changed):
    """Snakemake's own settings of its output."""
    return SimpleNamespace(**{"dryrun": False, "verbose": False, "printshellcmds": False, "stdout": False} | changed)


def tell(handler, message=None, level=logging.INFO, **about):
    """Let a handler know of an event."""
    handler.emit(logging.makeLogRecord({"msg": message, "levelno": level} | about))


@pytest.fixture
def handler():
    return LogHandler(settings(), None)


def test_a_line_a_figure(handler, capsys):
    tell(handler, event=LogEvent.RUN_INFO, stats={"total": 20})
    for number, rule in enumerate(("online_sgd", "figure_quick")):
        output = ["figures/quick/fig99.pdf", "results/quick/checks/fig99.json"]
        job = {"jobid": number, "rule_name": rule, "wildcards": {"figure": "fig99"}, "output": output}
        tell(handler, event=LogEvent.JOB_INFO, **job)
        tell(handler, event=LogEvent.PROGRESS, done=number + 9, total=20)
        tell(handler, event=LogEvent.JOB_FINISHED, job_id=number)
    start, figure = capsys.readouterr().err.splitlines()
    assert start.startswith("20 jobs")
    assert figure.startswith("fig99: check file results/quick/checks/fig99.json")  # which is missing here
    assert re.search(r"\[10 of 20 jobs in \d+ s\]$", figure)


@pytest.fixture
def clock(monkeypatch):
    """A clock, in minutes, which stands still until it is set."""
    clock = SimpleNamespace(minutes=0.0)
    monkeypatch.setattr(time, "monotonic", lambda: 60 * clock.minutes)
    yield clock
    expect({})


def test_what_is_left_goes_by_what_jobs_are_expected_to_take(clock, capsys):
    """Three hours of work on two cores, of which one job takes longer than was expected."""
    handler = LogHandler(settings(), None)
    tell(handler, event=LogEvent.RUN_INFO, stats={"total": 4})
    expect({0: 10, 1: 40, 2: 70, 3: 60})
    done = count(1)

    def begin(job):
        tell(handler, event=LogEvent.JOB_INFO, jobid=job, rule_name="online_sgd")

    def end(job, minutes):
        clock.minutes = minutes
        tell(handler, event=LogEvent.JOB_FINISHED, job_id=job)
        tell(handler, event=LogEvent.PROGRESS, done=next(done), total=4)
        return capsys.readouterr().err.splitlines()[-1]

    clock.minutes = 1.0  # nothing has begun before
    begin(0)
    begin(1)
    assert end(0, 11) == "1 of 4 jobs in 11.0 min, about 80.0 min left"  # the other has got as far
    begin(2)
    assert end(1, 61) == "2 of 4 jobs in 61.0 min, about 48.0 min left"  # 100 of 180 minutes in 60
    begin(3)
    assert end(2, 81) == "3 of 4 jobs in 81.0 min, about 40.0 min left"  # one alone needs its time


def test_a_job_that_fails_is_told_of_with_the_end_of_its_log(handler, capsys, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("\n".join(f"line {number}" for number in range(50)))
    tell(handler, level=logging.ERROR, event=LogEvent.JOB_ERROR, jobid=0, output=["a.nc"], log=[str(log)])
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == f"FAILED: a.nc, see {log}"
    assert rest[-1].strip() == "line 49"
    assert len(rest) < 20


def test_warnings_and_submissions_but_nothing_else(handler, capsys):
    tell(handler, "Using shell: /bin/bash")
    tell(handler, "Job 3 has been submitted with SLURM jobid 7")
    tell(handler, "careful", level=logging.WARNING)
    assert capsys.readouterr().err.splitlines() == ["Job 3 has been submitted with SLURM jobid 7", "careful"]


def test_a_dry_run_is_a_line_a_figure(capsys):
    handler = LogHandler(settings(dryrun=True), None)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for number, rule in enumerate(("online_sgd", "figure_quick")):
        tell(handler, "a paragraph", event=LogEvent.JOB_INFO, rule_name=rule, output=[f"{number}.pdf", "0.png"])
    for _ in range(2):  # Snakemake sends it again at the end
        tell(handler, "the jobs, counted", event=LogEvent.RUN_INFO, stats={"total": 2})
    tell(handler, "the reasons")
    assert capsys.readouterr().err.splitlines() == ["would make 1.pdf", "the jobs, counted", "the reasons"]


def test_a_dry_run_shows_warnings_and_errors(capsys):
    handler = LogHandler(settings(dryrun=True), None)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for level, event in ((logging.WARNING, None), (logging.ERROR, LogEvent.ERROR), (logging.ERROR, LogEvent.JOB_ERROR)):
        tell(handler, f"level {level}", level=level, **({"event": event} if event else {}))
    assert capsys.readouterr().err.splitlines() == ["level 30", "level 40", "level 40"]


def test_the_end_after_a_signal_is_announced(handler, capsys):
    handler.setFormatter(logging.Formatter("%(message)s"))
    tell(handler, "Will exit after finishing currently running jobs (scheduler).")
    assert "Will exit after" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuchrule"], "No rule to produce nosuchrule"),
        (["--config", "seed=5", "figures/quick/fig1.pdf"], "figures/quick/fig1.pdf"),
        (["--configfile", "missing.yaml"], "missing.yaml"),
    ],
)
def test_a_dry_run_reports_the_errors_of_snakemake(fresh_project, arguments, said):
    done = fresh_project.snakemake("--dry-run", *arguments)
    assert done.returncode == 1
    assert said in done.stdout + done.stderr


@pytest.mark.slow
def test_a_dry_run_of_many_runs_is_short(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit(
        "config/mixtures.yaml", lambda study: study["runs"]["xor_sample"].update(grid={"seed": list(range(100))})
    )
    done = project.snakemake("--dry-run", "figures/quick/fig1.pdf")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "would make figures/quick/fig1.pdf" in lines
    assert any(re.fullmatch(r"mixture_sample +100", line) for line in lines)
    assert "    (each job by itself: --printshellcmds)" in lines
    assert len(lines) < 30


@pytest.mark.parametrize("asked", ["verbose", "printshellcmds"])
def test_all_of_it_where_it_is_asked_for(asked, capsys):
    tell(LogHandler(settings(**{asked: True}), None), "Using shell: /bin/bash")
    assert capsys.readouterr().err.splitlines() == ["Using shell: /bin/bash"]

"""What Snakemake prints."""

import logging
import re
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_twolayer import LogHandler, expect


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
        job = {"jobid": number, "rule_name": rule, "wildcards": {"figure": "fig99"}}
        tell(handler, event=LogEvent.JOB_INFO, **job)
        tell(handler, event=LogEvent.PROGRESS, done=number + 9, total=20)
        tell(handler, event=LogEvent.JOB_FINISHED, job_id=number)
    start, figure = capsys.readouterr().err.splitlines()
    assert start.startswith("20 jobs")
    assert figure.startswith("fig99: verdict file results/quick/verdicts/fig99.json")  # which is missing here
    assert re.search(r"\[10 of 20 jobs in \d+ s, about \d+ s left\]$", figure)


def test_what_is_left_goes_by_what_jobs_are_expected_to_take(handler, capsys, monkeypatch):
    """Ten of twenty jobs, which were to take a ninth of all time, have taken ten seconds."""
    monkeypatch.setattr(handler, "_start", handler._start - 10)
    expect({number: 0.1 if number < 10 else 0.8 for number in range(20)})
    try:
        for number in range(10):
            rule = "figure_quick" if number == 9 else "online_sgd"
            tell(handler, event=LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards={"figure": "fig99"})
            tell(handler, event=LogEvent.PROGRESS, done=number + 1, total=20)
            tell(handler, event=LogEvent.JOB_FINISHED, job_id=number)
    finally:
        expect({})
    assert capsys.readouterr().err.endswith("[10 of 20 jobs in 10 s, about 80 s left]\n")


def test_a_job_that_fails_is_told_of_with_the_end_of_its_log(handler, capsys, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("\n".join(f"line {number}" for number in range(50)))
    tell(handler, level=logging.ERROR, event=LogEvent.JOB_ERROR, output=["a.nc"], log=[str(log)])
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
    for _ in range(2):  # Snakemake tells it at the end again
        tell(handler, "the jobs, counted", event=LogEvent.RUN_INFO, stats={"total": 2})
    tell(handler, "the reasons")
    assert capsys.readouterr().err.splitlines() == ["would make 1.pdf", "the jobs, counted", "the reasons"]


@pytest.mark.slow
def test_a_dry_run_of_many_runs_is_short(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit("config/gmm.yaml", lambda study: study["runs"]["xor_sample"].update(grid={"seed": list(range(100))}))
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

"""What Snakemake prints."""

import fcntl
import io
import logging
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from judged import relative
from small_project import CATALOGUE, ROOT
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_twolayer import LogHandler, expect, explain, time
from twolayer.experiments import TASKS
from twolayer.figures.checks import THEORY
from twolayer.pipeline.figure_info import catalogue_lines, lines
from twolayer.pipeline.report import gallery
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.check_table import table
from twolayer.pipeline.report.checks.failures import failure_report
from twolayer.pipeline.report.checks.summary import sentence, short
from twolayer.pipeline.report.console import folded, width
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.task_help import summaries, task_lines

COLUMNS = 80


def near(value):
    """A check with the reference 1 and a tolerance of 10 %."""
    return relative(value, 1.0, "against the equations", tolerance=0.1, compared=THEORY, source="the equations")


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
    assert figure.startswith("[10/20] fig99: check file results/quick/checks/fig99.json")  # this file is missing
    tell(handler, event=LogEvent.PROGRESS, done=20, total=20)
    expected = "figures/quick/fig99.pdf is made; its page is figures/quick/fig99.html\n"
    assert capsys.readouterr().err == expected


def test_a_figure_that_fails_is_explained(handler, capsys, monkeypatch, tmp_path):
    """At once, with what fails, why that may be, and what to type."""
    monkeypatch.chdir(tmp_path)
    outcomes = [near(1.0), near(2.0)]
    path = Path("results/quick/checks/fig1.json")
    check_results.write(check_results.FigureChecks(outcomes, Provenance.of([])), path)
    explain(lambda name, file, outcomes: failure_report(CATALOGUE, name, "quick", outcomes).lines())
    job = {"jobid": 0, "rule_name": "figure_quick", "wildcards": {"figure": "fig1"}, "output": ["a.pdf", str(path)]}
    tell(handler, event=LogEvent.JOB_INFO, **job)
    tell(handler, event=LogEvent.JOB_FINISHED, job_id=0)
    explain(lambda name, file, outcomes: iter(()))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[0/0] fig1: fail 1/2, 1 fail"
    assert [line.partition(":")[0].strip() for line in lines[1:]] == ["fails", "possible cause", "next", "next"]
    assert "next: twolayer check fig1 --preset quick (lists all checks)" in lines[3]


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
    assert end(0, 11) == "1 of 4 jobs in 11.0 min, about 80.0 min left"  # the other job has reached the same point
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


def too_long(text):
    """The lines that a terminal of 80 columns would wrap, without paths, which stay whole."""
    return [line for line in text.split("\n") if len(line) > COLUMNS and " " in line.strip()]


def test_lines_are_folded_between_words():
    assert folded("one two three four", 12) == "one two\n    three\n    four"
    assert folded("  name  first second third", 16) == "  name  first\n        second\n        third"
    assert folded("short\nfirst second third", 14) == "short\nfirst second\n    third"
    assert folded("results/quick/mixtures/a.nc", 12) == "results/quick/mixtures/a.nc"
    assert folded("a longer line than twelve columns", None) == "a longer line than twelve columns"


def test_the_width_is_that_of_the_terminal(monkeypatch):
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    monkeypatch.delenv("COLUMNS", raising=False)
    with os.fdopen(secondary, "w") as stream:
        assert width(stream) == 90
        monkeypatch.setenv("COLUMNS", "70")
        assert width(stream) == 70
        monkeypatch.setenv("COLUMNS", "1")
        assert width(stream) == 40
    os.close(primary)
    assert width(io.StringIO()) is None


def test_lists_fit_a_terminal_of_80_columns():
    assert not too_long("\n".join(catalogue_lines(CATALOGUE, COLUMNS)))
    assert any(len(line) > COLUMNS for line in catalogue_lines(CATALOGUE)), "whole in a file"
    texts = [*summaries(), *(line for task in TASKS.values() for line in task_lines(task))]
    texts += [line for name in CATALOGUE.figures for line in lines(CATALOGUE, name, "quick")]
    assert not too_long(folded("\n".join(texts), COLUMNS))


def test_checks_fit_a_terminal_of_80_columns():
    """Tables, lines of the log and reports on failures have this width, for all figures of the gallery."""
    shown = [one for name in CATALOGUE.figures for one in gallery.at_presets(CATALOGUE, ROOT / gallery.FOLDER, name)]
    for one in shown:
        outcomes = one.figure_checks.outcomes
        assert not too_long(folded(table(outcomes, COLUMNS), COLUMNS)), one.figure.name
        about = failure_report(CATALOGUE, one.figure.name, one.preset, outcomes)
        texts = [sentence(one.figure.name, outcomes), *(about.lines() if about else ())]
        assert not too_long(folded("\n".join(texts), COLUMNS)), one.figure.name
    of_log = [f"[337/341, 95 s left] {one.figure.name}: {short(one.figure_checks.outcomes)}" for one in shown]
    assert sum(len(line) <= COLUMNS for line in of_log) > 0.9 * len(of_log), "most lines need no second line"


def on_terminal(project, *command):
    """What a command prints on a terminal of 80 columns, and its exit status."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = project.environment()
    environment.pop("COLUMNS", None)
    streams = {"stdin": subprocess.DEVNULL, "stdout": secondary, "stderr": secondary}
    with subprocess.Popen(command, cwd=project.root, env=environment, **streams) as process:
        os.close(secondary)
        printed = b""
        while True:
            try:
                part = os.read(primary, 65536)
            except OSError:  # the other end is closed
                break
            printed += part
        os.close(primary)
    return printed.decode().replace("\r\n", "\n"), process.returncode


@pytest.mark.slow
def test_no_line_of_the_workflow_wraps_on_a_terminal(project):
    shutil.rmtree(project.root / "figures/quick")
    text, status = on_terminal(project, "snakemake", "figures/quick/fig1.pdf")
    assert status == 0, text
    assert "fig1: fail 1/2, 1 fail" in text
    assert "next: twolayer check fig1 --preset quick" in text
    assert "figures/quick/fig1.pdf is made" in text
    of_snakemake = ("Using workflow specific profile",)  # Snakemake prints this line before it loads the logger
    assert [line for line in too_long(text) if not line.startswith(of_snakemake)] == []
    for command in (["list"], ["show", "fig1"], ["check", "fig1", "--preset", "quick"], ["check", "fig1"]):
        assert not too_long(on_terminal(project, "twolayer", *command)[0]), command


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "not_needed"),
    [
        ("run --help", "numpy yaml"),
        ("list", "scipy xarray numba pandas"),
        ("list --tasks", "scipy xarray numba pandas"),
        ("run online_sgd --help", "scipy xarray numba pandas"),
        ("compare Makefile Makefile", "scipy numba"),
        ("restore README.md", "scipy.stats numba matplotlib"),
    ],
)
def test_a_command_loads_only_what_it_needs(command, not_needed):
    program = (
        "import sys\n"
        "from twolayer.pipeline.cli import main\n"
        "try:\n"
        f"    main({command.split()})\n"
        "finally:\n"
        f"    print('loaded:', *set({not_needed.split()}).intersection(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].split() == ["loaded:"]

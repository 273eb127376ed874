"""Console output of Snakemake in short form: a line for each figure with its check result, progress, and failures.

The full messages of Snakemake are in `.snakemake/log/`. Options `--verbose` and `--printshellcmds` also show them on
the screen, even in a dry run. Snakemake finds the package under its name (`--logger twolayer`).
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from twolayer.errors import TwolayerError
from twolayer.pipeline.report.console import say
from twolayer.pipeline.report.format import duration

_EVERY = 30  # seconds between two lines of progress, if no figure is finished
_LAST_LINES = 12  # number of lines that are shown from the log of a failed job
_expected: dict[int, float] = {}  # number of a job -> minutes
_Explanation = Callable[[str, Path, list[Any]], Iterator[str]]
_explanations: list[_Explanation] = []  # see `explain`
_ABOVE = "(check individual jobs above for details)"  # the end of a message of a dry run, as Snakemake writes it


def expect(minutes: Mapping[int, float]) -> None:
    """State the expected time of each job by its number. The remaining time is in proportion to it."""
    _expected.clear()
    _expected.update(minutes)


def explain(lines: _Explanation) -> None:
    """Set the explanation of a figure that fails, which takes its name, its check file and the check results."""
    _explanations[:] = [lines]


class LogHandler(LogHandlerBase):
    """The handler that Snakemake uses."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self._jobs = {}  # number of a job -> its record
        self._start = self._told = time.monotonic()
        self._done = self._total = 0
        self._spent = 0.0  # expected minutes of the jobs that have ended
        self._begun = {}  # number of a running job -> time of its start
        self._first = None  # time of the first start of a job
        self._pdfs = []  # PDFs of the finished figures

    def emit(self, record: logging.LogRecord) -> None:
        """Print a short line for an event, or the full text of Snakemake if the options request it."""
        settings = self.common_settings
        if settings.verbose or settings.printshellcmds:
            self._print(self.format(record))
            return
        if settings.dryrun:
            self._would_do(record)
            return
        tell = {
            LogEvent.RUN_INFO: self._plan,
            LogEvent.JOB_INFO: self._remember,
            LogEvent.PROGRESS: self._progress,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.JOB_ERROR: self._failed,
        }.get(getattr(record, "event", None))
        if tell:
            tell(record)
        elif record.levelno >= logging.WARNING or _is_news(record):
            self._print(self.format(record))

    def _would_do(self, record):
        """Print a dry run: the number of jobs of each rule, one line for each figure, and the reasons."""
        event = getattr(record, "event", None)
        if record.levelno >= logging.WARNING:
            self._print(self.format(record))
        elif event == LogEvent.JOB_INFO and record.rule_name.startswith("figure_"):
            self._print(f"would make {record.output[0]}")
        elif event is None or (event == LogEvent.RUN_INFO and not self._total):
            self._total = record.stats["total"] if event else self._total
            self._print(self.format(record).replace(_ABOVE, "(each job by itself: --printshellcmds)"))

    def _plan(self, record):
        self._total = record.stats["total"]
        jobs = "1 job" if self._total == 1 else f"{self._total} jobs"
        self._print(f"{jobs}; the full log is in .snakemake/log/")

    def _remember(self, record):
        self._jobs[record.jobid] = record
        self._begun[record.jobid] = now = time.monotonic()
        self._first = self._first or now

    def _progress(self, record):
        self._done, self._total = record.done, record.total
        if self._done == self._total and self._pdfs:
            self._print(_places(self._pdfs))
        elif time.monotonic() - self._told > _EVERY:
            self._print(self._state())

    def _finished(self, record):
        self._begun.pop(record.job_id, None)
        self._spent += _expected.get(record.job_id, 0)
        job = self._jobs.get(record.job_id)
        if job is not None and job.rule_name.startswith("figure_"):
            self._pdfs.append(job.output[0])
            self._print(f"[{self._place()}] " + "\n".join(_outcome(job)))

    def _failed(self, record):
        self._begun.pop(record.jobid, None)
        log = [path for path in record.log if Path(path).is_file()]
        lines = Path(log[0]).read_text(errors="replace").splitlines()[-_LAST_LINES:] if log else []
        about = f", see {log[0]}" if log else ""
        self._print("\n".join([f"FAILED: {', '.join(record.output)}{about}", *(f"    {line}" for line in lines)]))

    def _place(self):
        return ", ".join(filter(None, (f"{self._done}/{self._total}", self._left())))

    def _state(self):
        passed = duration(time.monotonic() - self._start)
        left = self._left()
        return f"{self._done} of {self._total} jobs in {passed}" + (f", about {left}" if left else "")

    def _left(self):
        """Return the remaining time, at the present pace and at least as long as the longest running job needs.

        Running jobs count in part, so that the estimate exists when the first job ends.
        """
        now = time.monotonic()
        runs = [(_expected.get(job, 0.0), (now - since) / 60) for job, since in self._begun.items()]
        done, total = self._spent + sum(map(min, runs)), sum(_expected.values())
        if done == 0:
            return ""
        at_pace = (now - self._first) / 60 * max(total - done, 0.0) / done
        longest = max((expected - passed for expected, passed in runs), default=0.0)
        return f"{duration(60 * max(at_pace, longest))} left"

    def _print(self, text):
        self._told = time.monotonic()
        say(text, sys.stdout if self.common_settings.stdout else sys.stderr)


# Parts of messages at the level INFO that are shown: a submission to a cluster, no work, and the end after a signal.
_SHOWN = ("has been submitted with", "Nothing to be done", "Will exit after", "Terminating processes")


def _is_news(record):
    """Return whether a message at the level INFO is shown."""
    return any(words in str(record.msg) for words in _SHOWN)


def _places(pdfs):
    """Where the figures are that were made."""
    if len(pdfs) == 1:
        return f"{pdfs[0]} is made; its page is {Path(pdfs[0]).with_suffix('.html')}"
    folders = sorted({str(Path(pdf).parent) for pdf in pdfs})
    return f"{len(pdfs)} figures are made, with their pages, in {' and '.join(folders)}"


def _outcome(job):
    """Yield the check result of a figure in one line, and the lines that explain why it fails."""
    from twolayer.pipeline.report.checks import check_results, summary

    name, path = job.wildcards["figure"], _check_file(job)
    try:
        outcomes = check_results.read(path).outcomes
    except TwolayerError as error:
        yield f"{name}: {error}"
        return
    yield f"{name}: {summary.short(outcomes)}"
    yield from (f"    {line}" for lines in _explanations for line in lines(name, path, outcomes))


def _check_file(job):
    (path,) = (Path(file) for file in job.output if Path(file).suffix == ".json")
    return path

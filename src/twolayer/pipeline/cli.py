"""The command line."""

import argparse
import contextlib
import json
import logging
import os
import sys

from twolayer import __version__
from twolayer.errors import TwolayerError
from twolayer.extras import needing_extras
from twolayer.pipeline.commands import figures, maintenance, run
from twolayer.pipeline.commands.arguments import Command
from twolayer.pipeline.folders import SETTINGS, read_setting, stated
from twolayer.pipeline.home import replace_home
from twolayer.pipeline.project import check_program
from twolayer.pipeline.report.console import FoldedLog, say
from twolayer.storage.files import WRITE_REMEDIES, not_written

log = logging.getLogger("twolayer")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status: 0 for success, 1 for a failed check, 2 for an error of the user."""
    options = command_parser().parse_args(arguments)
    handler = FoldedLog(sys.stderr)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=[handler])
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it logs every glyph of a PDF
    # A log on a full disk must not stop the program, or print an error for each line.
    logging.raiseExceptions = False
    try:
        _state_settings(getattr(options, "config", []))
        replace_home()
        check_program()
        with needing_extras(f"the command twolayer {options.name}"):
            status = options.command(options)
        sys.stdout.flush()
        return status
    except TwolayerError as error:
        return _refuse(error)
    except MemoryError:
        return _refuse("there is not enough memory: use smaller sizes, or a larger machine")
    except BrokenPipeError:  # the reader has ended, as in `twolayer list | head`
        _discard_output()
        return 0
    except OSError as error:
        if error.errno not in WRITE_REMEDIES:
            raise
        if error.filename is None:
            _discard_output()
        return _refuse(not_written(error.filename or "the output", error))


def _discard_output():
    """Drop further standard output: the contents of its buffer would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _state_settings(words):
    """Apply settings of the command line to this process and its children."""
    if words:
        given = {key: read_setting(key, value) for key, _, value in (word.partition("=") for word in words)}
        os.environ[SETTINGS] = json.dumps({**stated(os.environ), **given})


def _refuse(reason):
    with contextlib.suppress(OSError):  # the log may be on a full disk
        say(f"error: {reason}", sys.stderr)
    return 2


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their arguments."""
    parser = argparse.ArgumentParser(
        prog="twolayer", description="Experiments and check results of the twolayer pipeline."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")
    for module in (run, figures, maintenance):
        for one in vars(module).values():
            if isinstance(one, Command):
                one.add_to(commands)
    return parser

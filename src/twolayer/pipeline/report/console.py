"""Lines for a terminal, folded between words at its width. Lines for files and pipes are not folded."""

import logging
import os
import re
import sys
import textwrap
from typing import TextIO

from twolayer.escaping import terminal

_LEAST = 40  # smallest number of columns for a text, also in narrower terminals
_INDENT = "    "  # indent of the second and all further lines
_LABEL = re.compile(r" *\S.*?  +")  # the start of a line with columns: the other lines begin below its second column


def width(stream: TextIO) -> int | None:
    """Return the columns of a terminal, or None if a stream is no terminal. `COLUMNS` takes precedence."""
    if not stream.isatty():
        return None
    stated = os.environ.get("COLUMNS", "")
    columns = int(stated) if stated.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    return max(columns or 80, _LEAST)


def folded(text: str, columns: int | None) -> str:
    """Fold the lines of a text between words. A word that is longer than a line, such as a path, stays whole.

    Args:
        columns: width of a line; None leaves the text as it is.
    """
    if columns is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def _parts(line, columns):
    if len(line) <= columns:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    label = _LABEL.match(line)
    indent = " " * label.end() if label and label.end() <= columns // 2 else margin + _INDENT
    return textwrap.wrap(
        line.lstrip(),
        columns,
        initial_indent=margin,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def say(text: object, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print a text, folded, with its control characters escaped.

    Args:
        stream: destination, by default standard output. end: string after the text.
    """
    stream = stream or sys.stdout
    print(folded(terminal(text), width(stream)), file=stream, end=end, flush=True)


class FoldedLog(logging.StreamHandler):
    """A handler of a logger, which prints messages folded."""

    def format(self, record: logging.LogRecord) -> str:
        return folded(super().format(record), width(self.stream))

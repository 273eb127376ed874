"""Write pages of the site from docstrings: functions, classes, keys of the configuration, and notation."""

import inspect
import re
from pathlib import Path

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.library.stub import declaration
from twolayer.pipeline import schema

_SECTION = re.compile(r"(Args|Attributes|Returns|Raises): ?(.*)")


def write(functions: Path, classes: Path) -> None:
    """Write a page of all functions and one of all classes."""
    names = [name for name in tl.__all__ if name not in TASKS]
    functions.write_text("# Functions\n\n" + "".join(_function(name) for name in tl.__all__ if name in TASKS))
    classes.write_text("# Classes, errors and files\n\n" + "".join(_class(name) for name in names))


def write_keys(page: Path) -> None:
    """Write the tables of the keys of the configuration."""
    page.write_text(schema.page(page.parents[1] / "config" / "schemas"))


def write_notation(page: Path) -> None:
    """Write the table of notation, as the package states it."""
    table = inspect.getdoc(tl).partition("a name here is the name in the code:\n")[2].rpartition("\nTime in online")[0]
    page.write_text(
        f"# Notation\n\n```text\n{inspect.cleandoc(table)}\n```\n\nTime in online learning is t = steps / N.\n"
    )


def _function(name):
    signature = declaration(name).partition('    """')[0].replace(":\n", "", -1).rstrip(": \n")
    return f"## {name}\n\n```python\n{signature}\n```\n\n{_described(inspect.getdoc(getattr(tl, name)))}\n\n"


def _class(name):
    return f"## {name}\n\n{_described(inspect.getdoc(getattr(tl, name)))}\n\n"


def _described(text):
    """A docstring in Markdown: its sections become lists."""
    lines, inside = [], False
    for line in (text or "").splitlines():
        if section := _SECTION.fullmatch(line):
            inside = True
            lines += ["", f"**{section[1]}** {section[2]}", ""]
        elif inside and re.match(r" {4}\S", line):
            name, colon, rest = line.strip().partition(":")
            lines.append(f"- `{name}`:{rest}" if colon else f"  {line.strip()}")
        else:
            lines.append(line.strip() if not inside else f"  {line.strip()}")
    return "\n".join(lines)

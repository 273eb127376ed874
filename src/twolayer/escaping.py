"""Text from configurations, data and results, escaped where it enters a page, a figure or a terminal.

One function for each medium. HTML is escaped by the templates themselves (jinja's `autoescape`).
"""

import re

_MARKDOWN = re.compile(r"[\\`*{}\[\]<>#|~$&]|(?<!\w)_|_(?!\w)")  # an underscore between letters is no markup
_FIRST = re.compile(r"^(\d+(?=[.)])|(?=[-+=%:(]))")  # lists, comments, directives and targets begin a line with these


def markdown(text: object) -> str:
    """Escape a text for a line of Markdown, so that it shows without markup, formulas, HTML and directives."""
    return _FIRST.sub(r"\1\\", _MARKDOWN.sub(r"\\\g<0>", one_line(text)))


def mathtext(text: object) -> str:
    """Escape a text for a label of a figure, in which Matplotlib takes text between two dollars as a formula."""
    return one_line(text).replace("$", r"\$")


def terminal(text: object) -> str:
    """Escape the control characters of a text for a terminal, as Python writes them."""
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in str(text))


def one_line(text: object) -> str:
    """Write a text on one line, without control characters."""
    return terminal(" ".join(str(text).split()))

"""The checks of a figure as a table, with the same columns on the console, on pages and in CSV files."""

import textwrap

from twolayer.figures.outcomes import NOT_APPLICABLE, CheckResult
from twolayer.pipeline.report.checks.summary import failures_first
from twolayer.pipeline.report.format import number, percent

COLUMNS = ("status", "quantity", "value", "reference", "deviation", "limit", "detects", "type")
LEGEND = """\
deviation, limit: at the point shown, in one unit; a check passes if the deviation is at most the limit
detects: median over the points of the smallest relative error that would make the check fail
margin: distance of a one-sided check from its limit, in standard errors"""


def columns(outcome: CheckResult) -> dict[str, str]:
    """Return the cells of a check, by the names of `COLUMNS`. A cell that does not apply is empty."""
    relative = outcome.difference is not None and outcome.detects is not None
    if relative:
        stated = outcome.kind in ("relative", "mean_relative")
        deviation, limit = percent(outcome.difference), percent(outcome.tolerance if stated else outcome.detects)
    elif outcome.status == NOT_APPLICABLE or outcome.kind == "ordering":
        deviation = limit = ""
    else:
        unit = " s.e." if outcome.kind == "z_score" else ""
        deviation, limit = (number(value) + unit for value in (outcome.deviation, outcome.tolerance))
    detects = percent(outcome.detects_median) if outcome.detects_median is not None else ""
    if outcome.margin is not None:
        detects = f"margin {outcome.margin:.2g} s.e."
    quantity = f"main check: {outcome.title}" if outcome.main else outcome.title
    if outcome.status == NOT_APPLICABLE:
        quantity += f" ({outcome.note})"
    return {
        "status": outcome.status,
        "quantity": quantity,
        "value": number(outcome.value, 4),
        "reference": number(outcome.reference, 4),
        "deviation": deviation,
        "limit": limit,
        "detects": detects,
        "type": outcome.compared,
    }


def table(judged: list[CheckResult], columns_of_terminal: int | None = None, width: int = 60) -> str:
    """Return the checks as lines of aligned columns, failures first, with a legend.

    Args:
        columns_of_terminal: width of the terminal. If the columns do not fit, each check has its quantity in one line
            and its numbers in the next; None allows any width.
        width: width of the column of quantities; longer text continues in the next line.
    """
    cells = [columns(outcome) for outcome in failures_first(judged)]
    rows = [dict(zip(COLUMNS, COLUMNS, strict=True)), *cells]
    widths = {name: min(max(len(row[name]) for row in rows), width) for name in COLUMNS}
    if columns_of_terminal is None or sum(widths.values()) + 2 * (len(widths) - 1) <= columns_of_terminal:
        lines = [line for row in rows for line in _lines(row, widths)]
    else:
        lines = [line for row in cells for line in _block(row, widths["status"] + 2, columns_of_terminal)]
    return "\n".join([*lines, "", LEGEND])


def _lines(row, widths):
    first, *rest = textwrap.wrap(row["quantity"], widths["quantity"]) or [""]
    yield "  ".join(text.ljust(widths[name]) for name, text in (row | {"quantity": first}).items()).rstrip()
    yield from (" " * (widths["status"] + 2) + part for part in rest)


def _block(row, margin, width):
    """Return a check for a narrow terminal: its status and its quantity, and below them its numbers."""
    numbers = ", ".join(f"{name} {row[name]}" for name in COLUMNS[2:-1] if row[name])
    parts = [
        f"{row['status']:{margin}}{row['quantity']}",
        " " * margin + "; ".join(filter(None, (numbers, row["type"]))),
    ]
    for part in parts:
        yield from textwrap.wrap(part, width, subsequent_indent=" " * margin, break_long_words=False)


def line(outcome: CheckResult) -> str:
    """Return a check in one line, for logs."""
    cells = columns(outcome)
    parts = [f"{outcome.value:.4g} (reference {outcome.reference:.4g})"] if outcome.value is not None else []
    parts += [f"deviation {cells['deviation']} (limit {cells['limit']})"] if cells["deviation"] else []
    parts += [cells["detects"]] if outcome.margin is not None else []
    about = "; ".join(filter(None, (cells["type"], outcome.note if outcome.status != NOT_APPLICABLE else "")))
    return f"{cells['status']}: {': '.join(filter(None, (cells['quantity'], ', '.join(parts))))} ({about})"

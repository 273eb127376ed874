"""The checks of a figure as a table, with the same columns on the console, on pages and in CSV files."""

import textwrap

from twolayer.figures.checks import NOT_APPLICABLE, Verdict
from twolayer.pipeline.report.format import number, percent

COLUMNS = ("status", "quantity", "value", "reference", "deviation", "limit", "detects", "type")
LEGEND = """\
deviation, limit: at the point shown, in one unit; a check passes if the deviation is at most the limit
detects: median over the points of the smallest relative error that would make the check fail
margin: distance of a one-sided check from its limit, in standard errors"""


def columns(verdict: Verdict) -> dict[str, str]:
    """The cells of a check, by the names of `COLUMNS`. A cell that does not apply is empty."""
    relative = verdict.difference is not None and verdict.detects is not None
    if relative:
        stated = verdict.kind in ("relative", "mean_relative")
        deviation, limit = percent(verdict.difference), percent(verdict.tolerance if stated else verdict.detects)
    elif verdict.status == NOT_APPLICABLE or verdict.kind == "ordering":
        deviation = limit = ""
    else:
        unit = " s.e." if verdict.kind == "z_score" else ""
        deviation, limit = (number(value) + unit for value in (verdict.deviation, verdict.tolerance))
    detects = percent(verdict.detects_median) if verdict.detects_median is not None else ""
    if verdict.margin is not None:
        detects = f"margin {verdict.margin:.2g} s.e."
    quantity = f"main check: {verdict.title}" if verdict.main else verdict.title
    if verdict.status == NOT_APPLICABLE:
        quantity += f" ({verdict.note})"
    return {
        "status": verdict.status,
        "quantity": quantity,
        "value": number(verdict.measured, 4),
        "reference": number(verdict.target, 4),
        "deviation": deviation,
        "limit": limit,
        "detects": detects,
        "type": verdict.compared,
    }


def table(judged: list[Verdict], width: int = 60) -> str:
    """The checks as lines of aligned columns, with a legend.

    Args:
        width: of the column of quantities; a longer one goes on in the next line.
    """
    rows = [dict(zip(COLUMNS, COLUMNS, strict=True)), *map(columns, judged)]
    widths = {name: min(max(len(row[name]) for row in rows), width) for name in COLUMNS}
    lines = [line for row in rows for line in _lines(row, widths)]
    return "\n".join([*lines, "", LEGEND])


def _lines(row, widths):
    first, *rest = textwrap.wrap(row["quantity"], widths["quantity"]) or [""]
    yield "  ".join(text.ljust(widths[name]) for name, text in (row | {"quantity": first}).items()).rstrip()
    yield from (" " * (widths["status"] + 2) + part for part in rest)


def line(verdict: Verdict) -> str:
    """A check in one line, for logs."""
    cells = columns(verdict)
    parts = [f"{verdict.measured:.4g} (reference {verdict.target:.4g})"] if verdict.measured is not None else []
    parts += [f"deviation {cells['deviation']} (limit {cells['limit']})"] if cells["deviation"] else []
    parts += [cells["detects"]] if verdict.margin is not None else []
    about = "; ".join(filter(None, (cells["type"], verdict.note if verdict.status != NOT_APPLICABLE else "")))
    return f"{cells['status']}: {': '.join(filter(None, (cells['quantity'], ', '.join(parts))))} ({about})"

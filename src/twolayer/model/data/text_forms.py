"""The form of a delimited text: its delimiter, its header and its decimal sign.

They are determined from the first lines, because a wrong form gives wrong but plausible numbers.
"""

import csv
import gzip
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twolayer.errors import DataError, shown

_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_LINES = 50  # number of lines that determine the form
_LONGEST_LINE = 10_000_000  # in characters
_MOST_COLUMNS = 50_000
_FEWEST_STEPS = 4  # numbers with equal steps in the first line, of which fewer are no scale
_MANY_STEPS = 16  # rising numbers in the first line, of which so many are a scale even if the steps differ
MISSING = {"", "?", "na", "n/a", "nan", "null", "none", "-", "<na>"}
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)  # 1,234 is one and a bit, or a thousand and more


@dataclass(frozen=True)
class Form:
    """The form of a delimited text.

    Attributes:
        delimiter: delimiter between fields. None means any number of spaces.
        decimal: decimal sign, a point or a comma.
        skipped: number of lines before the first sample.
        names: names of the columns. Without a header they are numbers from 0.
        row_names: whether the rows have one more field than the header, like row names in R.
    """

    delimiter: str | None
    decimal: str
    skipped: int
    names: tuple[str, ...]
    row_names: bool = False


def text_form(path: Path) -> Form:
    """Determine the form of a delimited text from its first lines.

    Raises:
        DataError: there are no lines, only a single column, or too many columns.
    """
    lines, comments = _first_lines(path)
    if not lines:
        raise DataError(f"{path} has no lines: give a row for each sample")
    delimiter, rows = _delimiter(lines)
    row_names = _check_fields(rows, path)
    commas = [one for row in rows for one in row if delimiter != "," and DECIMAL_COMMA.fullmatch(one)]
    if commas and all(map(_THOUSANDS.fullmatch, commas)):
        raise DataError(
            f"{path} has {shown(commas[0])}, whose comma separates either decimals or thousands: write numbers with a "
            "decimal point and without separators of thousands, such as 1234.5"
        )
    decimal = "," if commas else "."
    names = tuple(rows[0])
    if not _is_header(rows, decimal):
        return Form(delimiter, decimal, comments, tuple(map(str, range(len(names)))))
    return Form(delimiter, decimal, comments + 1, names, row_names)


def _check_fields(rows, path):
    """Check the numbers of fields of the first lines. Return whether all lines have one more than the header."""
    first, most = len(rows[0]), max(map(len, rows))
    if most > _MOST_COLUMNS:
        raise DataError(f"{path} has {most:,} columns: a text may have {_MOST_COLUMNS:,}, so {_AS_ARRAY}")
    if most < 2:
        raise DataError(
            f"{path} has a single column: give features and a label, with {', '.join(_DELIMITERS.values())} or spaces "
            "between them"
        )
    row_names = first > 1 and most > first and {len(row) for row in rows[1:]} == {first + 1}
    if most > first and not row_names:
        raise DataError(
            f"{path} has {first} fields in its first line and {most} in others: begin the file with the names of the "
            "columns or the first sample, and give each line as many fields"
        )
    if row_names and any(NUMBER.fullmatch(row[0]) and not row[0].isdigit() for row in rows[1:]):
        raise DataError(
            f"{path} has {first} names in its first line and {most} fields in others, and the first field of a line is "
            "a number: give each column a name"
        )
    if row_names and not any(row[-1] for row in rows[1:]):
        raise DataError(f"{path} has a delimiter at the end of each line after the first: remove it")
    return row_names


def _first_lines(path):
    """Return the first lines that are not empty, and the number of lines before them that are comments."""
    opener = gzip.open if is_gzip(path) else open
    with opener(path, "rt", encoding="utf-8-sig", newline=None) as file:
        comments, lines = 0, _lines(file, path)
        for line in lines:
            if not line.startswith("#") and line.strip():
                rest = (one for one in itertools.islice(lines, _LINES) if one.strip() and not one.startswith("#"))
                return [line, *rest], comments
            comments += 1
    return [], comments


def _lines(file, path):
    """Yield the lines of a text, of limited length."""
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise DataError(f"{path} has a line of more than {_LONGEST_LINE:,} characters: {_AS_ARRAY}")
        if "\0" in line:
            raise DataError(
                f"{path} has characters with the code 0, so it is no text in UTF-8: save it as CSV in UTF-8"
            )
        yield line


_AS_ARRAY = "give an array, for instance an .npz file"


def is_gzip(path: Path) -> bool:
    """Return whether a file is compressed by gzip."""
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _delimiter(lines):
    """Return the delimiter that gives all lines the largest common number of numbers, and the fields of the lines."""

    def fields(delimiter):
        single = lines if delimiter else [" ".join(line.split()) for line in lines]
        rows = csv.reader(single, delimiter=delimiter or " ", skipinitialspace=True)
        try:
            return [[one.strip() for one in row] for row in rows]
        except csv.Error:  # a field is too long, so that this is not the delimiter
            return [[line] for line in lines]

    def merit(rows, delimiter):
        body = [one for row in rows[1:] or rows for one in row]
        good = sum(_is_number(one, delimiter) or one.lower() in MISSING for one in body) / max(len(body), 1)
        several = max(map(len, rows)) > 1
        return several, len({len(row) for row in rows[1:]}) <= 1, good, len(rows[-1])

    found = [(delimiter, fields(delimiter)) for delimiter in (*_DELIMITERS, None)]
    return max(found, key=lambda one: merit(one[1], one[0]))


def _is_number(text, delimiter=None):
    return bool(NUMBER.fullmatch(text)) or (delimiter != "," and bool(DECIMAL_COMMA.fullmatch(text)))


def _is_header(rows, decimal):
    """Return whether the first row has names: texts where later rows have numbers, or the numbers of the columns."""
    first, body = rows[0], rows[1:]
    delimiter = "," if decimal == "." else None
    numeric = [_is_number(one, delimiter) for one in first]
    if not any(numeric):
        return True
    if len(first) - sum(numeric) - first.count("") <= 1 and not _is_repeated(first[-1], body):
        numbers = [one for one, is_number in zip(first, numeric, strict=True) if is_number]
        if numbers == list(map(str, range(len(numbers)))):
            fractions = any(not one.isdigit() for row in body for one in row if _is_number(one, delimiter))
            return len(numbers) > 3 or (len(numbers) > 1 and fractions)
        if _are_positions(first, body):
            return True
    places = range(min(len(first), *(len(row) for row in body)) if body else 0)
    return any(
        not numeric[place]
        and first[place].lower() not in MISSING
        and all(_is_number(row[place], delimiter) for row in body)
        for place in places
    )


def _is_repeated(label, body):
    """Return whether a text is a label of later rows as well."""
    return not _is_number(label) and any(row[-1] == label for row in body)


def _are_positions(first, body):
    """Return whether the first row has numbers on a scale, such as years or wavelengths, and no later row does.

    Few numbers must be whole numbers with equal steps above columns of fractions, of which the label is often none.
    """
    numbers, *others = (_finite_numbers(row) for row in (first, *body))
    if len(numbers) >= _MANY_STEPS:
        return _is_monotonic(numbers) and not any(map(_is_monotonic, others))
    fractions = sum(any(not one.isdigit() for one in column) for column in itertools.zip_longest(*body, fillvalue="0"))
    whole = all(one.isdigit() for one in first if _is_number(one))
    even = [len(row) > 1 and np.ptp(np.diff(row)) == 0 and row[0] != row[1] for row in (numbers, *others)]
    return len(numbers) >= _FEWEST_STEPS and whole and fractions >= len(first) - 1 and even[0] and not any(even[1:])


def _finite_numbers(row):
    numbers = np.array([float(one.replace(",", ".")) for one in row if _is_number(one)])
    return numbers[np.isfinite(numbers)]


def _is_monotonic(numbers):
    steps = np.diff(numbers)
    return bool((steps > 0).all() or (steps < 0).all())

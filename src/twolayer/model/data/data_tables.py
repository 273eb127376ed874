"""Tables of features and labels: delimited text, Parquet files, and pandas DataFrames.

The form of a text (delimiter, header, decimal sign) is determined from its first lines, because a wrong form gives
wrong but plausible numbers.
"""

import csv
import gzip
import itertools
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from twolayer.errors import ConfigError, DataError, known, shown
from twolayer.parameters import LARGEST_EXACT
from twolayer.storage.files import check_size

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("twolayer")

_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_LINES = 50  # number of lines that determine the form
_LONGEST_LINE = 10_000_000  # in characters
_MOST_COLUMNS = 50_000
_FEWEST_STEPS = 4  # numbers with equal steps in the first line, of which fewer are no scale
_MANY_STEPS = 16  # rising numbers in the first line, of which so many are a scale even if the steps differ
_LONGEST_LABEL = 10_000  # in characters
MISSING = {"", "?", "na", "n/a", "nan", "null", "none", "-", "<na>"}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)  # 1,234 is one and a bit, or a thousand and more
_NO_NAME = re.compile(r"Unnamed: \d+")  # name that pandas gives to a column without a name


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


def text_blocks(
    path: Path, labels: str | None, leave_out: Sequence[str], size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Read the features (b, N) and the labels (b,), as texts, of a delimited text file.

    Args:
        labels: column of the labels, the last column if None. leave_out: columns that are not features.
        size: number of samples in a block.

    Raises:
        DataError: the columns are not numbers, or a value or a label is missing.
        ConfigError: a column is unknown.
    """
    import pandas as pd

    form = text_form(path)
    columns = _columns(path, form.names, labels, leave_out)
    names = [*(["row name"] if form.row_names else []), *form.names]
    with pd.read_csv(
        path,
        sep=r"\s+" if form.delimiter is None else form.delimiter,
        decimal=form.decimal,
        header=None,
        names=range(len(names)),
        skiprows=form.skipped,
        dtype={names.index(columns.label): str},
        keep_default_na=False,
        na_values={place: ["", "NA", "NaN", "nan"] for place, name in enumerate(names) if name != columns.label},
        skipinitialspace=True,
        index_col=False,
        chunksize=size,
        encoding="utf-8-sig",
        compression="gzip" if _is_gzip(path) else None,
        low_memory=False,
    ) as frames:
        for start, frame in zip(itertools.count(step=size), frames, strict=False):
            frame = frame.set_axis(names, axis=1)
            if form.decimal == ",":
                commas = frame[columns.label].str.fullmatch(_DECIMAL_COMMA.pattern).fillna(False).astype(bool)
                frame.loc[commas, columns.label] = frame.loc[commas, columns.label].str.replace(",", ".")
            yield from frame_blocks(frame, columns, str(path), size, first=start)


def parquet_blocks(
    path: Path, labels: str | None, leave_out: Sequence[str], size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Read the features and the labels of a Parquet file, see `text_blocks`.

    Raises:
        DataError: pyarrow is not installed, or the columns are not numbers.
        TooLarge: the table is larger than the limit.
    """
    import pandas as pd

    try:
        from pyarrow.parquet import read_metadata
    except ImportError:
        raise DataError(f"{path} is a Parquet file: install pyarrow to read it, or save it as CSV") from None
    about = read_metadata(path)
    unpacked = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    check_size(max(unpacked, 8 * about.num_rows * about.num_columns), path)  # repeated values take no space in the file
    frame = pd.read_parquet(path, engine="pyarrow")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    return frame_blocks(frame, _columns(path, tuple(frame.columns), labels, leave_out), str(path), size)


@dataclass(frozen=True)
class Columns:
    """The columns of a table that are features, and the column of the label."""

    features: tuple[str, ...]
    label: str


def frame_blocks(
    frame: "pd.DataFrame", columns: Columns, name: str, size: int, *, first: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Split a table into blocks of features and labels.

    Args:
        name: name of the table, for errors. first: number of its first sample.

    Raises:
        DataError: a column has no numbers, or a value or a label is missing.
    """
    for start in range(0, len(frame), size):
        block = frame.iloc[start : start + size]
        features = numbers_of(block[list(columns.features)], name, first + start)
        labels = block[columns.label]
        texts = labels.astype(str).str.strip()
        if (lacking := np.flatnonzero(labels.isna() | (texts == ""))).size:
            raise DataError(f"{name}: sample {first + start + lacking[0]} has no label in column {columns.label!r}")
        if (
            long := np.flatnonzero(texts.str.len() > _LONGEST_LABEL)
        ).size:  # an array reserves its length for each sample
            raise DataError(
                f"{name}: sample {first + start + long[0]} has a label of more than {_LONGEST_LABEL:,} characters in "
                f"column {columns.label!r}: name the column of the labels"
            )
        yield features, texts.to_numpy(str) if labels.dtype.kind not in "biuf" else labels.to_numpy()


def numbers_of(table: "pd.DataFrame", name: str, first: int = 0) -> np.ndarray:
    """Convert the columns of a table to numbers.

    Args:
        name: name of the table, for errors. first: number of its first sample.

    Raises:
        DataError: a column has no numbers, a value is missing, or double precision rounds a whole number.
    """
    if all(map(_is_numeric, table.dtypes)):
        found = table.to_numpy(float, na_value=np.nan)
        if not np.isnan(found).any() and not (np.abs(found) > LARGEST_EXACT).any():
            return found
    found = np.empty(table.shape)
    for place, column in enumerate(table):
        values = table[column]
        if (lacking := np.flatnonzero(values.isna())).size and _is_numeric(values.dtype):
            raise DataError(f"{name}: sample {first + lacking[0]} has no value in column {column!r}: {_FILL}")
        if not _is_numeric(values.dtype):
            values = _whole_numbers(values, column, name, first)
        check_exact(values.to_numpy(), f"{name}: column {column!r}")
        found[:, place] = values
    return found


def check_exact(values: np.ndarray, where: str) -> None:
    """Check that double precision has all whole numbers of an array, exactly or with the digits that are shown.

    Raises:
        DataError: a number would be rounded.
    """
    if values.dtype.kind not in "iuO":
        return
    for number in map(int, values[np.abs(values.astype(float)) > LARGEST_EXACT].flat):
        if number not in (int(float(number)), int(Decimal(repr(float(number))))):
            raise DataError(
                f"{where} has {number}, which double precision rounds: leave the feature out, or subtract a number "
                "from all its values"
            )


def _is_numeric(dtype):
    import pandas as pd

    return pd.api.types.is_numeric_dtype(dtype) and dtype.kind != "c"


def _whole_numbers(values, column, name, first):
    """Convert whole numbers with many digits, which pandas reads as texts."""
    if not values.astype(str).str.fullmatch(r"\s*[+-]?[0-9]+\s*").all():
        raise DataError(f"{name}: {_no_numbers(values, column, first)}")
    return values.map(int).astype(object)


_FILL = "fill it in, or remove the sample (samples count from 0)"


def _no_numbers(values, column, first):
    """Describe the contents of a column without numbers, and the remedy."""
    texts = values.astype(str).fillna("").str.strip(" \t")
    lacking = values.isna() | texts.str.lower().isin(MISSING)
    others = np.flatnonzero(~lacking & texts.map(_NUMBER.fullmatch).isna())
    if 2 * others.size > len(texts) - lacking.sum():
        text = texts.iloc[others[0]]
        write = "plain numbers, such as 1234.5" if any(map(str.isdigit, text)) else "0 and 1 for each of its values"
        return (
            f"column {column!r} has {shown(text)} instead of a number: list it in leave_out, name it as labels, or "
            "write "
            f"{write}"
        )
    if not others.size and not lacking.any():
        return (
            f"column {column!r} has the text {shown(texts.iloc[0])} instead of a number: use one decimal sign in the "
            "file, and store the column as numbers"
        )
    place = others[0] if others.size else np.flatnonzero(lacking)[0]
    found = "no value" if values.isna().iloc[place] else shown(texts.iloc[place])
    return f"sample {first + place} has {found} in column {column!r}: {_FILL}"


def _columns(path, names, labels, leave_out):
    """Return the columns of a table with these names."""
    label, counts = names[-1] if labels is None else labels, Counter(names)
    for parameter, wanted in (("labels", [label]), ("leave_out", leave_out)):
        for name in wanted:
            if name not in counts:
                raise ConfigError(f"{path} has no column {name!r}: set {parameter} to {known(names, name)}")
    if label in leave_out:
        raise ConfigError(f"leave_out lists {label!r}, the column of the labels: set labels to another column")
    if twice := [name for name in names if name and counts[name] > 1]:
        raise DataError(f"{path} has two columns {twice[0]!r}: give each column its own name")
    index = [name for name in names[:1] if name == "" or _NO_NAME.fullmatch(name)]
    if unnamed := [place for place, name in enumerate(names) if name == "" and place]:
        raise DataError(
            f"{path}: column {unnamed[0]} (counted from 0) has no name: name it, or remove the delimiter at the end of "
            "each line"
        )
    if index and label != index[0]:
        log.warning("%s: the first column has no name and counts as names of the rows, not as a feature", path)
    others = {label, *leave_out, *index}
    features = tuple(name for name in names if name not in others)
    if not features:
        raise DataError(
            f"{path} has no column of features, only labels: give at least two columns (found {len(names)})"
        )
    return Columns(features, label)


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
    commas = [one for row in rows for one in row if delimiter != "," and _DECIMAL_COMMA.fullmatch(one)]
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
    if row_names and not any(row[-1] for row in rows[1:]):
        raise DataError(f"{path} has a delimiter at the end of each line after the first: remove it")
    return row_names


def _first_lines(path):
    """Return the first lines that are not empty, and the number of lines before them that are comments."""
    opener = gzip.open if _is_gzip(path) else open
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


def _is_gzip(path):
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
    return bool(_NUMBER.fullmatch(text)) or (delimiter != "," and bool(_DECIMAL_COMMA.fullmatch(text)))


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

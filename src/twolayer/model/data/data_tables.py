"""Tables of features and labels: delimited text, Parquet files, and pandas DataFrames."""

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
from twolayer.model.data.text_forms import DECIMAL_COMMA, MISSING, NUMBER, is_gzip, text_form
from twolayer.parameters import LARGEST_EXACT
from twolayer.storage.files import check_size

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("twolayer")

_LONGEST_LABEL = 10_000  # in characters
_NO_NAME = re.compile(r"Unnamed: \d+")  # name that pandas gives to a column without a name


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
        compression="gzip" if is_gzip(path) else None,
        low_memory=False,
    ) as frames:
        for start, frame in zip(itertools.count(step=size), frames, strict=False):
            frame = frame.set_axis(names, axis=1)
            if form.decimal == ",":
                commas = frame[columns.label].str.fullmatch(DECIMAL_COMMA.pattern).fillna(False).astype(bool)
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
    forms = map(about.schema.column, range(about.num_columns))
    texts = [form.path for form in forms if form.physical_type == "BYTE_ARRAY"]
    frame = pd.read_parquet(path, engine="pyarrow", read_dictionary=texts)  # each text once
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    columns = _columns(path, tuple(frame.columns), labels, leave_out)
    for values in frame[[*columns.features, columns.label]].select_dtypes("category").to_dict("series").values():
        check_size(size * max(map(len, map(str, values.cat.categories)), default=0), path)  # a block has it in each row
    return frame_blocks(frame, columns, str(path), size)


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
            raise DataError(
                f"{name}: sample {first + start + lacking[0]} has no label in column {columns.label!r}: {_FILL}"
            )
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
    others = np.flatnonzero(~lacking & texts.map(NUMBER.fullmatch).isna())
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

"""Labels with two values, from numbers or texts."""

import math
import re
from collections.abc import Sequence

import numpy as np

from twolayer.errors import DataError, known, shown
from twolayer.experiments.samples import never_changes
from twolayer.model.data.text_forms import MISSING, NUMBER
from twolayer.parameters import LARGEST_EXACT

_FEW = 5  # number of values in an error message
_LEAST = 5  # smallest number of samples of each label
_MANY = 20  # number of different values above which they are more likely measurements than classes
_LACKING = {"", "?", "nan", "NaN", "<NA>"}
_CODE = re.compile(r"[+-]?0[0-9]+")  # a name, such as a postcode, instead of a number


def two_valued(
    values: np.ndarray, positive: Sequence[str] | None, threshold: float | None, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels -1 and 1 (n,), and the number of the class of each sample.

    Args:
        values: (n,) numbers or texts. positive: texts that count as 1, by default the larger of two.
        threshold: numbers above it count as 1, and define the two classes. name: name of the data, for errors.

    Raises:
        DataError: a label is missing, or the labels do not define two classes.
    """
    values = _numbers(values, name, codes=threshold is None)
    if threshold is not None:
        if values.dtype.kind == "U":
            raise DataError(f"threshold is {threshold:g}, but the labels of {name} are texts: list some in positive")
        above = values > threshold
        if above.all() or not above.any():
            raise DataError(
                f"threshold is {threshold:g}, but the labels of {name} range from {values.min():g} to "
                f"{values.max():g}: "
                "set it between them"
            )
        signs, classes = np.where(above, 1.0, -1.0), above.astype(int)
    else:
        found, classes = np.unique(values, return_inverse=True)
        _check_distinct(found, name)
        numbers = values.dtype.kind != "U"
        if positive is not None and numbers:
            positive = [_as_number(text) for text in positive]
        signs = _signs([_text(value) for value in found], positive, numbers, name)[classes]
    for sign in (-1, 1):
        if (count := int((signs == sign).sum())) < _LEAST:
            raise DataError(f"{count} samples of {name} have the label {sign}: give at least {_LEAST} of each label")
    return signs, classes


def _numbers(values, name, codes):
    """Return labels as numbers if all of them are numbers, else as texts; numbers that begin with zero may be codes."""
    if values.dtype.kind == "U":
        values = np.char.strip(values)
        lacking = np.flatnonzero(np.isin(values, list(_LACKING)))
        if lacking.size:
            raise DataError(f"{name} has no label for sample {lacking[0]} (counted from 0): give every sample a label")
        if codes and any(map(_CODE.fullmatch, values)):
            return values
        different = np.unique(values)
        texts = [text for text in different.tolist() if not _is_number(text)]
        if texts and len(texts) < len(different) and {text.lower() for text in texts} <= MISSING:
            place = np.flatnonzero(values == texts[0])[0]
            raise DataError(
                f"{name} has the label {shown(texts[0])} for sample {place} (counted from 0) and numbers for others: "
                "give every sample a number, or write texts only"
            )
        if texts or (codes and np.abs(different.astype(float)).max() > LARGEST_EXACT):
            return values
        return values.astype(float)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise DataError(f"{name} has the label {values[~np.isfinite(values)][0]}: give every sample a finite label")
    return values


def _is_number(text):
    # Python also reads 1_1 as 11, and digits of other scripts
    return bool(NUMBER.fullmatch(text)) and math.isfinite(float(text))


def _check_distinct(values, name):
    """Check that different labels (k,), sorted, differ in more than rounding or the case and spaces of letters."""
    if values.dtype.kind == "U":
        first = {}
        for text in values.tolist():
            other = first.setdefault(" ".join(text.casefold().split()), text)
            if other != text:
                raise DataError(
                    f"{name} has the labels {shown(other)} and {shown(text)}, which differ only in case or spaces: "
                    "write equal labels in one way, and give different labels different names"
                )
    elif values.dtype.kind == "f":
        same = np.flatnonzero(never_changes(values[:-1], values[1:], np.finfo(values.dtype).eps))
        if same.size:
            low, high = values[same[0]], values[same[0] + 1]
            raise DataError(f"{name} has the labels {low} and {high}, which differ only by rounding: round them")


def _as_number(text):
    """Return a value of `positive` in the form of labels that are numbers."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return str(int(text))
    return _text(np.float64(text)) if _is_number(text) else text


def _text(value):
    """Return a value in the form in which `positive` lists it."""
    if isinstance(value, np.floating) and value.is_integer():
        return str(int(value))
    return str(value)


def _signs(names, positive, numbers, name):
    """Return the sign of each value."""
    if len(names) < 2:
        raise DataError(f"all labels of {name} are {shown(names[0])}: give samples of two classes")
    if positive is None:
        if len(names) > 2:
            some = ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
            remedy = "list the values that count as 1 in positive"
            if numbers and len(names) > _MANY:
                remedy = "set threshold to the number above which values count as 1"
            raise DataError(f"the labels of {name} take {len(names)} values ({some}): {remedy}")
        positive = names[1:]
    if unknown := sorted(set(positive) - set(names)):
        raise DataError(
            f"positive lists {shown(unknown[0])}, which is not a label of {name}: choose among "
            f"{known(names, unknown[0])}"
        )
    signs = np.where(np.isin(names, list(positive)), 1.0, -1.0)
    if np.ptp(signs) == 0:
        raise DataError(f"positive lists all labels of {name}: leave some to count as -1")
    return signs

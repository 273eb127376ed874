"""Compare results variable by variable: two files, or two folders with the same files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from twolayer import io
from twolayer.errors import ConfigError

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """The difference of one variable between two results.

    Attributes:
        absolute: largest difference; over seeds, the largest difference of the means.
        relative: the largest difference in units of the largest value. errors: in standard errors of the difference at
            that point, or None if no error is known.
        note: reason if there are no numbers, or which values they leave out.
    """

    result: str
    variable: str
    absolute: float | None = None
    relative: float | None = None
    errors: float | None = None
    note: str = ""


def compare(one: Path, other: Path) -> list[Difference]:
    """Compare two results, or all results of two folders. Variables that are identical are left out.

    Raises:
        ConfigError: one is a folder and the other is not, or one is missing.
        ResultError: a result cannot be read.
    """
    for path in (one, other):
        if not path.exists():
            raise ConfigError(f"{path} does not exist: give two results, or two folders of results")
    if one.is_dir() != other.is_dir():
        raise ConfigError(f"{one} and {other} are a folder and a file: give two results, or two folders of results")
    if not one.is_dir():
        return list(dataset_differences(one.name, io.read(one), io.read(other)))
    names, others = ({str(path.relative_to(root)) for path in root.rglob("*.nc")} for root in (one, other))
    found = [Difference(name, "", note=f"only in {one}") for name in sorted(names - others)]
    found += [Difference(name, "", note=f"only in {other}") for name in sorted(others - names)]
    for name in sorted(names & others):
        found += dataset_differences(name, io.read(one / name), io.read(other / name))
    return found


def table(differences: list[Difference]) -> str:
    """Return the differences as lines of aligned columns."""
    rows = [("result", "variable", "difference", "relative", "standard errors", "")]
    rows += [
        (d.result, d.variable, *(_number(value) for value in (d.absolute, d.relative, d.errors)), d.note)
        for d in differences
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _number(value):
    return "" if value is None else f"{value:.3g}"


def dataset_differences(result: str, one: xr.Dataset, other: xr.Dataset) -> Iterator[Difference]:
    for name in sorted({*one.variables, *other.variables}, key=str):
        if name not in one.variables or name not in other.variables:
            yield Difference(result, name, note=f"only in the {'second' if name in other.variables else 'first'}")
        elif not one[name].variable.equals(other[name].variable):
            yield _difference(result, name, one, other)


def _difference(result, name, one, other):
    first, second = one[name], other[name]
    if first.sizes != second.sizes:
        return Difference(result, name, note=f"sizes {dict(first.sizes)} and {dict(second.sizes)}")
    if first.dtype.kind not in "iuf" or second.dtype.kind not in "iuf":
        return Difference(result, name, note="different texts or flags")
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        (means, errors), (other_means, other_errors) = (_mean_and_error(data, name) for data in (one, other))
        gap = np.abs(means - other_means)
    common = np.isfinite(gap)
    if not common.any():
        return Difference(result, name, note="no common finite value")
    alone = int(np.sum(np.isfinite(means) != np.isfinite(other_means)))
    gap = np.where(common, gap, 0.0)
    worst = np.argmax(gap)
    largest = np.abs(np.where(common, [means, other_means], 0.0)).max()
    error = np.hypot(errors, other_errors).ravel()[worst]
    if error < _ROUNDING * largest:  # seeds that agree up to rounding have no error to compare with
        error = np.nan
    return Difference(
        result,
        name,
        absolute=float(gap.ravel()[worst]),
        relative=float(gap.ravel()[worst] / largest) if largest else None,
        errors=float(gap.ravel()[worst] / error) if error > 0 else None,
        note=f"{alone} values are finite in one only" if alone else "",
    )


def _mean_and_error(data, name):
    """Return values and standard errors: over seeds if there are several, else the errors in the result."""
    values = data[name].astype(float)
    if values.sizes.get("seed", 1) > 1 and name != "seed":
        error = values.std("seed", ddof=1) / np.sqrt(values.sizes["seed"])
        return values.mean("seed").values, error.values
    stated = data.get(f"{name}_sem")
    known = stated is not None and stated.sizes == values.sizes
    return values.values, stated.values if known else np.full(values.shape, np.nan)

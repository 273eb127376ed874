"""The data of a figure: results of its runs, and tables of published values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import xarray as xr

from twolayer.errors import ConfigError, known

_COMPANIONS = ("_sem", "_reading")


@dataclass(frozen=True)
class Source:
    """A result, or a table of published values (without family and point).

    Attributes:
        family: entry of the study's file with the run. point: point of its grid, {parameter: value}.
        parameters: parameters of the run, with all defaults.
    """

    data: xr.Dataset
    family: str | None = None
    point: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] | None = None


_REMEDY = "add it to the runs of the figure, or correct the name"


class Evidence(Mapping):
    """Results and tables by their names, at one preset.

    The standard error `x_sem` and the reading error `x_reading` of a variable x are among its coordinates, so that
    every selection includes them.

    Attributes:
        preset: preset of the results.
        sources: results and tables by their names, with the parameters of their runs.
    """

    def __init__(self, preset: str, sources: Mapping[str, Source]):
        self.preset = preset
        self.sources = sources
        self._data = {name: _arranged(source.data) for name, source in sources.items()}

    def __getitem__(self, name: str) -> xr.Dataset:
        if name not in self._data:
            raise ConfigError(f"unknown run {name!r}: the figure reads {known(self._data, name)}: {_REMEDY}")
        return self._data[name]

    def get(self, name: str, default: xr.Dataset | None = None) -> xr.Dataset | None:
        """Return the result or table with a name, or a default if there is none."""
        return self._data.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def grid(self, family: str) -> list[tuple[Mapping[str, Any], xr.Dataset]]:
        """Return the runs of a family: point of the grid, and result.

        Raises:
            ConfigError: the figure reads no run of that family.
        """
        found = [(source.point, self._data[name]) for name, source in self.sources.items() if source.family == family]
        if not found:
            names = sorted({source.family for source in self.sources.values() if source.family})
            raise ConfigError(f"unknown family {family!r}: the figure reads {known(names, family)}: {_REMEDY}")
        return found

    def names(self, family: str) -> list[str]:
        """Return the names of the runs of a family, in the order of `grid`.

        Raises:
            ConfigError: the figure reads no run of that family.
        """
        self.grid(family)
        return [name for name, source in self.sources.items() if source.family == family]

    def find(self, family: str, **point: Any) -> xr.Dataset:
        """Return the only run of a family whose parameters on the grid have these values.

        Raises:
            ConfigError: there is no such run, or there are several.
        """
        return self._data[self.name_of(family, **point)]

    def name_of(self, family: str, **point: Any) -> str:
        """Return the name of the only run of a family whose parameters on the grid have these values.

        Raises:
            ConfigError: there is no such run, or there are several.
        """
        runs = self.grid(family)
        found = [
            name
            for name, source in self.sources.items()
            if source.family == family and point.items() <= (source.point or {}).items()
        ]
        if len(found) != 1:
            remedy = (
                "remove all but one of them from the runs of the figure"
                if found
                else "add a run with these values to the runs of the figure, and to the grid if it lacks it"
            )
            raise ConfigError(
                f"{len(found)} runs of {family!r} have {point}: the figure reads "
                f"{known(str(here) for here, _ in runs)}: {remedy}"
            )
        return found[0]

    def parameter(self, name: str, key: str) -> Any:
        """Return the value of a parameter of a run, for titles, labels and names of checks.

        Args:
            name: name of the run. key: key of the parameter, with dots if it is nested: "schedule.learning_rate".

        Raises:
            ConfigError: the figure reads no such run, or the run has no such parameter.
        """
        self[name]
        value = self.sources[name].parameters
        for part in key.split("."):
            if not isinstance(value, Mapping) or part not in value:
                names = known(value, part) if isinstance(value, Mapping) else "none"
                raise ConfigError(f"run {name!r} has no parameter {key!r}: it has {names}: correct the name")
            value = value[part]
        return value

    def as_published(self, name: str, **values: Any) -> "Evidence | Absent":
        """Return this evidence if a run has the parameters of the paper, else `Absent`: a check then does not apply.

        Args:
            name: name of the run. values: values of the paper. A double underscore replaces a dot:
                schedule__learning_rate=0.2.

        Raises:
            ConfigError: the figure reads no such run, or the run has no such parameter.
        """
        return self.with_parameters(name, "the paper's is", **values)

    def with_parameters(self, name: str, because: str, /, **values: Any) -> "Evidence | Absent":
        """Return this evidence if a run has certain parameters, else `Absent`, so that a check does not apply.

        Args:
            name: name of the run. because: phrase before the expected value in the reason: "the reference has".
            values: the expected values. A double underscore replaces a dot.

        Raises:
            ConfigError: the figure reads no such run, or the run has no such parameter.
        """
        for key, expected in values.items():
            value = self.parameter(name, key.replace("__", "."))
            if value != expected:
                return Absent(f"{key.rpartition('__')[2]} is {value}, {because} {expected}")
        return self

    def at(self, *presets: str) -> "Evidence | Absent":
        """Return the evidence if the preset is one of these, else an absent value, so that a check does not apply."""
        return self if self.preset in presets else Absent(f"for the {' and '.join(presets)} preset only")


class Absent:
    """A replacement for missing results: every value computed from it is absent as well."""

    def __init__(self, reason: str):
        self.reason = reason

    def _same(self, *_, **__):
        return self

    __call__ = __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __pow__ = __neg__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = __and__ = _same
    __iter__ = None  # a loop over absent values would silently drop their checks

    def __getattr__(self, _):
        return self


def points_of(array: xr.DataArray | Absent, among: str) -> xr.DataArray | Absent:
    """Return an array if it has points, else an absent value, so that a check does not apply.

    Args:
        among: description of the points that the run lacks: "noise levels of the published curve".
    """
    if isinstance(array, Absent) or array.size:
        return array
    return Absent(f"the run has none of the {among}")


def _arranged(dataset):
    """Return a dataset with its errors as coordinates, and with its axes in ascending order.

    The configuration may list the values of an axis in any order. Ridges keep their order, in which legends list them.
    """
    numbers = [name for name in dataset.indexes if dataset[name].dtype.kind in "iuf" and name != "ridge"]
    unsorted = [name for name in numbers if not dataset.indexes[name].is_monotonic_increasing]
    return dataset.sortby(unsorted).set_coords([name for name in dataset.data_vars if str(name).endswith(_COMPANIONS)])

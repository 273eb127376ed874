"""The origin of the results of a figure: time, program, machine and duration."""

from collections.abc import Iterable
from dataclasses import dataclass

import xarray as xr


@dataclass(frozen=True)
class Provenance:
    """The origin that the results of a figure record.

    Attributes:
        runs: number of runs. seconds: total wall time.
        first, last: times of the oldest and the newest result in UTC, as YYYY-MM-DD HH:MM.
        commits: commits of the program. versions: versions of this package, Python and the libraries, "numpy 2.3.0".
        machines: the processors with their vector instructions, or the architecture if a result does not record its
            processor.
    """

    runs: int
    seconds: float
    first: str
    last: str
    commits: tuple[str, ...]
    versions: tuple[str, ...]
    machines: tuple[str, ...]

    @classmethod
    def of(cls, results: Iterable[xr.Dataset]) -> "Provenance":
        """Collect the origin from the attributes of results; arrays without them, tables of published values, are left
        out.
        """
        made = [result.attrs for result in results if "created" in result.attrs]
        dates = sorted(attributes["created"][:16].replace("T", " ") for attributes in made) or ["-"]
        return cls(
            len(made),
            round(sum(float(attributes["wall_time_s"]) for attributes in made), 1),
            dates[0],
            dates[-1],
            _distinct(attributes["git_commit"] for attributes in made),
            _distinct(version for attributes in made for version in _versions(attributes)),
            _distinct(attributes.get("processor", attributes["machine"]) for attributes in made),
        )

    @classmethod
    def together(cls, parts: Iterable["Provenance"]) -> "Provenance":
        """Combine the origins of all figures. A result that several figures read counts once for each of them."""
        each = list(parts)
        return cls(
            sum(one.runs for one in each),
            round(sum(one.seconds for one in each), 1),
            min((one.first for one in each), default="-"),
            max((one.last for one in each), default="-"),
            _distinct(commit for one in each for commit in one.commits),
            _distinct(version for one in each for version in one.versions),
            _distinct(machine for one in each for machine in one.machines),
        )


def _versions(attributes):
    yield f"twolayer {attributes['twolayer_version']}"
    yield f"python {attributes['python']}"
    for name, version in attributes.items():
        if name.startswith("version_"):
            yield f"{name.removeprefix('version_')} {version}"


def _distinct(words):
    return tuple(sorted(set(words)))

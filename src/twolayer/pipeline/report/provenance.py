"""Where the results of a figure come from: when, by which program, on what, and in what time."""

from collections.abc import Iterable
from dataclasses import dataclass

import xarray as xr


@dataclass(frozen=True)
class Provenance:
    """What the results of a figure say of themselves.

    Attributes:
        runs: their number. seconds: wall time of all of them, one after the other.
        first, last: times of the oldest and of the newest in UTC, as YYYY-MM-DD HH:MM.
        commits: of the program. versions: of this package, Python and the libraries, "numpy 2.3.0".
        machines: the processors with their vector instructions, or the architecture where a result does not state its
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
        """From the attributes of results; arrays without them, tables of published values, are left out."""
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
        """Of all figures. A result that several figures read counts once for each of them."""
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

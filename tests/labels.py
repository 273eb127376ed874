"""Find labels and check names of a figure that do not follow the parameters of its runs.

A figure is drawn and checked on made-up results that have the shape of the real ones. Every number in its text that
equals a parameter is looked at: all parameters of that value get other values, and the figure is drawn again. The text
is stale if this does not alter it.
"""

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.category import StrCategoryFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FuncFormatter

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.figures import style
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import CheckResult
from twolayer.parameters import parse
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks.check_results import judge, module_function, references
from twolayer.pipeline.report.checks.dry_run_of_checks import placeholder
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.pipeline.studies.runs import Run

# Dimension -> the parameters that give its size, the first that a run has.
SIZES = {
    "seed": ("seeds", "simulated_seeds"),
    "unit": ("hidden_units",),
    "other_unit": ("hidden_units",),
    "projection": ("projections",),
}
OTHER_SIZE = 7  # size of a dimension whose labels and size are unknown
CLUSTERS = {"circle": 2, "three_clusters": 1.5}  # shape -> clusters over clusters of a class
NAMED = {  # parameters that are names, and what these may become
    "activation": ("relu", "erf", "tanh", "sign"),
    "dataset": ("mnist", "fashion-mnist", "cifar-10-subset", "digits"),
}
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
WORDS |= {"twelve": 12, "twice": 2, "twenty": 20, "hundred": 100, "thousand": 1000}
NO_PARAMETERS = (r"1/[A-Za-z]", r"\$y=[+-]1\$")  # patterns of text whose numbers are none in any figure
NAMING = (FixedFormatter, FuncFormatter, StrCategoryFormatter)  # formatters of axes that show names instead of numbers
IMAGES = 6007  # made-up number of images or weights


@dataclass(frozen=True)
class Leaf:
    """A parameter by its path, ("schedule", "learning_rate") or ("sigma", 3), and its value."""

    path: tuple[str | int, ...]
    value: Any

    def __str__(self):
        return ".".join(map(str, self.path))


@dataclass(frozen=True)
class Stale:
    """A text that holds the value of a parameter and stays when that changes."""

    text: str
    found: str
    parameter: str

    def __str__(self):
        return f"{self.text!r} holds {self.found!r}, the value of {self.parameter}, and stays when that changes"


def stale_labels(
    catalogue: Catalogue,
    name: str,
    preset: str,
    *,
    constants: Iterable[str] = (),
    sizes: Mapping[str, Mapping[str, int]] | None = None,
) -> list[Stale]:
    """The texts of a figure that hold the value of a parameter and do not follow it.

    Args:
        constants: patterns of text whose numbers are no parameters, such as powers of ten in a source.
        sizes: task -> dimension -> its size, where the drawing needs a certain one.

    Raises:
        ConfigError: the figure cannot be drawn or checked with a changed parameter.
    """
    figure = catalogue.figure(name)
    runs = catalogue.upstream(catalogue.figure_runs(name, preset))
    read = {run.name for run in catalogue.figure_runs(name, preset)}
    made: dict[tuple[str, Any], xr.Dataset] = {}

    def texts(runs: Iterable[Run]) -> set[str]:
        sources = {run.name: _source(run, sizes or {}, made) for run in runs if run.name in read}
        return _texts(figure, Evidence(preset, sources | references(figure, catalogue.root)))

    before, leaves = texts(runs), _leaves_of(runs)
    after: dict[tuple[Leaf, ...], set[str]] = {}
    stale = []
    for text in sorted(before):
        for token in tokens(_without(text, [*NO_PARAMETERS, *constants])):
            matching = tuple(leaf for leaf in leaves if token.equals(leaf))
            if matching and matching not in after:
                after[matching] = _tried(texts, runs, matching, leaves)
            if matching and text in after[matching]:
                stale.append(Stale(text, token.text, " or ".join(sorted({str(leaf) for leaf in matching}))))
    return stale


def _tried(texts: Callable, runs: list[Run], matching: tuple[Leaf, ...], leaves: list[Leaf]) -> set[str]:
    """The texts with other values of some parameters; none where every run refuses every change."""
    changed = runs
    for leaf in matching:
        changed = _changed(changed, leaf, leaves) or changed
    if changed is runs:
        return set()
    try:
        return texts(changed)
    except ConfigError as error:
        names = ", ".join(sorted({str(leaf) for leaf in matching}))
        raise ConfigError(f"with another value of {names}: {error}") from error


# Parameters


def _leaves_of(runs: Iterable[Run]) -> list[Leaf]:
    return list(dict.fromkeys(leaf for run in runs for leaf in _leaves(json.loads(run.params))))


def _leaves(value: Any, path: tuple = ()) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _leaves(part, (*path, place))
    elif _is_label(path[-1], value):
        yield Leaf(path, value)


def _is_label(name: str | int, value: Any) -> bool:
    """Whether a text may hold that parameter."""
    if isinstance(value, str):
        return name in NAMED
    return isinstance(value, int | float) and not isinstance(value, bool) and name != "seed"


def _changed(runs: list[Run], leaf: Leaf, leaves: list[Leaf]) -> list[Run] | None:
    """Return the runs with another value of a parameter, or None if no run accepts another value."""
    taken = {other.value for other in leaves if _key(other.path) == _key(leaf.path)}
    for value in _others(leaf, taken):
        changed = [_with_value(run, leaf, value) for run in runs]
        if any(changed):
            return [new or old for new, old in zip(changed, runs, strict=True)]
    return None


def _key(path: tuple) -> tuple:
    return tuple(part for part in path if isinstance(part, str))


def _others(leaf: Leaf, taken: set) -> Iterator[Any]:
    """Values to put in the place of one: unlike all that this parameter has elsewhere."""
    if isinstance(leaf.value, str):
        yield from (name for name in NAMED[leaf.path[-1]] if name not in taken)
        return
    if isinstance(leaf.value, int):
        candidates = [leaf.value + step for step in range(1, 60)] + [leaf.value - step for step in range(1, 60)]
    else:
        candidates = [leaf.value * factor for factor in (1.0713, 0.9371, 1.3717, 0.7317)] or [0.0371]
        candidates += [0.0371] if leaf.value == 0 else []
    yield from (value for value in candidates if value not in taken)


def _with_value(run: Run, leaf: Leaf, value: Any) -> Run | None:
    """The run with that parameter changed; None where it has none such, or refuses the value."""
    plain = json.loads(run.params)
    if leaf not in set(_leaves(plain)):
        return None
    place = plain
    for part in leaf.path[:-1]:
        place = place[part]
    place[leaf.path[-1]] = value
    if leaf.path[-1] == "hidden_units" and isinstance(place.get("second_layer"), list):  # a number for each unit
        place["second_layer"] = (place["second_layer"] * value)[:value]
    try:
        parameters = parse(TASKS[run.task].parameters, plain, "a changed run")
    except ConfigError:
        return None
    last = leaf.path[-1]
    point = {key: value if key == last and old == leaf.value else old for key, old in run.point.items()}
    return replace(run, parameters=parameters, point=point)


# Made-up results


def _source(run: Run, sizes: Mapping[str, Mapping[str, int]], made: dict) -> Source:
    key = (run.task, run.params)
    if key not in made:
        made[key] = made_up_result(run, sizes.get(run.task, {}))
    return Source(made[key], run.family, run.point, json.loads(run.params))


def made_up_result(run: Run, sizes: Mapping[str, int]) -> xr.Dataset:
    """A result of the right shape, with made-up values; what is a parameter has its value."""
    placeholder = TASKS[run.task].result.placeholder(run.parameters)
    known: dict[str, Any] = {}
    for leaf in _leaves(json.loads(run.params)):
        known.setdefault(str(leaf.path[-1]), leaf.value)
    labelled = {dim for dim, values in placeholder.coords.items() if values.ndim and list(values.values) != [0, 1, 2]}
    axes = {dim: _axis(dim, run, known, sizes) for dim in placeholder.sizes if dim not in labelled}
    axes |= {dim: placeholder[dim].values for dim in labelled}
    random = np.random.default_rng(1)
    variables = {
        str(name): (array.dims, _values(str(name), [len(axes[dim]) for dim in array.dims], known, random))
        for name, array in placeholder.data_vars.items()
    }
    scalars = {name: values for name, values in placeholder.coords.items() if not values.ndim}
    return xr.Dataset(variables, axes | scalars)


def _axis(dim: str, run: Run, known: Mapping[str, Any], sizes: Mapping[str, int]) -> np.ndarray:
    if dim in sizes:
        return np.arange(sizes[dim])
    if dim == "time" and "last_time" in known:
        first, count = known.get("first_time", 0.1), known.get("measurements", OTHER_SIZE)
        return np.concatenate([[0], np.geomspace(first, known["last_time"], count)])
    geometry = getattr(run.parameters, "geometry", None)
    if dim == "cluster" and geometry is not None:
        return np.arange(len(geometry.means or range(int(CLUSTERS[geometry.shape] * 2))))
    for name in SIZES.get(dim, ()):
        if name in known:
            return np.arange(known[name])
    return np.arange(OTHER_SIZE)


def _values(name: str, shape: list[int], known: Mapping[str, Any], random: np.random.Generator) -> np.ndarray:
    if not shape and name in known:
        return np.asarray(known[name])
    if name in ("images", "parameters"):
        return np.asarray(IMAGES)
    if name == "labels":
        return np.resize([1, -1], shape)
    values = random.uniform(0.2, 0.8, shape)
    if "covariance" in name and len(shape) > 1 and shape[-1] == shape[-2]:
        values = 0.1 * values + np.eye(shape[-1])
    return values


# Text


def _texts(figure: FigureEntry, evidence: Evidence) -> set[str]:
    """All text of a figure and its animations, except the numbers on its axes, and the names of its checks."""
    style.use()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = set()
        try:
            found |= drawn_text(module_function(figure, "draw")(evidence))
            for animation in figure.animations:
                made = module_function(figure, figure.animation_function(animation))(evidence)
                made._draw_was_started = True  # else Matplotlib warns that it is never shown
                found |= drawn_text(plt.gcf())
        except (KeyError, AttributeError, ValueError, TypeError, IndexError) as error:
            raise ConfigError(f"{figure.name} cannot be drawn: {error!r}") from error
        finally:
            plt.close("all")
        try:
            for check in module_function(figure, "checks")(evidence):
                found |= {check.title, check.source}
        except (KeyError, AttributeError, ValueError, TypeError, IndexError) as error:
            raise ConfigError(f"the checks of {figure.name} cannot be made: {error!r}") from error
    return found - {""}


def drawn_text(figure: Figure) -> set[str]:
    """All text of a figure, except the numbers on its axes."""
    legends, found = [*figure.legends], [figure.get_suptitle(), *(text.get_text() for text in figure.texts)]
    for panel in figure.axes:
        for axes in (panel, *panel.child_axes):
            found += [axes.get_title(loc=place) for place in ("left", "center", "right")]
            found += [text.get_text() for text in axes.texts]
            legends += filter(None, [axes.get_legend()])
            for axis in (axes.xaxis, axes.yaxis):
                found.append(axis.get_label().get_text())
                if isinstance(formatter := axis.get_major_formatter(), NAMING):
                    found += formatter.format_ticks(axis.get_majorticklocs())
    for legend in legends:
        found += [text.get_text() for text in (legend.get_title(), *legend.get_texts())]
    return set(found)


@dataclass(frozen=True)
class Token:
    """A number or a name in a text."""

    text: str
    value: float | str

    def equals(self, leaf: Leaf) -> bool:
        """Whether it is that value, or what rounding to its digits makes of it."""
        if isinstance(leaf.value, str) or isinstance(self.value, str):
            return leaf.value == self.value
        if self.value == leaf.value:
            return True
        digits = len(re.sub(r"e.*|\D", "", self.text.lower()).lstrip("0"))
        return isinstance(leaf.value, float) and digits > 1 and float(f"{leaf.value:.{digits}g}") == self.value


_NUMBER = re.compile(r"(?<![\w.^_{])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\d|\.\d)", re.IGNORECASE)
_REWRITTEN = (
    (r"(?<=\d)(?:\\,|\{,\}|[   ])(?=\d{3}\b)", ""),  # a space, thin or not, between thousands
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"(?<![\d.])10\^\{?([+-]?\d+)\}?", r"1e\1"),
    (r"(\d)\s*(?:\\times|\\cdot)\s*1e", r"\1e"),
)


def tokens(text: str) -> Iterator[Token]:
    for pattern, new in _REWRITTEN:
        text = re.sub(pattern, new, text)
    for match in _NUMBER.finditer(text):
        value = float(match[0])
        yield Token(match[0], value)
        if re.match(r"\s*(%|percent)", text[match.end() :]):
            yield Token(match[0], value / 100)
    for word in re.findall(r"[\w-]+", text.lower()):
        if word in WORDS:
            yield Token(word, WORDS[word])
        if any(word in names for names in NAMED.values()):
            yield Token(word, word)


def _without(text: str, constants: Iterable[str]) -> str:
    for pattern in constants:
        text = re.sub(pattern, "", text)
    return text


def main_check(catalogue: Catalogue, name: str, preset: str) -> CheckResult:
    """The one main check of a figure, on results of zeros."""
    figure = catalogue.figure(name)
    (main,) = [outcome for outcome in judge(figure, placeholder(catalogue, figure, preset)) if outcome.main]
    return main


def with_change(catalogue: Catalogue, name: str, run: str, preset: str = "quick", **changes: Any) -> list[CheckResult]:
    """The checks of a figure on results of zeros, where a run has other parameters.

    Args:
        changes: parameters. A double underscore replaces a dot: data__alpha=0.3.
    """
    figure = catalogue.figure(name)
    sources = dict(placeholder(catalogue, figure, preset).sources)
    parameters = {**sources[run].parameters}
    for key, value in changes.items():
        *outer, last = key.split("__")
        place = parameters
        for part in outer:
            place[part] = {**place[part]}
            place = place[part]
        place[last] = value
    sources[run] = replace(sources[run], parameters=parameters)
    return judge(figure, Evidence(preset, sources))

"""Write the generated pages of the reference.

`python docs/reference.py` writes the pages that are kept in the repository, since other pages link to them: notation,
command line and figures. Sphinx also writes the pages of functions, classes and keys of the configuration.
"""

import argparse
import dataclasses
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.library.describe import signature, variants
from twolayer.parameters import hints_of, type_text
from twolayer.pipeline import schema
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.cli import command_parser
from twolayer.pipeline.report.format import duration, markdown_table
from twolayer.pipeline.report.website.figure_document import LONG
from twolayer.pipeline.settings import GENERATORS

FOLDER = Path(__file__).parent / "reference"
ROOT = FOLDER.parents[1]
_SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Example|References): ?(.*)")
# Sections of Barboni et al. 2025: its figures are known by the names of their published files.
_SECTIONS = {
    "section 6.1": range(8, 15),
    "section 6.2": range(15, 17),
    "appendix B": range(17, 22),
}
_NOTATION = """# Notation

A name in the first column is the name in the code, in results and in this documentation. The last four columns are the
symbols of the papers. A dash means that the paper does not have the quantity. Time in online learning is t = steps / N.

"""
_COMMANDS = """# Command line

`twolayer COMMAND --help` prints the same text. `python docs/reference.py` writes this page.
"""
_FIGURES = r"""# Figures

The table lists all figures with the figure of the paper. `twolayer list` prints their run times, `twolayer show fig1`
prints the runs and parameters of a figure, and the [gallery](../gallery/README.md) shows the figures.

Barboni et al. are cited by section and by the name of the published file, Goldt et al. by content. A figure marked \*
has the number that the configuration states, which was not compared with the paper. `python docs/reference.py` writes
this page from `config/`.

"""
_LONG = """
## Runs of more than two hours

Some runs of the preset `paper` take more than two hours of one CPU core. The table lists their times on one core and
on a GPU. The other columns have the times for values of `generators` in `config/config.yaml`, which select weights
that are published, trained for a few epochs, or part of this project.

"""
_INSTEAD = """
**Start and resume.** The command of a figure also computes its runs:

```
snakemake figures/fig15.pdf
snakemake figures/fig31.pdf --config generators=trained
```

The trainings write a checkpoint after each epoch, and `generator_sgd` writes one every half a minute. After an
interruption, the same command resumes from the checkpoint, and gives the same numbers.

**ResNet-20.** Figures 15 and 16 compare the optimizers with batches of 256. The key `batch_sizes` of these figures in
`config/varpro.yaml` adds the batches of 64, 128, 512 and 1024 of the paper, with three more trainings of the same
duration for each. With `generators=shipped` the trainings with batches of 256 come with the project.
`fig15_first` has the first five epochs of the trainings with batches of 256.

**Generators.** By default, the dcGAN and the conditional GAN have the weights that the authors published. With
`generators=shipped` they have the weights that come with the project, as has the flow, whose authors published a
pickled program. These weights come from complete trainings: 50 epochs for the conditional GAN, 25 for the others. The
published dcGAN was trained for 200 epochs. `generators=brief` trains for fewer epochs, and the figures state it.

**SGD on images.** In figures 34 and 35, and for the trained flow of figure 36, SGD on images ends at $t={last:g}$. For
the random flow of figure 36 it ends later. A dotted line marks this time, and SGD on the Gaussian equivalent continues
to $t={end:g}$. For figure 34, one run of SGD on images would take {each} hours to reach this time. A figure needs at
least two runs for its errors. This command computes two runs to $t=1000$ in about {two} hours:

```
{command}
```
"""
_LONG_SGD = (
    "snakemake figures/long/fig34.pdf --config variant=long "
    "'overrides={gaussian_equivalence: {random_gan_sgd: {seeds: 2, learning: {last_time: 1000}}}}'"
)
_UNVERIFIED = {f"fig{number}" for number in (*range(1, 8), *range(27, 31))}


def write_kept(folder: Path = FOLDER) -> None:
    """Write the pages that are kept in the repository."""
    (folder / "notation.md").write_text(notation())
    (folder / "command_line.md").write_text(command_line())
    (folder / "figures.md").write_text(figures())


def write_all(folder: Path = FOLDER) -> None:
    """Write all generated pages."""
    write_kept(folder)
    names = [name for name in tl.__all__ if name not in TASKS]
    (folder / "functions.md").write_text(
        "# Functions\n\n" + "".join(_function(name) for name in tl.__all__ if name in TASKS)
    )
    (folder / "classes.md").write_text("# Classes, errors and files\n\n" + "".join(_class(name) for name in names))
    (folder / "configuration.md").write_text(schema.page(ROOT / "config" / "schemas"))


def notation() -> str:
    """Return the table of notation, as the docstring of the package has it."""
    text = inspect.getdoc(tl).partition("a name here is the name in the code:\n")[2].partition("\nTime in online")[0]
    rows: list[list[str]] = []
    for line in inspect.cleandoc(text).splitlines():
        cells = re.split(r" {2,}", line.strip())
        if len(cells) == 1:
            rows[-1][1] += f" {cells[0]}"
        else:
            rows.append(cells)
    head, *body = rows
    table = _table(" | ".join(head), ([_code(cells[0]), *cells[1:]] for cells in body))
    return f"{_NOTATION}{table}\n"


def command_line() -> str:
    """Return the page of all commands with their arguments."""
    commands = next(one for one in command_parser()._actions if isinstance(one, argparse._SubParsersAction))
    helps = {one.dest: one.help for one in commands._choices_actions}
    parts = [_COMMANDS]
    for name, parser in commands.choices.items():
        parts.append(f"\n## twolayer {name}\n\n{_sentence(helps[name])}\n")
        rows = [[_code(_usage(one)), _sentence(_help(one))] for one in parser._actions if _help(one)]
        parts += ["\n", _table("argument | meaning", rows), "\n"] if rows else []
    return "".join(parts)


def _usage(action):
    words = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    if action.choices:
        words = "{" + ",".join(action.choices) + "}"
    return " ".join([", ".join(action.option_strings), words]).strip()


def _help(action):
    if action.dest == "help" or not action.help:
        return ""
    return action.help % {"default": action.default}


def _sentence(text):
    return text[:1].upper() + text[1:] + "."


def figures() -> str:
    """Return the table of all figures with the figures of the papers."""
    catalogue = Catalogue.load(ROOT, environment={})
    rows = map(_figure, catalogue.figures.values())
    table = _table("figure | study | figure of the paper | title", rows)
    return f"{_FIGURES}{table}\n{_LONG}{_long_runs()}"


def _long_runs() -> str:
    """Return the table of long runs of the preset `paper` and what figures show without them."""
    choices = ("trained", "published", "brief", "shipped")
    catalogues = {one: Catalogue.load(ROOT, environment={GENERATORS: one}) for one in choices}
    users = defaultdict(list)
    for name in catalogues["trained"].figures:
        for run in catalogues["trained"].upstream(catalogues["trained"].figure_runs(name, "paper")):
            users[run.study, run.name].append(name)
    rows: list[list[str]] = []
    for (study, name), figures in users.items():
        runs = [one.run("paper", study, name) for one in catalogues.values()]
        if runs[0].minutes > LONG:
            full = duration(60 * runs[0].minutes)
            gpu = duration(60 * runs[0].gpu_minutes) if runs[0].gpu_minutes else "-"
            times = [duration(60 * run.minutes) if run.minutes != runs[0].minutes else "the same" for run in runs[1:]]
            rows.append([_code(name), ", ".join(figures), full, gpu, *times])
    head = " | ".join(["run", "figures", "one core", "GPU", *map(_code, choices[1:])])
    table, compared = _table(head, rows), [("gaussian_equivalence", f"random_gan_{name}") for name in ("sgd", "curve")]
    if not users.keys() >= set(compared):  # the configuration may lack this study
        return table
    return f"{table}\n{_instead(*(catalogues['published'].run('paper', *run) for run in compared))}"


def _instead(sgd, curve):
    given, theory = json.loads(sgd.params), json.loads(curve.params)
    last, end = given["learning"]["last_time"], theory["learning"]["last_time"]
    each = sgd.minutes / 60 / given["seeds"] / last  # hours of a unit of time
    return _INSTEAD.format(
        last=last, end=end, each=f"{each * end:.0f}", two=f"{each * 2 * 1000:.1f}", command=_LONG_SGD
    )


def _figure(figure):
    number = int(re.sub(r"\D", "", figure.name) or 0) if figure.name.startswith("fig") else 0
    section = next((f"{name}, " for name, numbers in _SECTIONS.items() if number in numbers), "")
    mark = r" \*" if figure.name in _UNVERIFIED else ""
    study = f"[{figure.study}](../explanation/{figure.study}.md)"
    if not (FOLDER.parent / "explanation" / f"{figure.study}.md").exists():
        study = figure.study
    named = f"[{figure.name}](../gallery/README.md#{figure.name})" if _in_gallery(figure.name) else figure.name
    return named, study, section + figure.paper_figure + mark, figure.title


def _in_gallery(name):
    return (FOLDER.parent / "gallery" / f"{name}.json").exists()


def _table(head, rows):
    return "\n".join(markdown_table(head, ([cell.replace("|", r"\|") for cell in row] for row in rows)))


def _code(text):
    return f"`{text}`"


def _function(name):
    tasks = [TASKS[name], *variants(name)]
    blocks = "\n\n".join(_signature(name, task) for task in tasks)
    return f"## {name}\n\n```python\n{blocks}\n```\n\n{described(inspect.getdoc(getattr(tl, name)))}\n\n"


def _signature(name, task):
    hints = hints_of(task.parameters)
    arguments, lines = signature(task).parameters.values(), []
    for one in arguments:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        optional = " | None" if one.default is None and str(one.annotation).endswith(" | None") else ""
        kind = type_text(hints[one.name]) if one.name in hints else str(one.annotation)
        kind += optional if optional and not kind.endswith(optional) else ""
        default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        lines.append(f"    {one.name}: {kind}{default},")
    return "\n".join([f"{name}(", *lines, ") -> xr.Dataset"])


def _class(name):
    one = getattr(tl, name)
    head = f"## {name}\n\n"
    if dataclasses.is_dataclass(one) and inspect.isclass(one):
        head += f"```python\n{name}(\n" + "".join(f"    {line},\n" for line in _fields(one)) + ")\n```\n\n"
    elif inspect.isfunction(one):
        head += f"```python\n{name}{inspect.signature(one)}\n```\n\n"
    return f"{head}{described(inspect.getdoc(one))}\n\n" + "".join(_method(name, *found) for found in _methods(one))


def _fields(cls) -> Iterator[str]:
    for field in dataclasses.fields(cls):
        default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
        yield f"{field.name}: {type_text(hints_of(cls)[field.name])}{default}"


def _methods(cls) -> Iterator[tuple[str, Any]]:
    """Names and functions of the public methods of a class."""
    for name, one in vars(cls).items() if inspect.isclass(cls) else ():
        function = one.__func__ if isinstance(one, classmethod | staticmethod) else one
        if inspect.isfunction(function) and not name.startswith("_") and function.__doc__:
            yield name, function


def _method(owner, name, function):
    return f"### {owner}.{name}\n\n{described(inspect.getdoc(function))}\n\n"


def described(text: str | None) -> str:
    """Return a docstring in Markdown: its sections become lists, and examples become code."""
    lines, section = [], ""
    for line in (text or "").splitlines():
        if found := _SECTION.fullmatch(line):
            lines += ["```"] if section == "Example" else []
            section = found[1]
            lines += ["", f"**{section}** {found[2]}", *(["", "```python"] if section == "Example" else [""])]
        elif section == "Example" and line and not line.startswith(" "):
            lines, section = [*lines, "```", "", line], ""
        elif section == "Example":
            lines.append(line.removeprefix("    "))
        elif section and re.match(r" {4}\S", line):
            name, colon, rest = line.strip().partition(":")
            lines.append(f"- `{name}`:{rest}" if colon else f"  {line.strip()}")
        else:
            lines.append(line.strip() if not section else f"  {line.strip()}")
    lines += ["```"] if section == "Example" else []
    return re.sub(r"\n\s*\n\s*\n", "\n\n", "\n".join(lines))


if __name__ == "__main__":
    write_kept()

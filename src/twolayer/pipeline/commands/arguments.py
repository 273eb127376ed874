"""Commands with their arguments, and what several commands share."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twolayer.errors import shown
from twolayer.pipeline.project import PRESETS

if TYPE_CHECKING:
    from twolayer.pipeline.catalogue import Catalogue

Add = Callable[[argparse.ArgumentParser], Any]  # adds arguments to the parser of a command
Function = Callable[[argparse.Namespace], int]  # takes the options of a command, and returns the exit status


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: of the command. summary: one line of help. arguments: in their order. settings: of the parser.
        function: what it does.
    """

    name: str
    summary: str
    arguments: tuple[Add, ...]
    settings: dict[str, Any]
    function: Function

    def add_to(self, commands: Any) -> None:
        """Add the command to the subparsers of a parser."""
        parser = commands.add_parser(self.name, help=self.summary, **self.settings)
        for add in self.arguments:
            add(parser)
        parser.set_defaults(command=self.function, commands=commands.choices)


def command(name: str, summary: str, *arguments: Add, **settings: Any) -> Callable[[Function], Command]:
    """Turn a function of options into a command."""
    return lambda function: Command(name, summary, arguments, settings, function)


def argument(*names: str, **settings: Any) -> Add:
    """Return an argument; the settings have the names and meanings of `ArgumentParser.add_argument`."""
    return lambda parser: parser.add_argument(*names, **settings)


def output(meaning: str, **settings: Any) -> Add:
    """Return the option for the path of the output."""
    return argument("--output", type=Path, help=meaning, **settings)


FIGURE = argument("figure", metavar="FIGURE", help="name of a figure, as printed by `twolayer list`")
DATA_SET = argument("dataset", metavar="DATASET", help="name of an image set, such as mnist")
ROOT = argument("--root", type=Path, metavar="FOLDER", help="the project (the current folder, or a folder above it)")
CONFIG = argument(
    "--config",
    nargs="+",
    default=[],
    metavar="KEY=VALUE",
    help="settings that override config/config.yaml, as for snakemake: variant=NAME, seed_shift=3",
)
FIGURES = argument("--figures", nargs="+", default=[], metavar="FIGURE", help="figures to make (all)")
CORES = argument("--cores", default="all", help="number of cores for Snakemake (all)")


def preset(parser: argparse.ArgumentParser) -> None:
    """Add the options for the preset and for settings of the configuration."""
    parser.add_argument("--preset", choices=PRESETS, default="paper", help="preset of the runs (%(default)s)")
    CONFIG(parser)


def count(text: str) -> int:
    """Read a number from 1 to 1024.

    Raises:
        ArgumentTypeError: the text is no such number.
    """
    if not text.isdecimal() or not 0 < int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number from 1 to 1024: give such a number")
    return int(text)


def open_catalogue(root: Path | None = None) -> "Catalogue":
    """Return the figures and runs of the project, which `run` does not need, and apply the project's limit of files."""
    from twolayer.pipeline.catalogue import Catalogue
    from twolayer.pipeline.settings import allow_large_files

    catalogue = Catalogue.load(root or Catalogue.find_root())
    allow_large_files(catalogue.largest_gb)
    return catalogue


def apply_limit_of_files() -> None:
    """Apply the limit of files of the project that contains the current folder, if there is a project."""
    from twolayer.pipeline.catalogue import Catalogue
    from twolayer.pipeline.settings import allow_large_files, largest_gb_of, read_settings

    if (root := Catalogue.root_above(Path.cwd())) is not None:
        allow_large_files(largest_gb_of(read_settings(root)))

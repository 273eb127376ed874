"""The texts of the project whose numbers tests verify."""

import re

from small_project import ROOT

NUMBER = re.compile(r"(?<![\w.\-/])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")


def prose(figure: str) -> str:
    """The text of the Markdown cells of a notebook as one line."""
    cells = re.split(r"(?m)^# %%", (ROOT / "workflow" / "notebooks" / f"{figure}.py").read_text())
    found = [cell for cell in cells if cell.lstrip().startswith("[markdown]")]
    return " ".join(" ".join(re.sub(r"(?m)^# ?", "", cell) for cell in found).split())


def module(name: str) -> str:
    """The text of a module of the package."""
    return (ROOT / "src" / "twolayer" / name).read_text(encoding="utf-8")


def constant(file: str, name: str):
    """The value of a constant in a module of the package, whose name may be private."""
    return eval(re.search(rf"(?m)^{name} = ([^#\n]*)", module(file))[1], {})  # numbers and operators only

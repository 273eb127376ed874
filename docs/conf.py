"""Sphinx builds the site of these pages and of the docstrings: `make docs`."""

import sys
from pathlib import Path

import twolayer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference  # noqa: E402, lies beside this file

project = "twolayer"
copyright = "the twolayer developers"
release = twolayer.__version__
extensions = ["myst_parser", "formulas"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 2
html_theme = "furo"
html_title = f"twolayer {release}"
exclude_patterns = ["_build"]
# Pages are read on their own as well, where a link to a file of the project is one: of the site it is none.
suppress_warnings = ["myst.xref_missing"]

reference.write(HERE / "reference_functions.md", HERE / "reference_classes.md")
reference.write_keys(HERE / "reference_keys.md")
reference.write_notation(HERE / "notation.md")

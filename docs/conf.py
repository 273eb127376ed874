"""Sphinx builds the site of these pages and of the docstrings: `make docs`."""

import sys
from pathlib import Path

import twolayer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference  # noqa: E402, is in the folder of this file

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

reference.write_all()

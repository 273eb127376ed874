"""Sphinx builds the site of these pages and of the docstrings: `make docs`."""

import sys
from pathlib import Path

import twolayer
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.website import site

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference  # noqa: E402, is in the folder of this file

project = "twolayer"
copyright = "the twolayer developers"
release = twolayer.__version__
extensions = ["myst_parser", "formulas", "figure_links", "pictures"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 2
html_theme = "furo"
html_title = f"twolayer {release}"
html_static_path = ["_static"]
html_css_files = ["twolayer.css"]
html_js_files = ["copy.js"]
exclude_patterns = ["_build", "figures/summary.md", "figures/pictures.md"]

reference.write_all()
site.write(Catalogue.load(HERE.parent), HERE / "figures")

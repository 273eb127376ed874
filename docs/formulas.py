"""Formulas of the site as MathML, which browsers draw without a script from the network."""

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def setup(app):
    """An extension of Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node):
    translator.body.append(convert(node.astext()))
    raise SkipNode


def _block(translator, node):
    translator.body.append(f"<p>{convert(node.astext(), display='block')}</p>\n")
    raise SkipNode

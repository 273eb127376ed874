"""Links to the sections of the gallery lead to the pages of the figures on the site.

The pages of the figures are generated. So a text that is also read in the repository links to the gallery.
"""

import re

_TO_GALLERY = re.compile(r"\]\((?:\.\./)*gallery/README\.md#(\w+)\)")
_INSIDE_GALLERY = re.compile(r"\]\(#(\w+)\)")


def setup(app):
    """An extension of Sphinx."""
    app.connect("source-read", _relink)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _relink(app, page, source):
    pattern = _INSIDE_GALLERY if page == "gallery/README" else _TO_GALLERY
    source[0] = pattern.sub(r"](/figures/\1.md)", source[0])

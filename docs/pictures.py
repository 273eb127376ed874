"""Pictures of the site state their size and load when a reader comes near them."""

from docutils import nodes
from PIL import Image


def setup(app):
    """An extension of Sphinx."""
    app.connect("doctree-resolved", _state_sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _state_sizes(app, doctree, page):
    for picture in doctree.findall(nodes.image):
        path = app.srcdir / picture["uri"]
        if path.suffix == ".png" and path.exists() and "width" not in picture:
            with Image.open(path) as opened:
                picture["width"], picture["height"] = (str(length) for length in opened.size)
            picture["loading"] = "lazy"

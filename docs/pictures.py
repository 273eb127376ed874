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
            if _is_in_link(picture):
                picture["classes"].append("no-scaled-link")  # else Sphinx puts a second link into the link


def _is_in_link(node):
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference):
            return True
    return False

"""The tutorial notebook of the library, executed, as a page of the site."""

import base64
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbformat

from twolayer.pipeline.project import project_file
from twolayer.pipeline.report.notebooks import clean, run_cells
from twolayer.storage.files import write_bytes, write_text

NOTEBOOK = "workflow/notebooks/library/tutorial.py"


def write(root: Path, folder: Path) -> None:
    """Execute the tutorial and write `tutorial.md`, its pictures, and the executed notebook for download.

    A page that is newer than the notebook is not changed.

    Raises:
        PapermillExecutionError: a cell raises an error.
    """
    source, written = root / project_file(root, NOTEBOOK), folder / "tutorial.md"
    if written.exists() and written.stat().st_mtime > source.stat().st_mtime:
        return
    executed = clean(run_cells(jupytext.read(source)))
    write_text(nbformat.writes(executed) + "\n", folder / "tutorial.ipynb")
    text = "\n\n".join(_parts(executed.cells, folder))
    write_text(f"{text}\n\n[Download this notebook](tutorial.ipynb)\n", written)


def _parts(cells: list[nbformat.NotebookNode], folder: Path) -> Iterator[str]:
    """Yield the cells in Markdown: texts, and code with its printed output and pictures."""
    heading = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            heading = cell.source.splitlines()[0].strip("# ")
            yield cell.source
            continue
        yield f"```python\n{cell.source}\n```"
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stdout":
                yield f"```text\n{output.text.rstrip()}\n```"
            elif "image/png" in output.get("data", {}):
                name = f"tutorial-{cell.id}.png"
                write_bytes(base64.b64decode(output.data["image/png"]), folder / name)
                yield f"![Picture of the section: {heading}]({name})"

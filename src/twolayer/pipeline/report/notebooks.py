"""Figure notebooks, executed by papermill in this process, without starting a kernel."""

import os
import re
from pathlib import Path

import nbformat
import papermill
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from IPython.utils.capture import capture_output
from papermill.engines import Engine, papermill_engines
from papermill.exceptions import PapermillExecutionError

from twolayer.errors import ConfigError, TwolayerError
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report import figure_page
from twolayer.pipeline.report.website import figure_report
from twolayer.pipeline.report.website.figure_document import read_notebook
from twolayer.storage.files import write_text

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class InProcess(Engine):
    """An engine that runs the cells of a notebook one by one, in a separate namespace."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **_) -> None:
        """Execute a notebook, see papermill."""
        shell = InteractiveShell.instance()
        shell.reset(new_session=True)
        select_figure_formats(shell, {"png"})
        shell.display_trap.hook = CapturingDisplayHook(shell=shell)
        for index, cell in enumerate(nb_man.nb.cells):
            nb_man.cell_start(cell, index)
            try:
                if cell.cell_type == "code":
                    _run(shell, cell)
            except PapermillExecutionError:
                nb_man.cell_exception(cell, index)
                raise
            finally:
                nb_man.cell_complete(cell, index)


def _run(shell, cell):
    """Execute a cell and store its outputs."""
    shell.display_trap.hook.outputs = values = []
    with capture_output(display=False) as printed:
        result = shell.run_cell(cell.source, store_history=True)
    cell.execution_count = count = shell.execution_count - 1
    streams = (("stdout", printed.stdout), ("stderr", printed.stderr))
    cell.outputs = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in streams if text]
    cell.outputs += [nbformat.v4.new_output("execute_result", **value, execution_count=count) for value in values]
    failure = result.error_before_exec or result.error_in_exec
    if isinstance(failure, TwolayerError):  # one sentence, because a trace does not help here
        raise failure
    if failure is not None:
        text = printed.stdout.splitlines()
        raise PapermillExecutionError(
            0, cell.execution_count, cell.source, type(failure).__name__, str(failure), text
        ) from failure


papermill_engines.register("in_process", InProcess)


def execute(figure: str, preset: str, output: Path) -> None:
    """Execute the notebook of a figure at a preset, and write it with its outputs and the page of the figure.

    Raises:
        ConfigError: the notebook has no cell with the tag `parameters`, or that cell does not set the preset.
    """
    catalogue = Catalogue.load(Path.cwd())
    notebook = read_notebook(catalogue.root, figure)
    set_preset(notebook, preset)
    with figure_page.written():
        executed = run_cells(notebook)
    write_text(nbformat.writes(clean(executed)) + "\n", output)
    figure_report.write(catalogue, figure, preset, executed)


def run_cells(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Execute all cells of a notebook in this process, and return it with its outputs.

    Raises:
        PapermillExecutionError: a cell raises an error.
        TwolayerError: a cell raises an error of this package.
    """
    os.environ.setdefault("MPLBACKEND", "agg")
    return papermill.execute_notebook(
        notebook,
        None,
        engine_name="in_process",
        kernel_name="python3",
        language="python",
        progress_bar=False,
        autosave_cell_every=0,
        request_save_on_cell_execute=False,
    )


def set_preset(notebook: nbformat.NotebookNode, preset: str) -> None:
    """Set the preset in the cell of parameters, where a reader looks for it.

    Raises:
        ConfigError: the notebook has no cell of parameters, or the cell does not set the preset.
    """
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source, number = re.subn(r"(?m)^preset = .*$", f'preset = "{preset}"', cell.source)
            if number == 1:
                return
    raise ConfigError(
        'the notebook does not have one line `preset = "quick"` in a cell with the tag "parameters": add this cell'
    )


def clean(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep only the metadata that two equal executions share."""
    notebook.metadata = nbformat.from_dict({"kernelspec": _KERNEL, "language_info": {"name": "python"}})
    for index, cell in enumerate(notebook.cells):
        cell.id = f"cell-{index}"
        tags = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        cell.metadata = nbformat.from_dict(tags)
    return notebook

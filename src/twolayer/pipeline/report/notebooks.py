"""Figure notebooks, executed by papermill in this process: no kernel has to start for them."""

import os
from pathlib import Path

import jupytext
import nbformat
import papermill
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from IPython.utils.capture import capture_output
from papermill.engines import Engine, papermill_engines
from papermill.exceptions import PapermillExecutionError

from twolayer import io
from twolayer.errors import TwolayerError
from twolayer.pipeline.project import project_file
from twolayer.pipeline.report import figure_page  # noqa: F401, so that a worker has what every notebook imports

NOTEBOOKS = "workflow/notebooks"


class InProcess(Engine):
    """Runs the cells of a notebook one by one, in a namespace of their own."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **_) -> None:
        """See papermill."""
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
    """Execute a cell and keep what it shows."""
    shell.display_trap.hook.outputs = values = []
    with capture_output(display=False) as printed:
        result = shell.run_cell(cell.source, store_history=True)
    cell.execution_count = count = shell.execution_count - 1
    streams = (("stdout", printed.stdout), ("stderr", printed.stderr))
    cell.outputs = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in streams if text]
    cell.outputs += [nbformat.v4.new_output("execute_result", **value, execution_count=count) for value in values]
    failure = result.error_before_exec or result.error_in_exec
    if isinstance(failure, TwolayerError):  # one sentence, where a trace helps nobody
        raise failure
    if failure is not None:
        text = printed.stdout.splitlines()
        raise PapermillExecutionError(
            0, cell.execution_count, cell.source, type(failure).__name__, str(failure), text
        ) from failure


papermill_engines.register("in_process", InProcess)


def execute(figure: str, preset: str, output: Path) -> None:
    """Execute the notebook of a figure at a preset, and write it with its outputs."""
    os.environ.setdefault("MPLBACKEND", "agg")
    notebook = jupytext.read(project_file(Path.cwd(), f"{NOTEBOOKS}/{figure}.py"))
    with io.replacing(output) as temporary:
        papermill.execute_notebook(
            notebook,
            str(temporary),
            parameters={"preset": preset},
            engine_name="in_process",
            kernel_name="python3",
            language="python",
            progress_bar=False,
            autosave_cell_every=0,
            request_save_on_cell_execute=False,
        )

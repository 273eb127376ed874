"""The page with which `make lab` opens JupyterLab, in a real browser."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from urllib.request import urlopen

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.pipeline.report.website import notebook_index

pytestmark = pytest.mark.slow

TOKEN = "of-the-tests"
LONGEST = 120  # seconds until the server answers


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab that starts as `make lab` starts it, in a folder with a list and a notebook."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    (tmp_path / "results").mkdir()
    (tmp_path / "results/notebooks.md").write_text(notebook_index.index(CATALOGUE))
    shutil.copytree(ROOT / "workflow/notebooks", tmp_path / "workflow/notebooks")
    settings = tmp_path / "settings/labconfig"
    settings.mkdir(parents=True)
    shutil.copy(ROOT / "workflow/notebooks/jupyterlab.json", settings / "default_setting_overrides.json")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (options,) = re.findall(r"(?m)^\tjupyter lab (.*)$", (ROOT / "Makefile").read_text())
    options = [*options.replace("'", "").split(), "--no-browser", "--allow-root", f"--port={port}"]
    command = [sys.executable, "-m", "jupyterlab", *options, f"--IdentityProvider.token={TOKEN}"]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(settings.parent)}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/api", server, tmp_path / "log")
        yield f"http://127.0.0.1:{port}/?token={TOKEN}"
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:  # JupyterLab may wait for its extensions without end
            server.kill()
            server.wait()


def _wait(address, server, log):
    """Until a server answers."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            assert "version" in json.load(urlopen(address))
            return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(log.read_text())


def test_the_list_of_notebooks_opens_as_a_page_and_a_notebook_as_a_notebook(browser, lab):
    """In the second visit too, although JupyterLab restores what was open."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    for _ in range(2):
        page = context.new_page()
        page.goto(lab)
        listed = page.locator(".jp-MarkdownViewer a", has_text="fig13")
        listed.wait_for(timeout=1000 * LONGEST)
        listed.click()
        page.locator(".jp-Notebook").wait_for(timeout=1000 * LONGEST)
        assert page.locator(".jp-Notebook h1").first.inner_text().startswith("Figure 13")
        page.close()
    context.close()

"""A scoreboard, made once for the tests of its page, and a browser."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from small_project import CATALOGUE, ROOT, shared_once

from twolayer import io
from twolayer.pipeline.report import gallery, scoreboard
from twolayer.pipeline.report.checks import check_results


def build_board(root):
    """A scoreboard of the figures of the gallery at the quick preset, with its pictures as thumbnails."""
    found = [one for name in CATALOGUE.figures for one in gallery.at_presets(CATALOGUE, ROOT / gallery.FOLDER, name)]
    shown = [one for one in found if one.preset == "quick"]
    figures = {one.figure.name: one.figure for one in shown}
    catalogue = replace(CATALOGUE, root=root, figures=figures)
    for one in shown:
        check_results.write(one.figure_checks, check_results.path_of(catalogue, one.figure.name, "quick"))
        picture = (ROOT / gallery.FOLDER / one.path("png")).read_bytes()
        io.write_with_checksum(picture, root / f"results/quick/thumbnails/{one.figure.name}.png")
    scoreboard.write(catalogue, "quick", root / "figures/quick")


@pytest.fixture(scope="session")
def board(tmp_path_factory):
    """The page of a scoreboard."""
    return shared_once(tmp_path_factory, "board", build_board) / "figures/quick/scoreboard.html"


@pytest.fixture(scope="session")
def browser():
    """An installed Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium: install it, or name one in the variable CHROMIUM")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """A function that opens a page at a width, and the list of what its console and the network complain of."""
    contexts, complaints = [], []

    def opened(path: Path, width: int = 1280, fragment: str = "", **settings):
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: complaints.append(asked.url) if asked.url.startswith("http") else None)
        page.goto(path.as_uri() + fragment)
        return page

    yield opened, complaints
    for context in contexts:
        context.close()

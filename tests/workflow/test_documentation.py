"""Commands and links in README and docs work, generated pages are up to date, and the site builds."""

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from twolayer.pipeline import cli
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import read_setting

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Sphinx writes these pages and the pages in docs/figures. They are not in the repository, and no page links to them.
GENERATED = {f"docs/reference/{name}.md" for name in ("functions", "classes", "configuration")}
ROOT_PAGES = ("README", "CONTRIBUTING", "CODE_OF_CONDUCT", "RELEASING", "SECURITY", "config/README", "paper/paper")
PAGES = [
    *(ROOT / f"{name}.md" for name in ROOT_PAGES),
    *sorted(
        page
        for page in DOCS.rglob("*.md")
        if str(page.relative_to(ROOT)) not in GENERATED and page.parent != DOCS / "figures"
    ),
]
TARGETS = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text()))


def commands(*programs):
    """(page, command) for each that starts with one of these programs, in a block or between backticks."""
    found = {}
    for page in PAGES:
        for command in _code(page.read_text()):
            if command.split(" ")[0] in programs and len(command.split()) > 1:
                found.setdefault(" ".join(command.split()), page.name)
    return [pytest.param(command, id=f"{page}: {command[:60]}") for command, page in found.items()]


def _code(text):
    """Yield the lines of blocks of commands, and the text between backticks."""
    for token in MarkdownIt().enable("table").parse(text):
        if token.type == "fence" and token.info in ("", "console"):
            yield from token.content.splitlines()
        elif token.type == "inline":
            yield from (part.content for part in token.children if part.type == "code_inline")


@pytest.mark.parametrize("command", commands("make"))
def test_make_has_the_target(command):
    assert command.split()[1] in TARGETS


@pytest.mark.parametrize("command", commands("twolayer"))
def test_twolayer_understands(command):
    words = [word for word in shlex.split(command)[1:] if word != "--help"]
    if words[:1] == ["COMMAND"]:
        return  # any of them
    with pytest.raises(SystemExit) as stopped:
        cli.command_parser().parse_args([words[0], "--help"])
    assert stopped.value.code == 0
    if (
        len(words) > 1 and "--help" not in command and not any(word.isupper() or "..." in word for word in words)
    ):  # a command, not a name for it
        cli.command_parser().parse_args(words)


@pytest.mark.parametrize("command", commands("snakemake"))
def test_snakemake_has_the_targets(command):
    words = [word for word in shlex.split(command)[1:] if not word.startswith("-") and "profiles/" not in word]
    if re.search(r"[.<|,]{2}|[A-Z<>]", command):
        return  # a pattern, not a command
    if "--config" in command:  # settings of the configuration
        settings = [word for word in words if "=" in word]
        Catalogue.load(
            ROOT, {key: read_setting(key, text) for key, _, text in (word.partition("=") for word in settings)}
        )
        words = [word for word in words if word not in settings]
    files = ("Snakefile", "workflow/rules/targets.smk", "config/config.yaml")
    known = "".join((ROOT / name).read_text() for name in files)
    for word in (word.strip(",") for word in words):
        assert word.endswith((".pdf", ".gif", ".nc", ".json", ".html")) or re.search(
            rf"\b{re.escape(word)}\b", known
        ), word


@pytest.mark.slow
def test_the_site_builds_without_a_warning(site):
    pages = {path.stem for path in site.rglob("*.html")}
    assert {page.stem for page in PAGES if DOCS in page.parents} | {Path(page).stem for page in GENERATED} <= pages


def test_the_example_of_the_readme_prints_what_it_says():
    text = (ROOT / "README.md").read_text().partition("## Use the library")[2]
    program = re.search(r"(?s)```python\n(.*?)```", text)[1]
    printed = re.search(r"(?s)```text\n(.*?)```", text)[1]
    environment = os.environ | {"MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, printed)


def without_code(text):
    return re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)


def links(page):
    """Return the targets of the links and images of a page, without web addresses."""
    found = re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", without_code(page.read_text()))
    targets = {one or other for one, other in found}
    return sorted(target for target in targets if not re.match(r"https?:|mailto:", target))


def anchors(page):
    """The anchors of the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)```.*?```", "", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_of_the_repository(page):
    """A link is not dead on a code host either, which shows neither folders of results nor generated pages."""
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        name = str(file.relative_to(ROOT))
        assert file.exists(), target
        assert name not in GENERATED, target
        assert not name.startswith(("results/", "figures/")), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_is_in_the_navigation():
    text = (DOCS / "index.md").read_text()
    listed = {name for block in re.findall(r"(?s)```\{toctree\}\n(.*?)```", text) for name in block.split()}
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES if DOCS in page.parents}
    assert pages - {"index"} <= listed
    assert {Path(page).stem for page in GENERATED} <= {Path(name).name for name in listed}


@pytest.mark.parametrize("page", ["notation", "command_line", "figures"])
def test_generated_pages_are_current(page):
    """`python docs/reference.py` writes them."""
    written = runpy.run_path(str(ROOT / "docs" / "reference.py"))[page]()
    assert (ROOT / "docs" / "reference" / f"{page}.md").read_text() == written


def rows_of_tables(page):
    """Tables of a page: for each, the numbers of cells of its rows."""
    text = re.sub(r"(?s)```.*?```", "", page.read_text())
    tables = re.findall(r"(?m)(?:^\|.*\n)+", text + "\n")
    return [[len(re.split(r"(?<!\\)\|", row.strip())) for row in table.splitlines()] for table in tables]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_all_rows_of_a_table_have_the_same_number_of_cells(page):
    assert all(len(set(cells)) == 1 for cells in rows_of_tables(page))


def test_the_version_is_the_same_everywhere():
    version = re.search(r'(?m)^version = "(.*)"', (ROOT / "pyproject.toml").read_text())[1]
    for name in ("README.md", "docs/references.bib", "docs/how_to/cite.md"):
        assert f"version = {{{version}}}" in (ROOT / name).read_text(), name


def test_the_readme_shows_the_output_of_the_tutorial():
    """Which a test executes."""
    (lines,) = re.findall(r"(?m)^\[8/9, 1 s left(\] fig1: pass .*\n.*)$", (ROOT / "README.md").read_text())
    assert lines in (DOCS / "tutorial.md").read_text()

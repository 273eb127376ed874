"""What README and docs tell people to type is understood, and the site builds."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from twolayer.pipeline import cli
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import read_setting

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TARGETS = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text()))
GENERATED = {"notation", "reference_keys", "reference_classes", "reference_functions"}  # by docs/reference.py


def commands(*programs):
    """(page, command) for each that starts with one of these programs, in a block or between backticks."""
    found = {}
    for page in PAGES:
        text = page.read_text()
        blocks = [line for block in re.findall(r"(?s)```(?:console)?\n(.*?)```", text) for line in block.splitlines()]
        inline = re.findall(r"`([^`\n]+)`", re.sub(r"(?s)```.*?```", "", text))
        for command in [*blocks, *inline]:
            if command.split(" ")[0] in programs and len(command.split()) > 1:
                found.setdefault(command.strip(), page.name)
    return [pytest.param(command, id=f"{page}: {command[:60]}") for command, page in found.items()]


@pytest.mark.parametrize("command", commands("make"))
def test_make_has_the_target(command):
    assert command.split()[1] in TARGETS


@pytest.mark.parametrize("command", commands("twolayer"))
def test_twolayer_understands(command):
    words = shlex.split(command)[1:]
    with pytest.raises(SystemExit) as stopped:
        cli.command_parser().parse_args([words[0], "--help"])
    assert stopped.value.code == 0
    if len(words) > 1 and not any(word.isupper() or "..." in word for word in words):  # a command, not a name for it
        cli.command_parser().parse_args(words)


@pytest.mark.parametrize("command", commands("snakemake"))
def test_snakemake_has_the_targets(command):
    words = [word for word in shlex.split(command)[1:] if not word.startswith("-") and "profiles/" not in word]
    if re.search(r"[.<|,]{2}|[A-Z<>]", command):
        return  # a pattern, not a command
    if "--config" in command:  # its settings are those of the configuration
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
def test_the_site_builds_without_a_warning(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        ROOT / "docs",
        tmp_path / "site",
    ]
    done = subprocess.run([*command, "-d", tmp_path / "trees"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.stem for path in (tmp_path / "site").rglob("*.html")}
    assert {path.stem for path in (ROOT / "docs").rglob("*.md")} | GENERATED <= pages


def test_the_example_of_the_readme_prints_what_it_says():
    text = (ROOT / "README.md").read_text()
    program = re.search(r"(?s)```python\n(.*?)```", text)[1]
    printed = re.search(r"(?s)```text\n(.*?)```", text)[1]
    environment = os.environ | {"MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, printed)

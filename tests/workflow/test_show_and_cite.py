"""The commands `twolayer show` and `twolayer cite`, and the references of the docstrings."""

import re

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.errors import ConfigError
from twolayer.pipeline import cli
from twolayer.pipeline.figure_info import citation, entries, lines

_KEY = re.compile(r"\b[a-z]{2,}(?:19|20)\d\d[a-z]*\b")


def test_show_names_files_runs_and_changed_parameters():
    text = "\n".join(lines(CATALOGUE, "fig1", "quick"))
    for part in (
        "paper figure   Figure 1 (refinetti2021)",
        "figure         figures/quick/fig1.pdf",
        "parameters     config/mixtures.yaml",
        "notebook       workflow/notebooks/fig1.py",
        "module         src/twolayer/figures/mixtures/fig1.py",
        "run xor_network: task fixed_point, results/quick/mixtures/fixed_point/xor_network.nc",
        "    weight_decay = 1e-05  (default 0.01)",
        "    sigma = [",
    ):
        assert part in text
    assert "learning_rate" not in text  # it has its default


@pytest.mark.parametrize("preset", ["paper", "quick"])
def test_show_names_files_that_exist(preset):
    for name in CATALOGUE.figures:
        shown = list(lines(CATALOGUE, name, preset))
        files = [
            line.split()[1] for line in shown if line.startswith(("parameters ", "notebook ", "module ", "published "))
        ]
        assert len(files) >= 3
        assert all((ROOT / file).is_file() for file in files), name


def test_show_lists_inputs_of_the_runs():
    text = "\n".join(lines(CATALOGUE, "fig31", "quick"))
    assert text.count("\nrun ") == len(CATALOGUE.upstream(CATALOGUE.figure_runs("fig31", "quick")))


def test_cite_prints_the_project_and_the_papers(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert cli.main(["cite"]) == 0
    assert re.findall(r"(?m)^@\w+\{(\w+),", capsys.readouterr().out) == ["twolayer"]
    assert cli.main(["cite", "fig40"]) == 0
    assert re.findall(r"(?m)^@\w+\{(\w+),", capsys.readouterr().out) == ["twolayer", "goldt2021"]


def test_a_paper_without_an_entry_is_an_error():
    with pytest.raises(ConfigError, match="no entry 'nobody2000'"):
        citation(["nobody2000"])


def test_entries_are_complete():
    for key, text in entries().items():
        fields = dict(re.findall(r"(?m)^  (\w+) *= \{(.*)\},?$", text))
        assert {"author", "title", "year"} <= fields.keys(), key
        assert key == "twolayer" or fields["year"] in key
        assert text.count("{") == text.count("}"), key


def test_every_reference_of_the_code_has_an_entry():
    keys = set(entries())
    used = {paper for figure in CATALOGUE.figures.values() for paper in figure.papers}
    for path in (ROOT / "src").rglob("*.py"):
        used |= set(_KEY.findall(path.read_text(encoding="utf-8")))
    assert used <= keys
    assert {"refinetti2021", "winograd1980", "saad1995"} <= used


def test_the_papers_of_the_citation_file_have_entries():
    numbers = re.findall(r"arXiv:([\d.]+)", (ROOT / "CITATION.cff").read_text())
    text = "".join(entries().values())
    assert len(numbers) == 4
    assert all(number in text for number in numbers)

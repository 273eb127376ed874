"""The table of findings: of the gallery's check results as they are, for every figure of the four papers."""

import re

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.figures.outcomes import PASS, UNDECIDED
from twolayer.pipeline.report import findings, gallery
from twolayer.pipeline.report.checks.check_table import columns
from twolayer.pipeline.report.checks.summary import main_check, short

PAPERS = {"mixtures", "varpro", "one_step", "gaussian_equivalence"}


@pytest.mark.slow
def test_the_page_is_that_of_the_gallery():
    current = (ROOT / "docs/findings.md").read_text() == findings.page(CATALOGUE)
    assert current, "call `twolayer findings`, which writes it"


@pytest.mark.parametrize(
    "figure", [one for one in CATALOGUE.figures.values() if one.study in PAPERS], ids=lambda f: f.name
)
def test_every_figure_of_a_paper_has_a_claim_or_is_beyond_it(figure):
    assert figure.finding, f"add a line `finding: ...` to {figure.name} in config/{figure.study}.yaml"
    assert bool(figure.claim) is not figure.paper_figure.startswith(("beyond", "addition"))


def test_a_figure_that_fails_is_explained():
    """It names each check that fails, a cause and a command."""
    explained = findings.page(CATALOGUE).partition("## The four papers")[0]
    for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER):
        name, fails = one.figure.name, one.summary.status == "fail"
        section = explained.partition(f"### Failing checks of [{name}](gallery/README.md#{name})\n")[2].partition(
            "### "
        )[0]
        assert bool(section) is (fails and bool(one.figure.finding)), name
        if section:
            named = [outcome.title for outcome in one.figure_checks.outcomes if f"- Fails: {outcome.title}" in section]
            assert named == [outcome.title for outcome in one.figure_checks.outcomes if outcome.status == "fail"]
            assert "Possible cause: " in section
            assert f"`twolayer check {name} --preset {one.preset}`" in section


def test_a_finding_names_each_undecided_check():
    """By the numbers in the title of the check, or by its words, and by the number of runs that would decide it."""
    for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER):
        if not (finding := one.figure.finding) or one.preset != "paper":
            continue
        for outcome in one.figure_checks.outcomes:
            if outcome.status == UNDECIDED:
                named = re.findall(r"\d[\d.]*\b", outcome.title) or re.findall(r"\brelu|tanh|sigmoid\b", outcome.title)
                lacking = [text for text in named if not re.search(rf"(?<![\d.]){re.escape(text)}", finding)]
                assert not lacking, (one.figure.name, outcome.title)
                assert re.search(r"decide|error", finding), one.figure.name


def test_no_passing_check_of_the_gallery_deviates_by_more_than_it_detects():
    """Deviation and detection limit are printed side by side, for each check and for the main check of a figure."""
    for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER):
        for outcome in one.figure_checks.outcomes:
            if outcome.status == PASS and None not in (outcome.difference, outcome.detects):
                assert outcome.difference <= outcome.detects, (one.figure.name, outcome.title)


def test_no_printed_deviation_of_a_passing_check_is_larger_than_its_printed_limit():
    """As text, after rounding: in tables of the console, the scoreboard and pages, and in the line of a figure."""
    for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER):
        for outcome in one.figure_checks.outcomes:
            cells = columns(outcome)
            if outcome.status == PASS and cells["deviation"]:
                (deviation, unit), (limit, unit_of_limit) = (
                    (cells[name] + " ").split(" ", 1) for name in ("deviation", "limit")
                )
                assert unit == unit_of_limit
                assert float(deviation) <= float(limit), (one.figure.name, outcome.title)
        line = re.search(r"([\d.e+-]+) % off, detects ([\d.e+-]+) %", short(one.figure_checks.outcomes))
        if line and main_check(one.figure_checks.outcomes).status == PASS:
            assert float(line[1]) <= float(line[2]), one.figure.name

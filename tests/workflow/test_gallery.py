"""The gallery: made from the results that are there, and of the program as it stands or said to be of another."""

import json
import re
from dataclasses import asdict

import pandas as pd
import pytest
from markdown_it import MarkdownIt
from PIL import Image
from small_project import CATALOGUE, ROOT

from twolayer.errors import ResultError
from twolayer.escaping import one_line
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report import gallery, gallery_markdown
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.summary import statuses
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.report.website.papers import paper
from twolayer.storage.checksums import json_with_checksum

SHOWN = [one for name in CATALOGUE.figures for one in gallery.at_presets(CATALOGUE, ROOT / gallery.FOLDER, name)]
ON_PAGE = gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)
CURRENT = """
from pathlib import Path
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report import gallery
(entry,) = gallery.entries(Catalogue.load(Path.cwd()), Path(gallery.FOLDER))
print(entry.current)
"""


@pytest.fixture
def shown(project):
    """Return a project with a gallery of its quick preset, and a function that writes it and returns its state."""

    def make():
        done = project.run("twolayer", "gallery", "--preset", "quick")
        assert done.returncode == 0, done.stderr
        return done, project.run("python", "-c", CURRENT).stdout.strip()

    return project, make


@pytest.mark.slow
def test_a_figure_says_whether_it_is_of_the_program_as_it_stands(shown):
    project, make = shown
    _, current = make()
    assert current == "True"
    assert "1 of 2 checks pass" in (project.root / gallery.FOLDER / "README.md").read_text()
    folder = project.root / gallery.FOLDER / "quick"
    with Image.open(folder / "fig1.png") as picture:
        assert picture.mode == "P"
        assert len(picture.getcolors()) <= 64
    curves = pd.read_csv(folder / "fig1.curves.zip")
    assert {"panel", "label", "x", "y"} <= set(curves)
    (project.root / "results/quick/mixtures/online_sgd/sgd.nc").unlink()
    project.rewrite("src/twolayer/simulation/mixtures/online_sgd.py", "\nimport", "\n# a remark\nimport")
    done, current = make()
    assert "fig1 is left as it was: 1 of 4 results of fig1" in done.stderr
    assert current == "True"
    project.rewrite("src/twolayer/simulation/mixtures/online_sgd.py", "# a remark\n", "CHANGED = 1\n")
    _, current = make()
    assert current == "False"


def test_results_of_a_commit_that_is_not_to_be_had_are_of_another_program():
    now = gallery.made_from(CATALOGUE, "fig5", "quick")
    (run, *_) = CATALOGUE.figure_runs("fig5", "quick")
    assert gallery.made_from(CATALOGUE, "fig5", "quick", {run.name: "unknown"}) == now
    assert gallery.made_from(CATALOGUE, "fig5", "quick", {run.name: "0123456789ab"}) == "unknown"
    assert gallery.made_from(CATALOGUE, "fig6", "quick") != now


def test_a_result_counts_by_the_modules_of_its_own_task(monkeypatch):
    """Of all that a figure rests on, what it does not read itself as well: here a generator and its moments."""
    as_it_is = gallery.current_text

    def sampling_was_another(path, commit):
        return as_it_is(path) + (
            "BEFORE = 1\n" if commit == "earlier" and path.name == "winograd_convolution.py" else ""
        )

    monkeypatch.setattr(gallery, "text_at", sampling_was_another)

    def made_from(**commits):
        return gallery.made_from(CATALOGUE, "fig34", "quick", commits)

    now = made_from()
    assert made_from(random_gan="earlier", random_gan_moments="today") == now  # it draws no images for others
    assert made_from(random_gan="today", random_gan_moments="earlier") != now
    assert made_from(random_gan_sgd="earlier") != now


def test_remarks_are_no_physics():
    assert gallery.code_of('"""A."""\ndef f(x):\n    """B."""\n    return x  # C') == gallery.code_of(
        '""""""\ndef f(x):\n    """D."""\n    return x'
    )
    assert gallery.code_of("x = 1") != gallery.code_of("x = 2")
    assert gallery.code_of("x = 'a'") != gallery.code_of("x = 'b'")


@pytest.mark.parametrize(("generators", "size"), [("published", "paper"), ("brief", "paper, reduced trainings")])
def test_it_says_where_generators_were_trained_for_a_short_time(tmp_path, generators, size):
    """The size belongs to the time of the training, and not to the present configuration."""
    of_then = Catalogue.load(ROOT, {"generators": generators}, {})
    modules = gallery.made_from(of_then, "fig37", "paper")
    judged = check_results.FigureChecks([], Provenance.of([]))
    about = {"preset": "paper", "generators": generators, "modules": modules, **asdict(judged)}
    (tmp_path / "fig37.json").write_text(json_with_checksum(json.dumps(about)))
    for now in ("published", "trained", "brief"):
        (entry,) = gallery.entries(Catalogue.load(ROOT, {"generators": now}, {}), tmp_path)
        assert (entry.size, entry.current) == (size, True)


def test_a_damaged_gallery_is_noticed(tmp_path):
    (tmp_path / "fig5.json").write_text('{"preset": "paper"}')
    with pytest.raises(ResultError, match=r"gallery file .*fig5\.json does not have a matching digest"):
        gallery.entries(CATALOGUE, tmp_path)


@pytest.mark.parametrize("one", SHOWN, ids=lambda one: f"{one.figure.name}-{one.preset}")
def test_each_figure_of_the_gallery_has_its_picture(one):
    with Image.open(ROOT / gallery.FOLDER / one.path("png")) as picture:
        assert picture.mode == "P"


def test_the_paper_preset_is_shown_before_the_quick_one():
    presets = {one.figure.name: one.preset for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)}
    assert presets["fig1"] == "paper"
    assert [one.preset for one in SHOWN if one.figure.name == "fig1"] == ["paper", "quick"]


def test_animations_of_the_quick_preset_are_shown_where_the_paper_preset_has_none():
    shown = {one.figure.name: one.animations for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)}
    assert {name: len(shown[name]) for name in ("fig6", "fig11", "fig21")} == {"fig6": 1, "fig11": 1, "fig21": 2}


def test_the_page_is_that_of_the_gallery():
    """Where this fails, `twolayer gallery` writes the page."""
    folder = ROOT / gallery.FOLDER
    assert (folder / "README.md").read_text() == gallery_markdown.page(ROOT, gallery.entries(CATALOGUE, folder))
    assert sum(path.stat().st_size for path in folder.rglob("*.*")) < 2e7


def test_the_page_begins_with_what_fails():
    shown = gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)
    first = gallery_markdown.page(ROOT, shown).splitlines()[2]
    counts = statuses(one.summary for one in shown)
    assert first.startswith(f"{len(shown)} figures: {counts['pass']} pass")
    failing = [one.figure.name for one in shown if one.summary.status == "fail"]
    assert re.findall(r"\[(\w+)\]", first) == failing


@pytest.fixture(scope="module")
def sections():
    """Return name -> heading of the group, text and links of the section of each figure, as a reader sees them."""
    html = pytest.importorskip("lxml.html", reason="lxml is not installed")
    text = (ROOT / gallery.FOLDER / "README.md").read_text()
    found, group = {}, ""
    for element in html.fromstring(MarkdownIt("commonmark", {"html": True}).enable("table").render(text)):
        if element.tag == "h2":
            group, name = element.text_content(), None
        elif element.tag == "h3":
            name = element.text_content()
            found[name] = (group, [], [])
        elif group and name:
            found[name][1].append(element.text_content())
            found[name][2].extend(link.get("href") for link in element.iter("a"))
    return {name: (group, "\n".join(parts), links) for name, (group, parts, links) in found.items()}


def test_the_figures_are_grouped_by_paper(sections):
    assert set(sections) == {one.figure.name for one in ON_PAGE}
    for one in ON_PAGE:
        of_figure = None if one.figure.paper_figure.startswith("beyond") else paper(ROOT, one.figure)
        group, text, links = sections[one.figure.name]
        assert group == (of_figure.short if of_figure else "Beyond the papers")
        if of_figure:
            assert of_figure.address in links
            assert one.figure.paper_figure in text
    assert len({group for group, _, _ in sections.values()}) == 5


@pytest.mark.parametrize("one", ON_PAGE, ids=lambda one: f"{one.figure.name}-{one.preset}")
def test_a_section_of_the_gallery_has_claim_result_checks_and_files(sections, one):
    _, text, links = sections[one.figure.name]
    figure, outcomes = one.figure, one.figure_checks.outcomes
    assert all(one_line(sentence) in text for sentence in (figure.title, figure.claim, figure.finding))
    counts = [list(map(int, row)) for row in re.findall(r"\n(\d+)\n(\d+)\n(\d+)\n(\d+)\n", text)]
    statuses_of_all = [outcome.status for outcome in outcomes]
    assert [sum(column) for column in zip(*counts, strict=True)] == [
        statuses_of_all.count(status) for status in ("pass", "fail", "undecided", "not applicable")
    ]
    for outcome in outcomes:
        if outcome.status in ("fail", "undecided"):
            assert f"{outcome.status} {one_line(outcome.title)}" in text.replace("main check: ", "")
    for ending in ("pdf", "curves.zip", "json"):
        assert one.path(ending).as_posix() in links
        assert (ROOT / gallery.FOLDER / one.path(ending)).is_file(), ending


def test_the_command_of_a_figure_names_the_generators_of_its_results(sections):
    """If the setting in config/config.yaml selects other runs."""
    for one in ON_PAGE:
        setting = f"TWOLAYER_GENERATORS={one.generators} " if one.generators else ""
        command = f"{setting}snakemake {CATALOGUE.folders.figures(one.preset)}/{one.figure.name}.pdf"
        assert f" preset: {command} makes it" in sections[one.figure.name][1]
    generators = {one.figure.name: one.generators for one in ON_PAGE}
    assert {name: generators[name] for name in ("fig1", "fig24", "fig15")} == {
        "fig1": "",
        "fig24": "shipped",
        "fig15": "shipped",
    }

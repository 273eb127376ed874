"""The markup of the site and of the scoreboard: links, anchors, pictures, headings and status words."""

from functools import cache
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.pipeline.report import gallery
from twolayer.pipeline.report.checks.summary import statuses

html = pytest.importorskip("lxml.html", reason="lxml is not installed")

STATUSES = {"pass", "fail", "undecided", "not applicable", "no applicable check"}
OVERVIEWS = ("index.html", "gallery/README.html", "findings.html", "figures/index.html")


@cache
def tree(path):
    return html.parse(str(path)).getroot()


def pages(site):
    return sorted(site.rglob("*.html"))


def content(page):
    """The text of a page, without the navigation of the theme."""
    (found,) = tree(page).xpath("//article") or [tree(page)]
    return found


def targets(page):
    """The links inside the site: address, file, anchor."""
    for link in tree(page).xpath("//a[@href]"):
        address = urlsplit(link.get("href"))
        if not address.scheme and not address.netloc:
            yield link.get("href"), (page.parent / unquote(address.path)) if address.path else page, address.fragment


@pytest.mark.slow
def test_links_lead_to_files_and_anchors(site):
    wrong = []
    for page in pages(site):
        for address, path, anchor in targets(page):
            path = path.resolve()
            known = path.exists() and (
                not anchor or path.suffix != ".html" or tree(path).xpath("//*[@id=$name]", name=unquote(anchor))
            )
            wrong += [] if known else [f"{page.relative_to(site)}: {address}"]
    assert not wrong


@pytest.mark.slow
def test_pictures_have_a_sentence_a_size_and_load_late(site):
    pictures = [(page, picture) for page in pages(site) for picture in content(page).xpath(".//img")]
    assert len(pictures) > 100
    for page, picture in pictures:
        assert len(picture.get("alt", "").split()) >= 2, (page, picture.get("src"), picture.get("alt"))
        if ".png" in picture.get("src"):
            assert picture.get("loading") == "lazy", (page, picture.get("src"))
            assert int(picture.get("width")) > 0
            assert int(picture.get("height")) > 0


@pytest.mark.slow
def test_a_page_has_one_title_and_skips_no_level(site):
    for page in pages(site):
        if page.name in ("search.html", "genindex.html", "py-modindex.html"):
            continue
        levels = [int(heading.tag[1]) for heading in content(page).xpath(".//h1|.//h2|.//h3|.//h4|.//h5")]
        assert levels.count(1) == 1, page
        assert all(after <= before + 1 for before, after in pairwise(levels)), (page, levels)


@pytest.mark.slow
def test_status_words(site, board):
    for page in [*pages(site), board]:
        for badge in tree(page).xpath("//*[contains(concat(' ', @class, ' '), ' status ')]"):
            words = {text.strip() for text in badge.itertext() if text.strip()}
            assert words & STATUSES, (page, words)


@pytest.mark.slow
@pytest.mark.parametrize("name", OVERVIEWS)
def test_an_overview_begins_with_the_counts_and_names_what_fails(site, name):
    shown = {one.figure.name: one.summary for one in gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)}
    (first, *_) = [
        text for text in (part.text_content() for part in content(site / name).xpath(".//p")) if "figures: " in text
    ]
    assert f" {statuses(shown.values())['pass']} pass" in first or name == "findings.html"
    assert all(figure in first for figure, summary in shown.items() if summary.status == "fail")


@pytest.mark.slow
def test_each_figure_has_a_page_with_its_parts(site):
    for name in CATALOGUE.figures:
        page = content(site / "figures" / f"{name}.html")
        headings = [heading.text_content().rstrip("#¶") for heading in page.xpath(".//h2")]
        assert {"Downloads", "Method", "Parameters", "Citation"} <= set(headings)
        for table in page.xpath(".//table[@class='outcomes']"):
            order = [cell.text_content() for cell in table.xpath(".//td/b")]
            assert order == sorted(order, key=["fail", "undecided", "pass"].index)
        assert "$" not in "".join(page.xpath(".//p//text()[not(ancestor::code)]")), "formulas are MathML"


@pytest.mark.slow
def test_the_gallery_and_the_findings_lead_to_the_pages_of_the_figures(site):
    for name in ("gallery/README.html", "findings.html"):
        linked = {path.resolve() for _, path, _ in targets(site / name)}
        shown = gallery.entries(CATALOGUE, ROOT / gallery.FOLDER)
        named = [one.figure.name for one in shown if one.figure.finding or name != "findings.html"]
        assert {(site / "figures" / f"{figure}.html").resolve() for figure in named} <= linked


@pytest.mark.slow
def test_weights(site, board):
    assert board.stat().st_size < 6e6
    gallery_page = site / "gallery/README.html"
    assert gallery_page.stat().st_size < 3e5

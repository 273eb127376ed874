"""The site and the scoreboard in a real browser: errors, widths, ways, themes, print and accessibility."""

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

WIDTHS = (390, 1280, 1920)
TEMPLATES = ("index.html", "gallery/README.html", "findings.html", "figures/index.html", "figures/fig22.html")
# Rules that the theme itself breaks, in its navigation.
OF_THEME = {"aria-required-attr", "landmark-unique", "region", "scrollable-region-focusable", "empty-table-header"}


def overflow(page):
    """Pixels by which the content is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def printed_pages(page):
    """Number of A4 pages on paper."""
    return page.pdf(format="A4").count(b"/Type /Page\n")


def of_quick(page):
    """The downloads of a figure at the quick preset."""
    return page.get_by_role("listitem").filter(has_text="Quick preset:")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_its_window_or_complains(site, board, open_page, width):
    opened, complaints = open_page
    for path in [*(site / name for name in TEMPLATES), board]:
        assert overflow(opened(path, width)) <= 0, path
    assert complaints == []


def test_figure_22_its_checks_and_its_curves_are_three_clicks_away(site, open_page):
    opened, _ = open_page
    page = opened(site / "index.html")
    page.get_by_role("link", name="Pages of the figures").first.click()
    page.locator("article").get_by_role("link", name="fig22", exact=True).click()
    rows = page.locator("table.outcomes tbody tr")
    rows.first.wait_for(state="attached")  # a click does not wait for the page
    assert rows.count() > 10
    with page.expect_download() as download:
        of_quick(page).get_by_role("link", name="curves as CSV").click()
    assert len(pd.read_csv(download.value.path())) > 100


@pytest.mark.parametrize("form", ["PDF", "SVG", "PNG", "curves as CSV", "checks as JSON"])
def test_a_figure_has_downloads(site, open_page, form):
    opened, _ = open_page
    link = of_quick(opened(site / "figures/fig22.html")).get_by_role("link", name=form)
    assert (site / "figures" / link.get_attribute("href")).stat().st_size > 1000


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_status_is_readable_in_both_themes(site, open_page, theme):
    opened, _ = open_page
    page = opened(site / "findings.html", color_scheme=theme)
    badge = page.locator(".status.pass").first
    assert badge.inner_text() == "pass"
    assert badge.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(26, 127, 55)"
    assert badge.evaluate("e => getComputedStyle(e).color") == "rgb(255, 255, 255)"


def test_the_scoreboard_opens_a_figure_searches_and_sorts(board, open_page):
    opened, complaints = open_page
    page = opened(board, fragment="#fig22")
    assert page.locator("#fig22 table.outcomes").is_visible()
    page.get_by_label("search").fill("figure 22")
    assert [one.get_attribute("id") for one in page.locator("details.figure:visible").all()] == ["fig22"]
    page.get_by_label("search").fill("")
    page.get_by_label("order").select_option("seconds")
    seconds = page.eval_on_selector_all("details.figure", "all => all.map(one => Number(one.dataset.seconds))")
    assert seconds == sorted(seconds, reverse=True)
    page.get_by_label("study").select_option("one_step")
    assert {one.get_attribute("data-study") for one in page.locator("details.figure:visible").all()} == {"one_step"}
    assert complaints == []


def test_the_scoreboard_is_readable_without_scripts(board, open_page):
    opened, _ = open_page
    page = opened(board, java_script_enabled=False)
    page.locator("#fig22 > summary").click()
    assert page.locator("#fig22 table.outcomes").is_visible()
    page.get_by_label("study").select_option("varpro")
    assert not page.locator("#fig22").is_visible(), "the filter by study needs no script"
    assert not page.locator("#search").is_visible()


def test_a_block_of_code_is_copied(site, open_page):
    opened, complaints = open_page
    page = opened(site / "tutorial.html", permissions=["clipboard-read", "clipboard-write"])
    block = page.locator("div.highlight").first
    block.hover()
    block.get_by_role("button", name="copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == block.locator("pre").inner_text().rstrip()
    assert complaints == []


def test_print(site, board, open_page):
    opened, _ = open_page
    page = opened(board, fragment="#fig22")
    assert printed_pages(page) <= 8, "the overview"
    assert printed_pages(opened(site / "findings.html")) <= 25


def test_axe_finds_only_what_the_theme_breaks(site, board, open_page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened, _ = open_page
    for path in [*(site / name for name in TEMPLATES), board]:
        found = axe.Axe().run(opened(path)).response["violations"]
        assert {rule["id"] for rule in found} <= (set() if path == board else OF_THEME), path

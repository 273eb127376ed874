"""The paper in `paper/` has the sections of the journal, and its bibliography agrees with docs/references.bib."""

import re

import pytest
import yaml
from small_project import ROOT

TEXT = (ROOT / "paper" / "paper.md").read_text()
SECTIONS = (
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
)


def entries(path):
    """Return the fields of each entry of a BibTeX file, by its key."""
    found = re.findall(r"(?ms)^@\w+\{(\w+),\n(.*?)\n\}", (ROOT / path).read_text())
    assert len({key for key, _ in found}) == len(found), f"{path} has a key twice"
    fields = r"(?ms)^\s*(\w+)\s*=\s*\{(.*?)\},?$"
    return {key: {name: " ".join(value.split()) for name, value in re.findall(fields, text)} for key, text in found}


def test_sections_and_front_matter():
    _, front, body = TEXT.split("---\n", 2)
    assert [name for name in re.findall(r"(?m)^# (.*)$", body) if name in SECTIONS] == list(SECTIONS)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(yaml.safe_load(front))


def test_length():
    """The limits of the journal are 750 and 1750 words."""
    assert 750 <= len(TEXT.split("---\n", 2)[2].split()) <= 1750


def test_citations_and_entries_agree():
    assert set(re.findall(r"@(\w+)", TEXT)) == set(entries("paper/paper.bib"))


@pytest.mark.parametrize("key", sorted(entries("paper/paper.bib")))
def test_the_entry_is_complete(key):
    entry = entries("paper/paper.bib")[key]
    assert {"author", "title", "year", "doi"} <= set(entry)
    assert "others" not in entry["author"]
    known = entries("docs/references.bib").get(key, {})
    assert {name: entry[name] for name in known} == known

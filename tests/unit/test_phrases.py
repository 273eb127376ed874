"""Phrases that stop a reader, in every text of the project: pages, notebooks, comments, docstrings and messages.

`python tests/unit/test_phrases.py` lists the places. Rewrite the sentence, and not only the phrase.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "docs", "examples", "workflow", "config", "tests", "paper", ".github", ".ci", "profiles")
# Sphinx writes these files, from docstrings of src.
BY_SPHINX = (
    "docs/_build/",
    "docs/figures/",
    *(f"docs/reference/{name}.md" for name in ("functions", "classes", "configuration")),
)
FILES = [*sorted(ROOT.glob("*.md")), ROOT / "CITATION.cff", ROOT / "Makefile", ROOT / "Snakefile", ROOT / "Dockerfile"]

# kind of phrase -> pattern
PHRASES = {
    "archaic": r"\b(anew|afresh|likewise|for ever|thereof|hence|thus|whence|just so|none but|nothing but|but for|"
    r"save for|one's own|of one's)\b",
    "'beside' for next to": r"\bbeside (the|it|them|each|a|its|their|this|that|him|every|one)\b",
    "'alone' after a noun": r"\b(\w+) alone[.,;:)]",
    "negation without 'do'": r"\b(has|have|had|knows|know|needs|need) not\b(?! been| yet)",
    "things that speak": r"\b(says?|tells?|told|speaks?|knows of|asks? for|asked for|wants? to)\b",
    "'is told', 'is made'": r"\b(is|are|was|were) (told|made (anew|of|to|from|at|once|by))\b",
    "lie, stand": r"\b(lies?|stands?) (in|on|at|there|here|beside|for|above|below|where|between)\b(?! [\[(0-9])",
    "'that of' without a noun": r"\b(that|those) (of|in|at|with|for|from|on|which|who|whose)\b(?! the (paper|form))",
    "'such', 'so do'": r"\b(of such|as such|where there (is|are) (such|none)|and so for|"
    r"so (do|does|for) (it|they|the))\b",
    "'X for Y' between numbers": r"\b\d+(\.\d+)?( %| percent)? for \d",
    "private terms": r"\b(would (have )?notice[ds]?|sharpness|sharpest|rehears\w+|tally|seal(s|ed|ing)?\b|held against|"
    r"front door|warm process|scoreboard's|nouns?|verbs?|short trainings|minimal filtering|twin)\b",
}

_LIST = "lists of phrases that are to be avoided"
# file -> (phrases, reason)
ALLOWED: dict[str, tuple[set[str] | None, str]] = {
    "docs/renames.md": (None, "a list of old names"),
    "tests/unit/test_language.py": (None, _LIST),
    "tests/unit/test_phrases.py": (None, _LIST),
}


@cache
def texts() -> tuple[tuple[str, int, str], ...]:
    """Return (file, line number, line) of every text that a person reads."""
    return tuple(_texts())


def _texts():
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    for path in (*FILES, *files):
        name = str(path.relative_to(ROOT))
        if not name.startswith((*BY_SPHINX, "docs/gallery/")) and "__pycache__" not in name:
            yield from ((name, number, line) for number, line in lines(path))


def lines(path: Path) -> Iterator[tuple[int, str]]:
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)):
                yield from enumerate(token.string.splitlines(), token.start[0])
    elif path.suffix in (".yaml", ".yml", ".smk", "") or path.name in ("Makefile", "Snakefile", "Dockerfile"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "#" in line or re.match(r"\s*(title|claim|finding|description|doc)\b|\s{4,}[A-Z]", line):
                yield number, line.partition("#")[2] or line
    elif path.suffix in (".md", ".cff", ".html", ".j2"):
        yield from enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def places(pattern: str) -> list[tuple[str, int, str, str]]:
    """All (file, line number, phrase, line) with a phrase, apart from allowed ones."""
    compiled = re.compile(pattern, re.IGNORECASE)
    found = []
    for name, number, line in texts():
        for match in compiled.finditer(line):
            phrases, _ = ALLOWED.get(name, (set(), ""))
            if phrases is not None and match[0].lower() not in phrases:
                found.append((name, number, match[0], line.strip()))
    return found


@pytest.mark.parametrize("kind", PHRASES)
def test_no_text_has_such_phrases(kind):
    assert not places(PHRASES[kind])


def test_allowed_phrases_occur():
    written = {}
    for name, _, line in texts():
        written.setdefault(name, []).append(line.lower())
    for name, (phrases, reason) in ALLOWED.items():
        assert reason
        for phrase in phrases or ():
            assert any(phrase in line for line in written[name]), (name, phrase)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("archaic", "It is drawn anew."),
        ("things that speak", "The title says so."),
        ("'that of' without a noun", "its error is that of the network"),
        ("'X for Y' between numbers", "it has 0.3 for 0.4"),
    ],
)
def test_phrases_are_found(kind, text):
    assert re.search(PHRASES[kind], text, re.IGNORECASE)


if __name__ == "__main__":
    for kind, pattern in PHRASES.items():
        for name, number, phrase, line in places(pattern):
            print(f"{kind}: {name}:{number}: [{phrase}] {line[:110]}")

"""Private words that have a standard term, and archaic words: no new use of them in identifiers and in prose.

`python tests/unit/test_language.py` prints how often each word occurs. Lower the number in the tables below whenever it
falls, and remove an entry that falls to zero.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from twolayer.results.vocabulary import MEANINGS

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]
CONFIGURATIONS = sorted((ROOT / "config").glob("*.yaml"))
DOCS = ROOT / "docs"
# Sphinx writes these pages from docstrings, which count as well, and from notebooks. They are not in the repository.
GENERATED = {DOCS / "reference" / f"{name}.md" for name in ("functions", "classes", "configuration")}
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "paper" / "paper.md",
    *sorted(page for page in DOCS.rglob("*.md") if page not in GENERATED and page.parent != DOCS / "figures"),
]

# word -> the standard term. Words of an identifier are joined by "_"; a plural counts as the word.
IDENTIFIERS = {
    "chain": "order_parameter_sgd",
    "covariates": "feature_covariances",
    "exhibit": "gallery entry",
    "expected_time": "median_escape_time",
    "explained": "r_squared",
    "floor_distance": "null_distance",
    "held": "reference",
    "house": "architecture",
    "kind": "type",
    "law": "distribution",
    "local_field": "preactivation",
    "meeting": "comparison",
    "minimal_filtering": "winograd",
    "miss": "misclassified",
    "notice": "detection limit",
    "noun": "class",
    "oracle": "bayes",
    "original": "paper_figure",
    "outline": "dry_run",
    "own": "custom",
    "page": "report",
    "passes": "epochs",
    "rehearsal": "dry_run",
    "rehearsed": "dry_run",
    "role": "type",
    "scale": "preset, if paper or quick is meant",
    "seal": "checksum",
    "sharpness": "detection_limit",
    "tally": "summary",
    "twin": "gaussian_equivalent",
    "unchecked": "no applicable check",
    "unseal": "checksum",
    "verb": "function",
    "verdict": "check_result",
    "walk": "tour",
    "warm": "worker",
    "word": "format",
}
# pattern -> what to write instead
PROSE = {
    r"afresh|anew": "again",
    r"alone": "only",
    r"beside": "next to",
    r"but for|none but": "except",
    r"chains? of order parameters": "SGD in order parameters",
    r"exhibits?": "gallery entry",
    r"for ever": "always",
    r"has not(?! (?:been|\w+ed|\w+n)\b)": "a verb: does not have",
    r"held against": "reference",
    r"hence|thus|thereof": "so",
    r"laws?": "distribution",
    r"likewise": "also",
    r"local fields?": "pre-activation",
    r"minimal filtering": "Winograd convolution",
    r"notices?|noticed": "detects, detection limit",
    r"nouns?": "class",
    r"one's own|own (?:data|generators?|mixtures?|modules?|samples)": "custom",
    r"oracles?": "Bayes-optimal classifier, Bayes error",
    r"original (?:figures?|panels?)": "paper figure",
    r"pass(?:es)? over": "epoch",
    r"rehears\w+": "dry run of the checks",
    r"(?:paper|quick) scales?": "preset",
    r"seal(?:s|ed)?|unseal\w*": "checksum",
    r"sharpness|sharper": "detection limit",
    r"short trainings?": "reduced training",
    r"tally": "summary",
    r"theory meets|meetings?": "comparison of theories",
    r"twins?": "Gaussian equivalent",
    r"unchecked": "no applicable check",
    r"verbs?": "function",
    r"verdicts?": "check result",
    r"warm process\w*": "worker",
}

# word -> (how often it may occur, why)
ALLOWED_IDENTIFIERS: dict[str, tuple[int, str]] = {
    "chain": (3, "an import chain, and chains of runs that need each other"),
    "covariates": (2, "the Gaussian covariate model is a standard term"),
    "explained": (1, "the explained power is a standard term"),
    "kind": (38, "the kind of a file, an item or a check, because `type` is a function of Python"),
    "law": (4, "a power law is a standard term"),
    "local_field": (17, "a term of the papers"),
    "original": (3, "images before a generator learned from them, and parameters before a change"),
    "own": (1, "keys of a run that replace keys of the shared entry"),
    "page": (9, "a page of the documentation or of paper"),
    "passes": (2, "passes of a batch through a network in one step"),
    "role": (7, "the role of an input of a task"),
    "scale": (44, "a factor of weights or lengths"),
    "unchecked": (1, "the status of a figure without checks"),
    "word": (42, "a word of a text, in check names too, or of 64 bits"),
}
ALLOWED_PROSE: dict[str, tuple[int, str]] = {
    "alone": (2, "an adverb before a verb, and the name of a field"),
    "laws?": (10, "power law and arcsine law are standard terms"),
    "one's own|own (?:data|generators?|mixtures?|modules?|samples)": (4, "your own, in instructions; separate data"),
    "theory meets|meetings?": (4, "generated from records of earlier names of checks"),
}


def words(identifier: str) -> str:
    """The words of an identifier in lower case, joined and enclosed by "_"."""
    return "_".join(["", *re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", identifier), ""]).lower()


def identifiers() -> Iterator[tuple[str, str]]:
    """(file, identifier) for all names that the code defines, keys of the configuration and variables of results."""
    for path in SOURCES:
        name = str(path.relative_to(ROOT))
        yield name, path.parent.name if path.stem == "__init__" else path.stem
        found = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.id if isinstance(node, ast.Name) else node.attr)
        yield from ((name, one) for one in sorted(found))
    keys = {key for path in CONFIGURATIONS for key in _keys(yaml.safe_load(path.read_text()))}
    yield from (("config", key) for key in sorted(keys))
    yield from (("results/vocabulary.py", name) for name in MEANINGS)


def _keys(value) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def prose() -> Iterator[tuple[str, str]]:
    """(file, text) for pages, docstrings, messages and comments, without code."""
    for path in PAGES:
        yield str(path.relative_to(ROOT)), _without_code(path.read_text(encoding="utf-8"))
    for path in SOURCES:
        name, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield name, _without_code(node.value)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        yield from ((name, _without_code(token.string)) for token in tokens if token.type == tokenize.COMMENT)
    for path in [*RULES, *CONFIGURATIONS]:
        comments = re.findall(r"(?m)(?:^|\s)#\s(.*)$", path.read_text(encoding="utf-8"))
        yield str(path.relative_to(ROOT)), "\n".join(comments)


def _without_code(text: str) -> str:
    text = re.sub(r"(?s)```.*?```|``.*?``|`[^`]*`|\]\([^)]*\)", " ", text)
    return re.sub(r"(?m)^\s*(?:>>>|\.\.\.) .*$", " ", text)


def uses_in_identifiers(word: str, found: list[tuple[str, str]]) -> list[str]:
    pattern = re.compile(f"_{word}s?_")
    return [f"{name}: {identifier}" for name, identifier in found if pattern.search(words(identifier))]


def uses_in_prose(pattern: str, found: list[tuple[str, str]]) -> list[str]:
    compiled = re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)
    places = ((name, text, match.span()) for name, text in found for match in compiled.finditer(text))
    return [f"{name}: {' '.join(text[max(0, a - 30) : b + 30].split())}" for name, text, (a, b) in places]


@pytest.fixture(scope="module")
def all_identifiers():
    return list(identifiers())


@pytest.fixture(scope="module")
def all_prose():
    return list(prose())


def assert_not_more(uses, allowed, word, instead):
    most, _ = allowed.get(word, (0, ""))
    listed = "\n".join(sorted(set(uses)))
    assert len(uses) <= most, f"{word!r} occurs {len(uses)} times, at most {most}: use {instead!r}.\n{listed}"


@pytest.mark.parametrize("word", IDENTIFIERS)
def test_identifiers_use_standard_terms(word, all_identifiers):
    assert_not_more(uses_in_identifiers(word, all_identifiers), ALLOWED_IDENTIFIERS, word, IDENTIFIERS[word])


@pytest.mark.parametrize("pattern", PROSE)
def test_prose_uses_standard_terms(pattern, all_prose):
    assert_not_more(uses_in_prose(pattern, all_prose), ALLOWED_PROSE, pattern, PROSE[pattern])


def test_every_allowance_has_a_word_and_a_reason():
    assert set(ALLOWED_IDENTIFIERS) <= set(IDENTIFIERS)
    assert set(ALLOWED_PROSE) <= set(PROSE)
    assert all(most > 0 and reason for most, reason in [*ALLOWED_IDENTIFIERS.values(), *ALLOWED_PROSE.values()])


def test_uses_are_found():
    names = [("a.py", name) for name in ("GaussianTwin", "field_law", "LAWS", "lawn", "local_fields", "unlawful")]
    assert uses_in_identifiers("law", names) == ["a.py: field_law", "a.py: LAWS"]
    assert uses_in_identifiers("twin", names) == ["a.py: GaussianTwin"]
    assert uses_in_identifiers("local_field", names) == ["a.py: local_fields"]
    texts = [("a.md", "It is drawn\nanew; the lawn has not been mown. A law that it has not.")]
    assert uses_in_prose("afresh|anew", texts) == ["a.md: It is drawn anew; the lawn has not been mown."]
    assert len(uses_in_prose("laws?", texts)) == 1
    assert len(uses_in_prose(r"has not(?! (?:been|\w+ed|\w+n)\b)", texts)) == 1
    assert _without_code("A `law` and\n```\na twin\n```\nend").split() == ["A", "and", "end"]


if __name__ == "__main__":
    for allowed, uses, found, table in (
        ("ALLOWED_IDENTIFIERS", uses_in_identifiers, list(identifiers()), IDENTIFIERS),
        ("ALLOWED_PROSE", uses_in_prose, list(prose()), PROSE),
    ):
        print(allowed, {word: len(uses(word, found)) for word in table})

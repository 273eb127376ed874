"""Numbers in the prose of notebooks agree with the configuration."""

import json
import re

import pytest
from small_project import ROOT

from twolayer.figures.numbers import in_words
from twolayer.pipeline.catalogue import PRESETS, Catalogue

WORDS = {in_words(count): count for count in range(2, 13)}
COUNTED = "passes|epochs?|iterations|seeds|runs|draws|simulations|samples|steps|features|units|trainings|layers|latents"
COUNT = re.compile(rf"(?<![\w.,])(\d[\d,]*\d|\d|{'|'.join(WORDS)})\s+((?:[\w-]+ ){{0,2}}?(?:{COUNTED}))\b")

# Numbers that are no parameters: figure -> phrase and reason.
ALLOWED = {
    ("commands", "10,000 random samples"): "the number in the README of the authors",
    ("fig12", "five iterations"): "when the descent diverges, a finding",
    ("fig15_first", "two runs"): "any two",
    ("fig15_first", "four steps"): "1,000 embedded images in batches of 256",
    ("fig17", "four seeds"): "runs with other seeds, made once",
    ("fig18", "four seeds"): "runs with other seeds, made once",
    ("fig19", "four seeds"): "runs with other seeds, made once",
    ("fig20", "four seeds"): "runs with other seeds, made once",
    ("fig32", "four latents"): "a case of the task",
    ("fig33", "four layers"): "the number of widths less one",
}


def prose(figure):
    """The text of the Markdown cells as one line."""
    cells = re.split(r"(?m)^# %%", (ROOT / "workflow" / "notebooks" / f"{figure}.py").read_text())
    texts = [cell for cell in cells if cell.lstrip().startswith("[markdown]")]
    return " ".join(re.sub(r"(?m)^# ?", "", text) for text in texts).replace("\n", " ")


def numbers(value):
    """All numbers among parameters, and the lengths of lists."""
    if isinstance(value, dict):
        return {number for part in value.values() for number in numbers(part)}
    if isinstance(value, list):
        return {len(value), *(number for part in value for number in numbers(part))}
    return {value} if isinstance(value, int | float) else set()


def parameters(catalogue, figure):
    """The numbers of all runs of a figure and of what they read, at both presets."""
    found = set()
    for preset in PRESETS:
        for run in catalogue.upstream(catalogue.figure_runs(figure, preset)):
            found |= numbers(json.loads(run.params))
    return found


def counts(text):
    """Phrases such as `five epochs`, with their numbers."""
    for match in COUNT.finditer(text):
        yield match[0], WORDS.get(match[1]) or int(match[1].replace(",", ""))


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.load(ROOT, environment={})


def test_counts_are_parameters(catalogue):
    wrong = [
        (figure, phrase)
        for figure in catalogue.figures
        for phrase, number in counts(prose(figure))
        if number not in parameters(catalogue, figure) and (figure, phrase) not in ALLOWED
    ]
    assert not wrong


def test_allowed_phrases_exist():
    for figure, phrase in ALLOWED:
        assert phrase in prose(figure), (figure, phrase)


def test_a_wrong_count_is_found(catalogue):
    found = dict(counts("The network trains for 4,000 iterations, with five epochs and twelve hidden units."))
    assert found == {"4,000 iterations": 4000, "five epochs": 5, "twelve hidden units": 12}
    assert 31_999 not in parameters(catalogue, "fig8")
    assert 32_000 in parameters(catalogue, "fig8")

"""Numbers in the prose of notebooks agree with the configuration."""

import json
import re

import pytest
from small_project import ROOT
from texts import prose

from twolayer.figures.numbers import in_words
from twolayer.pipeline.catalogue import PRESETS, Catalogue

WORDS = {in_words(count): count for count in range(2, 13)}
# What is counted -> the keys whose numbers, or whose numbers of values, it may be.
COUNTED = {
    "passes|epochs?": r"epochs|final_epochs",
    "iterations": r"iterations",
    "seeds|runs|simulations|trainings": r"(\w+_)?seeds",
    "draws": r"(\w+_)?seeds|samples",
    "samples": r"(\w+_)?samples|sample_ratios",
    "at the quick preset": r"\w+",
    "steps": r"steps",
    "features": r"(\w+_)?widths?|(\w+_)?features",
    "units": r"hidden_units|teacher_units|last_time",
    "layers": r"layers|widths",
    "latents": r"latent_\w+",
}
COUNT = re.compile(rf"(?<![\w.,])(\d[\d,]*\d|\d|{'|'.join(WORDS)})\s+((?:[\w-]+ ){{0,2}}?({'|'.join(COUNTED)}))\b")

# Numbers that are no parameters: figure -> phrase and reason.
ALLOWED = {
    ("commands", "10,000 random samples"): "the number in the README of the authors",
    ("convergence", "two units"): "any two",
    ("fig12", "five iterations"): "when the descent diverges, a finding",
    ("fig15_first", "four steps"): "1,000 embedded images in batches of 256",
    ("fig17", "four seeds"): "runs with other seeds, made once",
    ("fig18", "four seeds"): "runs with other seeds, made once",
    ("fig19", "four seeds"): "runs with other seeds, made once",
    ("fig20", "four seeds"): "runs with other seeds, made once",
    ("fig32", "four latents"): "a case of the task",
    ("fig33", "four layers"): "the number of widths less one",
    ("theory_comparison", "ten samples"): "where a curve begins to fall",
}
FORMULA = re.compile(r"\$([^$=]+) = (?:(\d[\d,]*(?:\.\d+)?)|10\^\{?(-?\d+)\}?)\$")  # such as $D = 100$
ALLOWED_FORMULAS = {
    ("fig1", r"$\sigma = 0.6$"): "where a published curve is below the Bayes error",
    ("fig12", r"$\lambda/\tau = 102$"): "a ratio of two parameters",
    ("fig17", "$c = 1$"): "the unbiased risk",
    ("fig24", "$n = 784$"): "the number of pixels",
    ("fig26", r"$\theta/n = 0.10$"): "the limit of a theory",
    ("fig30", "$n = 784$"): "the number of pixels",
    ("fig38", r"$\alpha = 1$"): "where the numbers of samples and features are equal",
}


def numbers(value, key=""):
    """All numbers among parameters, and the lengths of lists, each with its key."""
    if isinstance(value, dict):
        return {pair for name, part in value.items() for pair in numbers(part, name)}
    if isinstance(value, list):
        return {(key, len(value)), *(pair for part in value for pair in numbers(part, key))}
    return {(key, value)} if isinstance(value, int | float) else set()


def parameters(catalogue, figure, presets=PRESETS):
    """The numbers of all runs of a figure and of what they read, with their keys."""
    found = set()
    for preset in presets:
        for run in catalogue.upstream(catalogue.figure_runs(figure, preset)):
            found |= numbers(json.loads(run.params))
    return found


def counts(text):
    """Phrases such as `five epochs`, with their numbers, the pattern of their keys, and whether of the quick preset."""
    for sentence in re.split(r"(?<=\.)\s+", text):
        for match in COUNT.finditer(sentence):
            keys = next(keys for words, keys in COUNTED.items() if re.fullmatch(words, match[3]))
            yield match[0], WORDS.get(match[1]) or int(match[1].replace(",", "")), keys, "quick" in sentence.lower()


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.load(ROOT, environment={})


def test_counts_are_parameters(catalogue):
    wrong = []
    for figure in catalogue.figures:
        for phrase, number, keys, quick in counts(prose(figure)):
            known = parameters(catalogue, figure, ("quick",) if quick else PRESETS)
            if (figure, phrase) not in ALLOWED and not any(
                value == number and re.fullmatch(keys, key) for key, value in known
            ):
                wrong.append((figure, phrase))
    assert not wrong


def value(match):
    """The number of a formula."""
    return 10.0 ** int(match[3]) if match[3] else float(match[2].replace(",", ""))


def test_formulas_are_parameters(catalogue):
    wrong = []
    for figure in catalogue.figures:
        known = [number for _, number in parameters(catalogue, figure)]
        for match in FORMULA.finditer(prose(figure)):
            is_parameter = any(value(match) == pytest.approx(one) for one in known)
            if not is_parameter and (figure, match[0]) not in ALLOWED_FORMULAS:
                wrong.append((figure, match[0]))
    assert not wrong


def test_allowed_phrases_exist():
    for figure, phrase in (*ALLOWED, *ALLOWED_FORMULAS):
        assert phrase in prose(figure), (figure, phrase)


def test_a_wrong_count_is_found(catalogue):
    text = "The network trains for 4,000 iterations. The quick preset has five epochs and twelve hidden units."
    found = [(phrase, number, quick) for phrase, number, _, quick in counts(text)]
    assert found == [("4,000 iterations", 4000, False), ("five epochs", 5, True), ("twelve hidden units", 12, True)]
    assert [phrase for phrase, *_ in counts("All images (20,000 at the quick preset) are new.")] == [
        "20,000 at the quick preset"
    ]
    assert ("iterations", 32_000) in parameters(catalogue, "fig8")
    assert ("snapshots", 4_000) in parameters(catalogue, "fig17")
    assert ("iterations", 4_000) not in parameters(catalogue, "fig17")

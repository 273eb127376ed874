"""Every number that README and docs state is a definition, or a program verifies it.

`python tests/workflow/test_stated_numbers.py` prints the sentences with numbers that no entry below covers.
"""

import csv
import importlib.metadata
import json
import re
from math import ceil, erfc
from pathlib import Path

import pytest
import yaml
from scipy.stats import t as student_t
from small_project import CATALOGUE, ROOT
from texts import NUMBER, constant, module

from twolayer.figures import outcomes
from twolayer.figures.custom_data import gaussianity
from twolayer.pipeline.report.checks.summary import GOALS
from twolayer.simulation.mean_field.reduced_descent import EXCESS

DOCS = ROOT / "docs"
# Programs write these pages, and other tests compare the pages with their sources.
GENERATED = (
    "findings",
    "replicates",
    "processors",
    "benchmarks",
    "calls",
    "figures",
    "notation",
    "command_line",
    "renames",
)
GENERATED_FOLDERS = ("gallery", "figures", "replicates")
WRITTEN_BY_SPHINX = ("functions", "classes", "configuration")
PAGES = [
    ROOT / "README.md",
    *sorted(
        page
        for page in DOCS.rglob("*.md")
        if page.stem not in (*GENERATED, *WRITTEN_BY_SPHINX) and page.parent.name not in GENERATED_FOLDERS
    ),
]
TRAININGS = ("image_training", "conditional_gan", "trained_generator", "trained_flow")
POINTS = "theory/teacher_student/refined_points.py"


def sentences(page: Path) -> list[str]:
    """The sentences of a page that state a number, without code, links, names and formulas that define something."""
    text = re.sub(r"(?s)```.*?```|\$\$.*?\$\$", "\n", page.read_text(encoding="utf-8"))
    text = re.sub(r"`[^`]+`|!?\[([^\]]*)\]\([^)]*\)|<img[^>]*>", r"\1", text)
    text = re.sub(r"(?i)\bfigures?\s+\d+(?:\s*(?:,|to|and)\s*\d+)*", "figure", text)
    text = re.sub(
        r"(?i)arXiv[: ]\s?\d+\.\d+|Python 3\.\d+\+|\b(?:CIFAR|ResNet|UTF|SHA)-\d+|\b(?:19|20)\d\d\b(?!,? features)",
        "",
        text,
    )
    text = re.sub(r"(?m)^\d+\. ", "", text)
    text = re.sub(r"\$[^$]*\$", _formula, text)
    parts = re.split(r"\n\s*\n|\n(?=[|*-] ?|\d+\. )|(?<=[.!?:])\s+(?=[A-Z*(])", text)
    return [" ".join(part.split()) for part in parts if NUMBER.search(part)]


def _formula(match: re.Match) -> str:
    """A formula without digits, unless it states a value: a decimal fraction or a power of ten."""
    return match[0] if re.search(r"\d\.\d|10\^", match[0]) else "formula"


def reference(name: str) -> list[dict[str, str]]:
    """The rows of a table of published values."""
    lines = (ROOT / "workflow" / "resources" / "reference" / f"{name}.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def parameters(study: str, run: str, preset: str = "paper") -> dict:
    """The parameters of a run."""
    return json.loads(CATALOGUE.run(preset, study, run).params)


def minutes(preset: str, left_out: tuple[str, ...] = ()) -> float:
    """The times of all runs of a preset on one core, by the configuration."""
    runs = (run for (name, _, _), run in CATALOGUE.runs.items() if name == preset)
    return sum(run.minutes for run in runs if run.task not in left_out)


def gigabytes(*extras: str) -> float:
    """The size of the installed packages that the project needs with these extras."""
    found, left = set(), [("twolayer", extra) for extra in ("", *extras)]
    while left:
        name, extra = left.pop()
        if (name, extra) not in found and name in INSTALLED:
            found.add((name, extra))
            left += [one for text in importlib.metadata.requires(name) or () for one in required(text, extra)]
    files = [file.locate() for name in {name for name, _ in found} for file in importlib.metadata.files(name) or ()]
    return sum(file.stat().st_size for file in map(Path, files) if file.exists()) / 1e9


def required(text: str, extra: str) -> list[tuple[str, str]]:
    """The package, with its extras, of a requirement such as `a[b,c]>=1; extra == "d"` if it applies to an extra."""
    name, inner = re.match(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", text).groups()
    condition = re.search(r"extra == [\"']([\w-]+)", text)
    applies = condition is None or condition[1] == extra
    return [(_plain(name), one) for one in ("", *re.findall(r"[\w-]+", inner or ""))] if applies else []


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


INSTALLED = {_plain(one.metadata["Name"]) for one in importlib.metadata.distributions()}


def below_bayes() -> float:
    """By how much the published curve of the network is at most below the Bayes error, for noises from 0.6 to 4.6."""
    rows = [row for row in reference("mixtures_fig1") if row["two_layer"] and 0.6 <= float(row["sigma"]) <= 4.6]
    return max(xor_error(float(row["sigma"])) - float(row["two_layer"]) for row in rows)


def smallest_published_risk(**selected: str) -> float:
    """The smallest published risk on the circle in the rows with these entries."""
    rows = [row for row in reference("varpro_circle") if all(row[key] == value for key, value in selected.items())]
    return min(float(row["risk"]) for row in rows if row["risk"])


def xor_error(sigma: float) -> float:
    q = erfc(1 / (2 * sigma)) / 2
    return 2 * q * (1 - q)


def relu_after_steps() -> tuple[float, float]:
    """The smallest and the last published error of relu units in figure 28."""
    errors = [float(row["network"]) for row in reference("one_step_fig7b") if row["activation"] == "relu"]
    return min(errors), errors[-1]


def versions_of_ci() -> list[str]:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    return jobs["library"]["strategy"]["matrix"]["python-version"]


def oldest_python() -> str:
    return re.search(r'requires-python = ">=([\d.]+)', (ROOT / "pyproject.toml").read_text())[1]


def limit_of(runs: int) -> int:
    """The limit of a check with so many runs, in standard errors."""
    return round(student_t.isf(outcomes.CHANCE / 2, runs - 1))


# Words of a definition, of a formula, or of an example that the reader types: they state nothing that could be wrong.
DEFINITIONS = {
    "docs/explanation/checks.md": ["exits with status 1", "a rate that is off by 5 %"],
    "docs/explanation/gaussian_equivalence.md": ["(Theorem 1)"],
    "docs/explanation/mixtures.md": ["length 1"],
    "docs/explanation/one_step.md": ["(Lemma 2)", "(Lemma 5)"],
    "docs/explanation/varpro.md": ["Time is iteration / 1024", "each norm is a mean over its entries"],
    "docs/from_their_code.md": [
        "for their p = 10 units and gamma = 0.05",
        "Their time is 0.1 times",
        "The stored example has D = 1000 and 2000 features",
        "the variance 0.1, the other half 0.5",
    ],
    "docs/how_to/cluster.md": ["provide Python 3.11"],
    "docs/how_to/custom_data.md": ["are named 0, 1, 2", "counts as 1", "count as 1"],
    "docs/how_to/phases.md": ["a fixed second layer of 1 and -1"],
    "docs/how_to/read_results.md": ["the noise nearest to 0.5"],
    "docs/how_to/variants.md": ["ends with status 1"],
    "docs/reference/library.md": [
        "an input that is always 1",
        "ridge |w|^2 / 2",
        "A ridge of 0 is the limit",
        "labels -1 and 1",
        "labels 0, 1, 2",
    ],
}

# What a paper or its code states: page -> phrase -> key in docs/references.bib.
QUOTED = {
    "docs/explanation/mixtures.md": {
        "The authors' command has $10^{-5}$": "refinetti2021",
        "the authors call 10,000 samples sufficient": "refinetti2021",
    },
    "docs/explanation/one_step.md": {
        "The captions state the degrees 5, 4 and 5": "demir2025",
        "states 20 runs": "demir2025",
    },
    "docs/explanation/varpro.md": {
        "at $\\lambda=10^{-1}$": "barboni2025",
        "a momentum of 0.5": "barboni2025",
        "the learning rate is 64 times this value": "barboni2025",
    },
}

FIELD = "tests/library/test_from_their_code.py"
GOLDEN_FIELD = "tests/golden/test_field_convex.py"
SAMPLES = "tests/unit/test_custom_samples.py"
ARRAYS = "tests/library/test_arrays.py"
SIGNALS = "tests/unit/test_signal_averages.py"
CIRCLE = "tests/unit/test_circle.py"
CHANCE = "tests/workflow/test_false_alarms.py::test_all_checks_of_a_preset"
EXECUTED = "tests/workflow/test_tutorial.py::test_the_tutorial_changes_a_parameter"
DETERMINISM = "tests/faults/test_determinism.py::test_with_one_thread_and_with_more"

# What is verified: page -> phrase -> the test that verifies it, or a function that does it here.
CLAIMS = {
    "README.md": {
        "Python 3.11 or newer": lambda: oldest_python() == "3.11",
        "The tests run on Linux with Python 3.11": lambda: versions_of_ci()[0] == "3.11",
        "about 0.9 GB": lambda: gigabytes("figures") == pytest.approx(0.9, rel=0.15),
        "about 2.1 GB": lambda: gigabytes("dev") == pytest.approx(2.1, rel=0.15),
    },
    "docs/explanation/checks.md": {
        "detect 2 % at the quick preset and 1 % at the paper preset": lambda: GOALS == {"quick": 0.02, "paper": 0.01},
        "with a probability of at most 1 %": CHANCE,
        "0.00012 each": lambda: outcomes.MAIN_CHANCE == 0.00012,
        "0.000008 each": lambda: outcomes.CHANCE == 0.000008,
        "is 19 standard errors, and with twenty runs 6": lambda: (limit_of(6), limit_of(20)) == (19, 6),
    },
    "docs/explanation/gaussian_equivalence.md": {
        "32 Chebyshev nodes": lambda: parameters("gaussian_equivalence", "sign_one_curve")["nodes"] == 32,
        "with 64 nodes": "tests/unit/test_teacher_curve.py::test_nodes_and_all_modes",
        "With 2,000 digits": lambda: "| MNIST | 2,000:" in (ROOT / "workflow/resources/README.md").read_text(),
        "steps of 0.005": lambda: parameters("gaussian_equivalence", "trained_gan_curve")["step"] == 0.005,
        "within the 4 % of its check": lambda: (
            '"test_loss": 0.04' in module("figures/gaussian_equivalence/sample_ratios.py")
        ),
    },
    "docs/explanation/mixtures.md": {
        "With the weight decay of figure, $10^{-2}$": lambda: (
            parameters("mixtures", "xor_network_reference")["weight_decay"] == 1e-2
        ),
        "up to 0.0034 below the Bayes error": lambda: 0.0033 < below_bayes() <= 0.0034,
        "The check allows 0.004": lambda: "tolerance=0.004" in module("figures/mixtures/fig1.py"),
        "0.24 to 0.29": lambda: [round(edge * 1500**0.25, 1) for edge in (0.24, 0.29)] == [1.5, 1.8],
        "The Bayes error is 0.498": lambda: round(xor_error(10), 3) == 0.498,
        "The run also has $\\sigma=0.3$": lambda: 0.3 in parameters("mixtures", "xor_features_command")["sigma"],
    },
    "docs/explanation/one_step.md": {
        "The published code has 3, 3 and 4": lambda: (
            [ceil(0.74 / 0.26)] * 2 + [parameters("one_step", "tops")["degree"]] == [3, 3, 4]
        ),
        "has 20 runs, each with new data": lambda: (
            {parameters("one_step", name)["seeds"] for name in ("width_caption", "alignment_caption")} == {20}
        ),
        "all degrees from 1 to 6": lambda: parameters("one_step", "degrees")["axes"]["degree"] == [1, 2, 3, 4, 5, 6],
        "from 0.135 to 0.150": lambda: [round(error, 3) for error in relu_after_steps()] == [0.135, 0.150],
    },
    "docs/explanation/varpro.md": {
        "24 further networks at the preset": lambda: parameters("varpro", "circle_more_ridge0.1")["seeds"] == 24,
        "With a ratio of 102": lambda: round(0.1 / 2**-10) == 102,
        "less than $10^{-10}$ of its data term": lambda: EXCESS["single"] == 1e-10,
        "$\\lambda=10^{-3}$": lambda: parameters("varpro", "resnet_first_varpro_seed0")["ridge"] == 1e-3,
        "maxima near iterations 1500 and 8000": lambda: constant("figures/varpro/fig10.py", "_HUMPS") == (1500, 8000),
        "$4\\cdot10^{-7}$": lambda: 3e-7 < smallest_published_risk(gamma="100", ridge="0.0001") < 5e-7,
        "SGD with momentum 0.9": lambda: parameters("varpro", "resnet_first_sgd")["momentum"] == 0.9,
        "At $\\lambda=10^{-4}$ it diverges": f"{CIRCLE}::test_two_timescale_descent_at_a_small_ridge_is_named_unstable",
    },
    "docs/from_their_code.md": {
        "4.0e-4, its Euler steps; median 1.5e-5": f"{FIELD}::test_dimensionless_dynamics",
        "7.6e-3, its Euler steps; median 1.7e-6": f"{FIELD}::test_escaping_mediocrity",
        "1e-6 for two classes; 3e-3 for three": f"{GOLDEN_FIELD}::test_published_theory_of_two_clusters",
        "V, m, q and class error | 1e-6": f"{GOLDEN_FIELD}::test_published_theory_of_two_clusters",
        "class error | 3e-3": f"{GOLDEN_FIELD}::test_published_theory_of_three_classes",
        "steps of 1e-3 by Euler's method": f"{FIELD}::test_escaping_mediocrity",
        "2.3 %, the scatter": f"{FIELD}::test_one_step_asymptotics",
    },
    "docs/how_to/cluster.md": {
        "a quarter more memory, and 300 MB": lambda: (
            constant("pipeline/catalogue.py", "_OVERHEAD, _MARGIN") == (300, 1.25)
        ),
    },
    "docs/how_to/custom_data.md": {
        "Values of 8 and 16 bits": "tests/unit/test_data_files.py::test_16_bits_are_the_same_as_8",
        "signed numbers of 8 bits or with white as 0 in more than 8 bits": (
            "tests/unit/test_data_files.py::test_tiff_files_with_other_meanings_of_the_numbers"
        ),
        "20 in total, and 5 of each label": f"{SAMPLES}::test_few_samples",
        "below an effective dimension of 10": lambda: gaussianity.SMALLEST == 10,
    },
    "docs/reference/environments.md": {
        "Linux, Python 3.11": lambda: versions_of_ci()[0] == "3.11",
        "Python 3.12 and 3.13": lambda: versions_of_ci() == ["3.11", "3.12", "3.13"],
        "with status 1 and two types of remarks": (
            "tests/workflow/test_snakemake_options.py::test_the_linter_has_only_the_remarks_that_the_documentation_explains"
        ),
    },
    "docs/reference/examples.md": {
        "less than 15 lines": "tests/library/test_examples.py::test_there_are_five_of_fewer_than_fifteen_lines"
    },
    "docs/reference/library.md": {
        "an error below $10^{-6}$": "tests/unit/test_activations.py::test_compiled_form",
        "up to 2,000 weights": lambda: constant("experiments/mixtures/learning_curve.py", "_LARGEST_MATRIX") == 2000,
        "4096 quasi-random nodes": lambda: (
            2 ** constant("theory/classes/softmax_regression.py", "_LOG2_POINTS") == 4096
        ),
        "All averages have closed forms": f"{SIGNALS}::test_any_two_kinds_of_units",
        "polynomials of degree 2 to 6": f"{SIGNALS}::test_polynomials_are_recognised",
        "this change is at most 1 %": lambda: constant(POINTS, "_LARGEST_CHANGE") == 0.01,
        "at 2^16 points": lambda: constant(POINTS, "_MOST_POINTS") == 16,
        "whole numbers beyond 2^53": f"{ARRAYS}::test_what_a_conversion_would_change_is_refused",
        "numbers beyond 1e30": lambda: constant("parameters.py", "_LARGEST, _SMALLEST")[0] == 1e30,
    },
    "docs/reference/performance.md": {
        "about 0.9 GB": lambda: gigabytes("figures") == pytest.approx(0.9, rel=0.15),
        "about 2.1 GB, then at most 30 minutes of one core": lambda: minutes("quick") < 30,
        "at most 14 hours of one core": lambda: minutes("paper", TRAININGS) < 14 * 60,
    },
    "docs/reference/reliability.md": {
        "at most $10^{-9}$": DETERMINISM,
        "at most $10^{-5}$": DETERMINISM,
    },
    "docs/reference/security.md": {
        "may take 4 GB": lambda: yaml.safe_load((ROOT / "config" / "config.yaml").read_text())["largest_gb"] == 4,
        "80 million pixels": lambda: constant("model/data/foreign_files.py", "_MOST_PIXELS") == 80e6,
        "50 altered files of each type": lambda: "default=50" in (ROOT / "tests" / "conftest.py").read_text(),
    },
    "docs/tutorial.md": {
        "Python 3.11 or newer": lambda: oldest_python() == "3.11",
        "about 2.1 GB": lambda: gigabytes("dev") == pytest.approx(2.1, rel=0.15),
        "our value is 0.04037, and the other solver gives 0.04036": EXECUTED,
        "they differ by 0.022 %": EXECUTED,
        "more than 0.42 %": EXECUTED,
        "makes the check fail, 0.23 %": EXECUTED,
        "The weight decay of the network is $10^{-5}$": lambda: (
            parameters("mixtures", "xor_network")["weight_decay"] == 1e-5
        ),
        "500 at the preset": lambda: parameters("custom_mixture", "custom_mixture", "quick")["input_dimension"] == 500,
    },
}


def covered(page: str, sentence: str) -> bool:
    phrases = [*DEFINITIONS.get(page, ()), *QUOTED.get(page, ()), *CLAIMS.get(page, ())]
    return any(phrase in sentence for phrase in phrases)


def uncovered(page: Path) -> list[str]:
    return [sentence for sentence in sentences(page) if not covered(str(page.relative_to(ROOT)), sentence)]


def entries(table):
    return [pytest.param(page, phrase, id=f"{page}: {phrase}") for page, phrases in table.items() for phrase in phrases]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_number_is_verified(page):
    """Verify a new number in a test and list it in CLAIMS, or state the sentence without the number."""
    assert uncovered(page) == []


@pytest.mark.parametrize(("page", "phrase"), [*entries(DEFINITIONS), *entries(QUOTED), *entries(CLAIMS)])
def test_every_entry_is_in_a_sentence(page, phrase):
    assert any(phrase in sentence for sentence in sentences(ROOT / page))


@pytest.mark.parametrize(("page", "phrase"), entries(CLAIMS))
def test_the_number_is_right(page, phrase):
    fact = CLAIMS[page][phrase]
    if callable(fact):
        assert fact()
    else:
        file, _, name = fact.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), f"no test {fact}"


@pytest.mark.parametrize(("page", "phrase"), entries(QUOTED))
def test_the_quoted_work_is_known(page, phrase):
    assert f"{{{QUOTED[page][phrase]}," in (DOCS / "references.bib").read_text()


def test_numbers_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("The error is 3 %. It takes `5` steps, see [figure 4](a.md).\n\n| $x^2$ | $c=0.4$ |\n\n2. Stop.\n")
    assert sentences(page) == ["The error is 3 %.", "| formula | $c=0.4$ |"]


if __name__ == "__main__":
    for one in PAGES:
        for left in uncovered(one):
            print(f"{one.relative_to(ROOT)}: {left}")

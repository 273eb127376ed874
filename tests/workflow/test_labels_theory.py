"""Labels, check names and main checks of the figures of the other three papers follow the parameters of their runs."""

import json
from dataclasses import replace

import labels
import matplotlib.pyplot as plt
import pytest
from labels import main_check, stale_labels, with_change
from small_project import CATALOGUE, ROOT

from twolayer.figures.checks import ORDERINGS, PUBLISHED
from twolayer.figures.evidence import Evidence, Source
from twolayer.figures.outcomes import NOT_APPLICABLE
from twolayer.pipeline.report.checks.check_results import module_function, references

FIGURES = [
    name for name, figure in CATALOGUE.figures.items() if figure.study in ("varpro", "one_step", "gaussian_equivalence")
]
QUICK = ("fig22", "fig23", "fig26", "fig27", "fig39")  # with checks of the quick preset alone
IMAGES = {"colour": 1, "row": 16, "column": 16, "training_example": 64, "example": 64}
SIZES = {  # task -> dimension -> its size, where a drawing needs a certain one
    "class_statistics": {"example": 16, "row": 28, "column": 28, "pixel": 784, "class": 2},
    "trained_generator": IMAGES,
    "published_generator": IMAGES,
    "trained_flow": IMAGES,
    "convolutional_generator": IMAGES | {"colour": 3},
    "moments": {"input": 9, "other_input": 9, "latent": 4},
    "torus_teacher": {"axis": 2, "centre": 2},
    "torus_descent": {"axis": 2},
    "plane_density": {"axis": 2},
}
ATTRIBUTES = {"trained_on": "many images", "distribution": "many images"}  # titles quote these attributes of results
# Patterns of text whose numbers are no parameters: facts about the papers, and constants of the checks.
CONSTANTS = [
    r"seeds? 0( to 5)?",
    r"at 1e-7",
    r"sqrt\(4 / \(pi M\)\)",
    r"-?[\d.]+ \$\\pm\$",  # a measured value with its error
    r"[\d.]+ ?(percent|%)",
    r"(three|two|six) (times|networks|standard|percent|published|humps|errors|digits)",
    r"the (two|difference of the two)",
    r"k/m from [\d.]+( to [\d.]+)?",
    r"(alpha|beta) (up to|from|of) [\d.]+",
    r"1/2",
    r"^\$n\^\{-1\}\$$",
    r"degree (two|\d)",
    r"\\theta = n\^\{\\beta/2\}|in \$\(0, n|in \(0, n\^|1 - exp|Theorem 1",
    r"paper's rule, \d",
    r"which gives \d",
    r"markers, whose radius is [\d.e-]+",
    r"figure \d+",
    r"N\^\(-1/2\)",
    r"\$t = [\d.]+\$",  # a product of parameters
    r"\\eta = 1|n\^0",
    r"64 images|and 1 at best|above 100 for|two classes|twice as many",
    r"by ten percent or more|at least twice as large|10 classes of equal size",
    r"twice the spread|eight times|factor of two|drawn twice",
    r"[nDN] ?= ?0\$|0\.0 million",  # sizes that a made-up result does not know
    r"\d+ (for another GAN|for a model)",
    r"^(5|10|25|50|100)$",  # colour bar of figure 25
]


@pytest.fixture
def attributes(monkeypatch):
    """Made-up results have the attributes that titles quote."""
    made = labels.made_up_result
    monkeypatch.setattr(labels, "made_up_result", lambda *args: made(*args).assign_attrs(ATTRIBUTES))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "preset"), [(name, "paper") for name in FIGURES] + [(name, "quick") for name in QUICK]
)
@pytest.mark.usefixtures("attributes")
def test_no_text_keeps_the_old_value_of_a_parameter(name, preset):
    found = stale_labels(CATALOGUE, name, preset, constants=CONSTANTS, sizes=SIZES)
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("preset", ["quick", "paper"])
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.filterwarnings("ignore")
def test_every_figure_has_one_main_check_that_applies(name, preset):
    main = main_check(CATALOGUE, name, preset)
    assert main.status != NOT_APPLICABLE or name == "theorem"  # its exponent needs distances that are not all zero
    assert main.kind not in ("at_most", "falling", "ordering"), "a main check is two-sided"


@pytest.mark.parametrize(
    ("name", "run", "preset", "change", "reason"),
    [
        ("fig8", "circle_ridge1e-3_unbiased", "quick", {"samples": 99}, "samples is 99, the paper's is 4096"),
        ("fig9", "circle_start_biased", "quick", {"descent__step": 0.5}, "step is 0.5"),
        ("fig10", "circle_ridge0.1_unbiased", "quick", {"power": 3.0}, "power is 3.0, the paper's is 2"),
        ("fig11", "density_start", "quick", {"bandwidth": 0.1}, "bandwidth is 0.1, the paper's is 0.04"),
        ("fig12", "circle_two_timescale_ridge0.1", "quick", {"samples": 99}, "samples is 99"),
        ("fig14", "circle_start_gamma10", "quick", {"samples": 99}, "samples is 99"),
        ("fig15", "resnet_sgd_batch_size64", "quick", {"learning_rate": 0.3}, "the paper's is 0.064"),
        ("fig16", "resnet_sgd_batch_size256", "paper", {"learning_rate": 0.3}, "the paper's is 0.064"),
        ("fig17", "torus_narrow_width32_biased", "quick", {"samples": 99}, "samples is 99"),
        ("fig19", "torus_ridge0.1_biased", "quick", {"teacher_width": 99}, "teacher_width is 99"),
        ("fig20", "torus_two_features", "quick", {"teacher_width": 99}, "the paper's is 2"),
        ("fig21", "torus_teacher", "quick", {"gamma": 9.0}, "gamma is 9.0, the paper's is 100"),
        ("fig22", "beta", "quick", {"ridge": 0.3}, "ridge is 0.3, the paper's is 0.0001"),
        ("fig22", "width", "paper", {"data__beta": 0.5}, "beta is 0.5, the paper's is 0.74"),
        ("fig23", "alignment", "quick", {"ridge": 0.3}, "ridge is 0.3"),
        ("fig24", "tops", "quick", {"ridge": 0.3}, "ridge is 0.3"),
        ("fig25", "theory_exponents_at_n_400", "quick", {"ridge": 0.3}, "ridge is 0.3"),
        ("fig26", "beta_published", "paper", {"seed": 9}, "seed is 9, the paper's is 0"),
        ("fig27", "theory_width_at_n_1000", "quick", {"ridge": 0.3}, "ridge is 0.3"),
        ("fig28", "tops_step", "quick", {"ridge": 0.3}, "ridge is 0.3"),
        ("fig29", "tops_with_means", "quick", {"ridge": 0.3}, "ridge is 0.3, the paper's is 1e-05"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_published_checks_apply_to_the_parameters_of_the_paper(name, run, preset, change, reason):
    before = {outcome.title: outcome for outcome in with_change(CATALOGUE, name, run, preset)}
    after = with_change(CATALOGUE, name, run, preset, **change)
    lost = [outcome for outcome in after if outcome.status == NOT_APPLICABLE and reason in outcome.note]
    assert lost
    assert any(outcome.compared in (PUBLISHED, ORDERINGS) for outcome in lost)
    assert any(before[outcome.title].status != NOT_APPLICABLE for outcome in lost if outcome.title in before)


@pytest.mark.parametrize(("name", "value"), [("batch_size", 100), ("final_epochs", 200)])
@pytest.mark.usefixtures("attributes")
def test_figure_15_is_drawn_where_nothing_is_published(name, value):
    """It shows published values for the published batches and epochs only."""
    figure, sources = CATALOGUE.figure("fig15_first"), dict(references(CATALOGUE.figure("fig15_first"), ROOT))
    for run in CATALOGUE.figure_runs("fig15_first", "paper"):
        run = replace(run, parameters=replace(run.parameters, **{name: value}))
        sources[run.name] = Source(labels.made_up_result(run, {}), run.family, run.point, json.loads(run.params))
    drawn = module_function(figure, "draw")(Evidence("paper", sources))
    assert len(drawn.axes) == 2
    plt.close(drawn)

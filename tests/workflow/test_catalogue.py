"""The project's own catalogue."""

import re
import shutil
from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_project import CATALOGUE, ROOT

from twolayer.dependencies import module_files
from twolayer.errors import ConfigError
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.configuration import run_name
from twolayer.pipeline.report.checks.dry_run_records import dry_run_once
from twolayer.pipeline.report.checks.omissions import reduced


@pytest.mark.parametrize("name", CATALOGUE.figures)
def test_every_figure_is_complete(name):
    figure = CATALOGUE.figure(name)
    assert (ROOT / "workflow" / "notebooks" / f"{name}.py").exists()
    assert module_files(figure.module)
    for preset in PRESETS:
        assert CATALOGUE.minutes(CATALOGUE.figure_runs(name, preset)) > 0


@pytest.mark.parametrize("name", CATALOGUE.figures)
def test_notebooks_only_load_draw_and_judge(name):
    source = (ROOT / "workflow" / "notebooks" / f"{name}.py").read_text()
    assert "def " not in source
    assert "import numpy" not in source
    assert source.count("\n# %%") <= 8


@pytest.mark.slow
def test_every_check_finds_what_it_names():
    """A dry run of the checks takes half a second for each figure. It skips figures whose files did not change."""
    dry_run_once(CATALOGUE)


def test_quick_figures_are_quick():
    for name in CATALOGUE.figures:
        assert CATALOGUE.minutes(CATALOGUE.figure_runs(name, "quick")) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_dry_run_of_every_figure(preset):
    """Through Snakemake's own interface."""
    from snakemake.api import ConfigSettings, OutputSettings, ResourceSettings, SnakemakeApi
    from snakemake.settings.types import DAGSettings

    with SnakemakeApi(OutputSettings(dryrun=True)) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1), config_settings=ConfigSettings(), snakefile=ROOT / "Snakefile"
        )
        workflow.dag(dag_settings=DAGSettings(targets={preset}, force_incomplete=True)).execute_workflow(
            executor="dryrun"
        )


def test_what_holds_up_most_goes_first():
    """The priority of a run is the time of the longest chain of runs that wait for it."""
    chains, waiting = CATALOGUE.chains, {}
    for run in CATALOGUE.runs.values():
        for source in run.inputs.values():
            waiting.setdefault(CATALOGUE.run(run.preset, run.study, source).path, []).append(run)
    assert waiting
    for run in CATALOGUE.runs.values():
        longest = max((chains[other.path] for other in waiting.get(run.path, ())), default=0)
        assert chains[run.path] == pytest.approx(run.minutes + longest)


@pytest.mark.slow
def test_snakemake_knows(fresh_project):
    done = fresh_project.snakemake("--dry-run", "--printshellcmds", "results/quick/mixtures/online_sgd/sgd.nc")
    told = re.findall(r"(?m)^rule (\w+):$(?s:.)*?^    priority: (.*)$", done.stdout + done.stderr)
    assert dict(told) == {"random_mixture": "1.2", "online_sgd": "1.1"}  # both are the first of their tasks


def name_of(key, value):
    return run_name("run", {key: value}, "here")


def test_grid_names():
    point = {"width": 32, "descent.ridge": 1e-3, "kind": "unbiased", "momentum": False}
    assert run_name("circle", point, "here") == "circle_width32_ridge1e-3_unbiased_no-momentum"
    assert name_of("width", 1024.0) == "run_width1024"
    assert name_of("ridge", 0.01) == "run_ridge0.01"


def test_grid_names_tell_values_apart():
    assert len({name_of("seed", seed) for seed in (1000001, 1000002, 1000003)}) == 3
    assert name_of("x", 0.1234567) != name_of("x", 0.1234568)
    assert name_of("x", 1.234567e-5) != name_of("x", 1.234568e-5)


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()))
def test_grid_names_are_safe(value):
    assert re.fullmatch(r"[A-Za-z0-9_.+-]+", name_of("x", value))


@pytest.mark.parametrize("value", ["a b", "a'b", "a;b", "a\nb", "$(x)", "../a", "a\0b", "", "a" * 400])
def test_unsafe_grid_names_are_refused(value):
    with pytest.raises(ConfigError, match="is not safe as a file name") if value else nullcontext():
        name_of("kind", value)


def test_a_grid_of_its_own_at_quick_scale(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit(
        "config/mixtures.yaml",
        lambda study: study["runs"]["xor_random_features"].update(
            grid={"input_dimension": [20, 30], "overlap_order": [1, 2]}, quick_grid={"input_dimension": [10]}
        ),
    )
    catalogue = Catalogue.load(project.root, environment={})
    drawn = {
        preset: [
            run.name.removeprefix("xor_random_features_")
            for run in catalogue.figure_runs("fig1", preset)
            if run.task == "random_features"
        ]
        for preset in PRESETS
    }
    assert drawn["quick"] == ["input_dimension10_overlap_order1", "input_dimension10_overlap_order2"]
    assert drawn["paper"] == [
        f"input_dimension{dimension}_overlap_order{order}" for dimension in (20, 30) for order in (1, 2)
    ]
    run = catalogue.run("quick", "mixtures", "xor_random_features_input_dimension10_overlap_order2")
    assert run.parameters.overlap_order == 2
    with pytest.raises(ConfigError, match=r"at preset 'quick'.*has .*input_dimension10_overlap_order1"):
        catalogue.run("quick", "mixtures", "xor_random_features_input_dimension20_overlap_order1")


@pytest.mark.slow
def test_published_generators_are_those_of_the_paper_scale(tmp_path):
    """The default is published generators. `generators: trained` and the quick preset train their own."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    path, generators = (
        tmp_path / "config" / "config.yaml",
        {"gaussian_equivalence": "trained_gan", "one_step": "generator"},
    )
    trained = {"gaussian_equivalence": "trained_generator", "one_step": "conditional_gan"}
    published = {"gaussian_equivalence": "published_generator", "one_step": "published_conditional_gan"}
    for setting, tasks in (("published", published), ("trained", trained)):
        path.write_text(re.sub(r"^generators: \w+", f"generators: {setting}", path.read_text(), flags=re.M))
        catalogue = Catalogue.load(tmp_path, environment={})
        for preset, expected in (("paper", tasks), ("quick", trained)):
            assert {s: catalogue.run(preset, s, name).task for s, name in generators.items()} == expected


def test_the_environment_goes_before_the_file_and_an_override_before_both():
    for overrides, environment, expected in (
        ({}, {}, "published"),
        ({}, {"TWOLAYER_GENERATORS": "brief"}, "brief"),
        ({"generators": "trained"}, {"TWOLAYER_GENERATORS": "brief"}, "trained"),
    ):
        assert Catalogue.load(ROOT, overrides, environment).generators == expected
    with pytest.raises(
        ConfigError, match=r"config.yaml or TWOLAYER_GENERATORS: generators is 'short': it must be one of"
    ):
        Catalogue.load(ROOT, {}, {"TWOLAYER_GENERATORS": "short"})


def test_brief_trainings_are_shorter_and_their_figures_say_so():
    """Trainings are reduced at the paper preset only, and only if config.yaml selects `generators: brief`."""
    whole, brief = (Catalogue.load(ROOT, {"generators": setting}, {}) for setting in ("trained", "brief"))
    shorter = {key for key, run in brief.runs.items() if run.unabridged}
    assert shorter == {
        ("paper", "gaussian_equivalence", "trained_gan"),
        ("paper", "gaussian_equivalence", "trained_flow"),
        ("paper", "one_step", "generator"),
    }
    for key in shorter:
        assert brief.runs[key].unabridged == whole.runs[key].parameters
        assert brief.runs[key].minutes < whole.runs[key].minutes
    assert {key: run for key, run in brief.runs.items() if key not in shorter} == {
        key: run for key, run in whole.runs.items() if key not in shorter
    }
    assert brief.run("paper", "one_step", "generator").parameters.epochs == 10
    assert not brief.run("paper", "one_step", "generator").embedded  # all images of Fashion-MNIST
    assert "epochs 3 (25)" in reduced(brief, "fig37", "paper")
    assert [reduced(catalogue, name, "paper") for catalogue, name in ((whole, "fig37"), (brief, "fig34"))] == ["", ""]


def test_a_shipped_training_has_the_parameters_of_the_complete_one():
    """Only the file of the training differs, so that the figures state no reduction."""
    whole, shipped = (Catalogue.load(ROOT, {"generators": setting}, {}) for setting in ("trained", "shipped"))
    for study, name in (("one_step", "generator"), ("gaussian_equivalence", "trained_gan")):
        run = shipped.run("paper", study, name)
        assert replace(run.parameters, stored=None) == whole.run("paper", study, name).parameters
        assert run.images is None
        assert shipped.image_files(run) == []
    kept = {key for key, run in shipped.runs.items() if run == whole.runs[key]}
    assert ("paper", "varpro", "resnet_first_shampoo") in kept  # five epochs, which are always computed
    assert {key for key in shipped.runs if key[0] == "quick"} <= kept
    assert {reduced(shipped, name, "paper") for name in ("fig15", "fig24", "fig36", "fig37")} == {""}


def test_the_noise_of_a_mixture_of_ones_own_stands_in_one_place(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    path = tmp_path / "config" / "custom_mixture.yaml"
    path.write_text(path.read_text().replace("&sigma 0.6", "&sigma 0.45"))
    runs = [
        run for (_, study, _), run in Catalogue.load(tmp_path, environment={}).runs.items() if study == "custom_mixture"
    ]
    told = [getattr(run.parameters, name, None) for run in runs for name in ("sigma", "simulated_sigma")]
    noises = {
        one for value in told if value for one in (value if isinstance(value, tuple) and len(value) == 1 else [value])
    }
    assert {noise for noise in noises if not isinstance(noise, tuple)} == {0.45}


def test_batch_sizes_of_a_figure():
    """Figure 15 reads one batch size at the paper preset, and both batch sizes of the quick preset."""
    sizes = {preset: {run.point["batch_size"] for run in CATALOGUE.figure_runs("fig15", preset)} for preset in PRESETS}
    assert sizes == {"paper": {256}, "quick": {64, 128}}


@pytest.mark.parametrize("sizes", [[128], [128, 32]])
def test_batch_sizes_are_of_the_grid(fresh_project, tmp_path, sizes):
    project = fresh_project.copy(tmp_path / "project")
    training = {
        "task": "image_training",
        "grid": {"batch_size": [64, 128]},
        "params": {"optimizer": "sgd", "learning_rate": 0.1, "dataset": "cifar-10-subset"},
        "minutes": {"paper": 1, "quick": 1},
        "mem_mb": 1,
    }

    def edit(study):
        study["runs"]["training"] = training
        study["figures"]["fig1"]["batch_sizes"] = sizes
        study["figures"]["fig1"]["runs"].append("training")

    project.edit("config/mixtures.yaml", edit)
    if 32 in sizes:
        with pytest.raises(
            ConfigError, match="batch_sizes has 32, which is not in the grid of training: choose from 64"
        ):
            Catalogue.load(project.root, environment={})
        return
    catalogue = Catalogue.load(project.root, environment={})
    trained = [run.name for run in catalogue.figure_runs("fig1", "paper") if run.family == "training"]
    assert trained == ["training_batch_size128"]
    assert len(catalogue.figure_runs("fig1", "quick")) == len(catalogue.figure_runs("fig1", "paper")) + 1


def test_captions_state_the_reductions_of_what_is_drawn():
    """Figure 15 has other batch sizes at the paper preset; the networks of figure 10 have as many iterations."""
    assert "layers 8 (20)" in reduced(CATALOGUE, "fig15", "quick")
    assert "seeds 1" in reduced(CATALOGUE, "fig10", "quick")
    assert "iterations" not in reduced(CATALOGUE, "fig10", "quick")

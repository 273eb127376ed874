"""Variants and shifted seeds: results in folders of their own, and their comparison."""

import json
import os
import shlex

import numpy as np
import pytest
import xarray as xr
from small_project import ROOT
from snakemake.cli import parse_config

from twolayer import io
from twolayer.errors import ConfigError
from twolayer.experiments.circle.parameters import CircleDescent
from twolayer.experiments.mixtures.parameters import Student
from twolayer.parameters import shift_seeds
from twolayer.pipeline import compare, snakemake_adapter
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.cli import main
from twolayer.pipeline.folders import SETTINGS, Folders, config_option, read_setting
from twolayer.pipeline.jobs import recovery


def load(**settings):
    return Catalogue.load(ROOT, settings, environment={})


@pytest.mark.parametrize(
    ("folders", "results", "figures"),
    [
        (Folders(), ("results/paper", "results/quick"), ("figures", "figures/quick")),
        (
            Folders(None, 3),
            ("results/paper-seed3", "results/quick-seed3"),
            ("figures/paper-seed3", "figures/quick-seed3"),
        ),
        (Folders("steep"), ("results/steep/paper", "results/steep/quick"), ("figures/steep", "figures/steep/quick")),
        (
            Folders("steep", 1),
            ("results/steep/paper-seed1", "results/steep/quick-seed1"),
            ("figures/steep/paper-seed1", "figures/steep/quick-seed1"),
        ),
    ],
)
def test_folders(folders, results, figures):
    assert tuple(map(folders.results, ("paper", "quick"))) == results
    assert tuple(map(folders.figures, ("paper", "quick"))) == figures


@pytest.mark.parametrize("name", ["quick", "paper-seed3", "data", "../x", "a/b", "1st", "", "a b", "x" * 41])
def test_names_that_are_refused(name):
    with pytest.raises(ConfigError, match=r"variant in config/config.yaml or --config is"):
        load(variant=name)


def seeds(parameters):
    """All seeds in the parameters of a run."""
    if isinstance(parameters, dict):
        return [v for k, v in parameters.items() if k == "seed"] + [s for v in parameters.values() for s in seeds(v)]
    return []


def test_every_seed_is_shifted_except_of_published_streams():
    plain, shifted = load(), load(seed_shift=7)
    pinned = 0
    for key, run in plain.runs.items():
        here, there = (json.loads(one.params) for one in (run, shifted.runs[key]))
        is_pinned = here.get("stream") == "published"
        pinned += is_pinned
        assert seeds(there) == [seed + 7 * (not is_pinned) for seed in seeds(here)], key
    assert 0 < pinned < len(plain.runs) / 4
    assert any(len(seeds(json.loads(run.params))) > 1 for run in plain.runs.values())


def test_seeds_of_nested_parameters_are_shifted():
    shifted = shift_seeds(Student("erf", hidden_units=2, seed=4), 10)
    assert shifted.seed == 14
    assert CircleDescent.__dataclass_fields__["stream"].default != "published"


def test_overrides_change_both_scales():
    changed = load(variant="steep", overrides={"mixtures": {"xor_network": {"weight_decay": 0.125}}})
    for preset in ("paper", "quick"):
        (name,) = changed.families[preset, "mixtures", "xor_network"]
        assert json.loads(changed.run(preset, "mixtures", name).params)["weight_decay"] == 0.125


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"overrides": {"mixtures": {"xor_network": {"weight_decay": 0.1}}}},
            "config/config.yaml: overrides need a variant",
        ),
        (
            {"variant": "a", "overrides": {"gm": {}}},
            "config/config.yaml: overrides: unknown study 'gm': choose one of mixtures",
        ),
        (
            {"variant": "a", "overrides": {"mixtures": {"xor": {}}}},
            "config/config.yaml: overrides.mixtures: unknown run 'xor'",
        ),
        ({"variant": "a", "overrides": {"mixtures": {"xor_network": {"decay": 1}}}}, "unknown key 'decay'"),
        ({"variant": "a", "overrides": {"mixtures": 3}}, "overrides.mixtures is 3: it must be object"),
        ({"variant": ""}, "variant in config/config.yaml or --config is ''"),
        ({"studies": ["mixture"]}, "config/mixture.yaml is missing in"),
        ({"studies": ["mixture"]}, "restore it, or correct studies in config/config.yaml"),
        ({"seed_shift": -1}, "seed_shift is -1"),
        ({"largest_gb": float("nan")}, "--config: largest_gb: nan is not finite: give a finite number"),
        ({"data_root": ""}, "data root '' (data_root in config/config.yaml) is not a folder"),
    ],
)
def test_settings_that_are_refused(settings, said):
    with pytest.raises(ConfigError) as refused:
        load(**settings)
    assert said in str(refused.value)


def test_settings_of_the_environment_and_of_the_command_line(monkeypatch):
    shifted = Catalogue.load(ROOT, environment={SETTINGS: '{"seed_shift": 2}'})
    assert shifted.folders == Folders(None, 2)
    with pytest.raises(ConfigError, match="write a mapping in JSON"):
        Catalogue.load(ROOT, environment={SETTINGS: "[1]"})
    assert read_setting("overrides", "{mixtures: {a: {b: 1e-3}}}") == {"mixtures": {"a": {"b": "1e-3"}}}
    with pytest.raises(ConfigError, match="write KEY=VALUE"):
        read_setting("variant", "")


def test_snakemake_and_the_command_read_the_same_settings():
    """Snakemake reads values inside of mappings and lists as texts."""
    text = "{sgd: {seeds: 2, rate: 0.5, fresh: true, start: null, values: [1, 2.5], name: erf, labels: ['\"3\"']}}"
    words = ["seed_shift=3", f"overrides={text}"]
    read = snakemake_adapter.with_types(parse_config(words))
    assert read == {"seed_shift": 3, "overrides": read_setting("overrides", text.replace("'\"3\"'", "'3'"))}
    assert read["overrides"]["sgd"]["seeds"] == 2
    assert read["overrides"]["sgd"]["labels"] == ["3"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"variant": "a", "seed_shift": 3},
        {"generators": "shipped", "data_root": "/my data/it's"},
        {"variant": "no", "overrides": {"mixtures": {"sgd": {"rate": 1e-7, "names": ["x: y", "z"], "fresh": True}}}},
    ],
)
def test_printed_settings_are_read_again(settings):
    """The option of a printed command gives Snakemake and `twolayer` the same settings."""
    words = shlex.split(config_option({SETTINGS: json.dumps(settings)}))
    assert words[:1] == (["--config"] if settings else [])
    assert snakemake_adapter.with_types(parse_config(words[1:])) == settings
    assert {key: read_setting(key, value) for key, _, value in (word.partition("=") for word in words[1:])} == settings


def test_a_printed_command_may_change_a_setting():
    assert config_option({SETTINGS: '{"variant": "a"}'}, seed_shift=2) == " --config variant=a seed_shift=2"


def test_remedies_have_the_settings_of_the_user(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(SETTINGS, "{}")
    assert main(["check", "fig1", "--preset", "quick", "--config", "variant=none_yet"]) == 2
    assert "`snakemake figures/none_yet/quick/fig1.pdf --config variant=none_yet`" in " ".join(
        capsys.readouterr().err.split()
    )


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "cite fig1",
        "compare a b",
        "restore a.tar",
        "update-timings",
        "export fig1",
        "unpack mnist a.tar --output b",
        "checksum a.nc",
        "findings",
        "replicate",
        "processors",
    ],
)
def test_commands_that_read_the_configuration_take_settings(command, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(SETTINGS, "{}")
    assert main([*command.split(), "--config", "seed_shift=-1"]) == 2
    assert "seed_shift is -1" in capsys.readouterr().err


def test_snakemake_unlocks_with_the_settings(monkeypatch, tmp_path):
    (tmp_path / "config").symlink_to(ROOT / "config")
    program = tmp_path / "snakemake"
    program.write_text(f'#!/bin/sh\nprintenv {SETTINGS} > "{tmp_path}/given"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv(SETTINGS, "{}")
    monkeypatch.setattr(recovery.psutil, "process_iter", lambda: ())
    assert main(["recover", "--root", str(tmp_path), "--config", "seed_shift=3"]) == 0
    assert json.loads((tmp_path / "given").read_text()) == {"seed_shift": 3}


@pytest.mark.slow
def test_a_variant_leaves_the_results_alone(project):
    before = {path: path.read_bytes() for path in (project.root / "results" / "quick").rglob("*.nc")}
    change = "overrides={mixtures: {sgd: {schedule: {learning_rate: 0.3}}}}"
    done = project.snakemake("figures/steep/quick/fig1.pdf", "--config", "variant=steep", change)
    assert done.returncode == 0, done.stderr
    assert before == {path: path.read_bytes() for path in (project.root / "results" / "quick").rglob("*.nc")}
    variant = io.read(project.root / "results/steep/quick/mixtures/online_sgd/sgd.nc")
    assert json.loads(variant.attrs["params"])["schedule"]["learning_rate"] == 0.3
    checked = project.run("twolayer", "check", "fig1", "--preset", "quick", "--config", "variant=steep", change)
    assert "fig1: fail, 1 of 2 checks pass" in checked.stdout
    stale = project.run("twolayer", "check", "fig1", "--preset", "quick", "--config", "variant=steep")
    assert stale.returncode == 2  # made with other parameters
    compared = project.run("twolayer", "compare", "results/quick/mixtures", "results/steep/quick/mixtures")
    assert compared.returncode == 1
    changed = {line.split()[0] for line in compared.stdout.splitlines()[1:]}
    assert changed == {"online_sgd/sgd.nc", "image_mixture/images.nc"}  # the images are no part of the figure


@pytest.mark.slow
def test_curves_and_checks_of_a_figure_as_data(project):
    done = project.run("twolayer", "export", "fig1", "--preset", "quick")
    assert done.stdout.split() == [str(project.root / f"figures/quick/{name}.csv") for name in ("fig1", "fig1-checks")]
    curves = (project.root / "figures/quick/fig1.csv").read_text().splitlines()
    sgd = io.read(project.root / "results/quick/mixtures/online_sgd/sgd.nc")
    assert len(curves) == 1 + sgd.sizes["time"]
    last = curves[-1].split(",")
    assert float(last[-1]) == float(sgd.pmse.mean("seed")[-1])
    assert "a check that fails" in (project.root / "figures/quick/fig1-checks.csv").read_text()
    program = "import twolayer as tl; data = tl.figure('fig1', preset='quick'); print(*data.checks.status)"
    (project.root / "show.py").write_text(program)
    assert project.run("python", "show.py").stdout.split() == ["pass", "fail"]
    missing = project.run("twolayer", "export", "fig1")
    assert missing.returncode == 2
    assert "make them with `snakemake figures/fig1.pdf`" in missing.stderr


@pytest.mark.slow
def test_shifted_seeds_draw_other_numbers(project):
    run = "mixtures/mixture_sample/xor_sample.nc"
    done = project.snakemake(f"results/quick-seed5/{run}", "--config", "seed_shift=5")
    assert done.returncode == 0, done.stderr
    one, other = (io.read(project.root / folder / run) for folder in ("results/quick", "results/quick-seed5"))
    assert json.loads(other.attrs["params"])["seed"] == json.loads(one.attrs["params"])["seed"] + 5
    assert not one.equals(other)


def test_differences_in_standard_errors():
    shift = np.array([0.0, 1.0, 0.0])
    draws = np.random.default_rng(0).normal(size=(50, 3))
    one = xr.Dataset({"pmse": (("seed", "time"), draws), "same": ("time", np.arange(3.0))})
    other = one.assign(pmse=one.pmse + shift)
    (found,) = compare.dataset_differences("a.nc", one, other)
    error = np.hypot(*2 * [draws[:, 1].std(ddof=1) / np.sqrt(50)])
    assert (found.variable, found.absolute) == ("pmse", pytest.approx(1))
    assert found.errors == pytest.approx(1 / error)
    assert found.relative == pytest.approx(1 / np.abs([draws.mean(0), draws.mean(0) + shift]).max())


def test_differences_without_numbers():
    one = xr.Dataset({"a": ("x", [1.0, 2.0]), "b": ("x", [1.0, 2.0]), "c": ("x", ["u", "v"]), "d": ("y", [np.nan])})
    other = xr.Dataset({"b": ("x", [1.0]), "c": ("x", ["u"]), "d": ("y", [1.0])})
    notes = {d.variable: d.note for d in compare.dataset_differences("a.nc", one, other)}
    assert notes["a"] == "only in the first"
    assert notes["b"].startswith("sizes")
    assert notes["d"] == "no common finite value"


@pytest.mark.filterwarnings("error")
def test_values_that_are_infinite():
    one = xr.Dataset({"a": ("x", [np.inf, np.inf, 1.0, np.nan]), "b": (("seed", "y"), [[np.inf, 1.0], [np.inf, 2.0]])})
    other = xr.Dataset({"a": ("x", [np.inf, 3.0, 1.5, np.nan]), "b": (("seed", "y"), [[np.inf, 1.0], [np.inf, 4.0]])})
    a, b = compare.dataset_differences("a.nc", one, other)
    assert (a.absolute, a.note) == (0.5, "1 values are finite in one only")
    assert (b.absolute, b.note) == (1.0, "")


def test_what_cannot_be_compared(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.nc").touch()
    with pytest.raises(ConfigError, match=r"missing\.nc does not exist"):
        compare.compare(tmp_path / "missing.nc", tmp_path)
    with pytest.raises(ConfigError, match="are a folder and a file"):
        compare.compare(tmp_path / "folder", tmp_path / "file.nc")

"""Repetitions of the quick preset, their records, and the tables of their checks."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from judged import relative, z_score
from small_project import CATALOGUE, ROOT

from twolayer.errors import ResultError
from twolayer.pipeline import cli
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import SETTINGS
from twolayer.pipeline.jobs import records, replicates
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.provenance import Provenance
from twolayer.processor import instructions, processor

NEAR = relative(xr.DataArray(1.01), 1.0, "near one", tolerance=0.1, source="it is")
FAR = relative(xr.DataArray(1.2), 1.0, "near one", tolerance=0.1, source="it is")


def record_of(*checks, figure="fig1", processor="a processor", differences=None):
    outcomes = tuple(map(records.Outcome.of, checks))
    return {figure: records.FigureRecord(figure, "0123456789ab", processor, outcomes, differences or {})}


def test_repetitions_share_no_seed_and_no_folder():
    repetitions = replicates.shifted_seeds(3)
    assert [one.settings["seed_shift"] for one in repetitions] == [1000, 2000, 3000]
    assert [one.settings["seed_shift"] for one in replicates.shifted_seeds(2, first=4)] == [4000, 5000]
    folders = {Catalogue.load(ROOT, one.settings, environment={}).folders for one in replicates.processors()}
    assert len(folders) == len(replicates.processors()) == 14


def test_every_setting_of_a_processor_changes_its_environment_or_its_threads():
    unchanged, *others = replicates.processors()
    assert unchanged == replicates.UNCHANGED
    for one in others:
        assert one.environment or one.options[0] == "--set-threads"


def test_records_of_seeds_are_shared_by_processors(monkeypatch):
    (seed,), (unchanged, *_) = replicates.shifted_seeds(1, first=4), replicates.processors()
    paths = []
    for name in ("AMD EPYC 7763", "Intel(R) Xeon(R)"):
        monkeypatch.setattr(replicates, "processor", lambda name=name: name)
        paths += [str(seed.path()), str(unchanged.path())]
    assert paths == [
        "docs/replicates/seed-4000.jsonl",
        "docs/replicates/amd-epyc-7763/unchanged.jsonl",
        "docs/replicates/seed-4000.jsonl",
        "docs/replicates/intel-r-xeon-r/unchanged.jsonl",
    ]


def test_this_machine_has_a_processor():
    assert processor().strip() == processor() != ""
    assert instructions() in ("", "AVX-512", "AVX2", "AVX", "SVE", "NEON")


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = record_of(NEAR, FAR, differences={"mixtures/xor": (1e-5, None)}) | record_of(NEAR, figure="fig2")
    records.write(record, tmp_path / "one.jsonl")
    assert records.read(tmp_path / "one.jsonl") == record
    assert records.read(tmp_path / "other.jsonl") == {}
    assert [check.status for check in record["fig1"].checks] == ["pass", "fail"]
    assert [check.used for check in record["fig1"].checks] == [0.1, 2.0]


HEAD = '{"figure": "a", "commit": "", "processor": "", '


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        "{}",
        "[1]",
        '{"figure": "fig1", "checks": [{"title": 1}]}',
        "[" * 100_000,
        HEAD + '"checks": [], "differences": []}',
        HEAD + '"checks": [[]], "differences": {}}',
    ],
    ids=lambda text: text[-20:],
)
def test_a_damaged_record_is_refused(tmp_path, text):
    (tmp_path / "one.jsonl").write_text(text)
    with pytest.raises(ResultError, match=r"one\.jsonl is damaged, or has another version: restore or delete it"):
        records.read(tmp_path / "one.jsonl")


def test_the_table_of_checks_counts_failures():
    repetitions = {"seed-1000": record_of(NEAR), "seed-2000": record_of(FAR), "seed-3000": record_of(NEAR)}
    lines = replicates.table_of_checks(repetitions).splitlines()
    assert lines[3] == "| seed-2000 | 1 | 1 | 1 | 0 | 0123456789ab | a processor |"
    assert lines[-1] == "| fig1 | near one | relative | 3 | 1 | 0 | 0.1 | 2 |  |  |"


def test_the_table_of_checks_begins_with_those_that_fail():
    least = replace(NEAR, title="a check that passes")
    lines = replicates.table_of_checks({"seed-1000": record_of(least, FAR)}).splitlines()
    assert [line.split("|")[2].strip() for line in lines[-2:]] == ["near one", "a check that passes"]


def test_the_table_of_checks_shows_whether_chance_explains_them():
    """A hundred checks of a value that is off by one standard error of six runs at the most."""
    rng = np.random.default_rng(0)
    draws = xr.DataArray(rng.standard_normal((6, 100)), dims=("seed", "check"))
    checks = [z_score(draws.isel(check=place), 0.0, "a mean", source="it is", relative_to=1.0) for place in range(100)]
    (row,) = (
        line
        for line in replicates.table_of_checks({"seed-1000": record_of(*checks)}).splitlines()
        if line.startswith("| z_score | 100 |")
    )
    below = [float(cell) for cell in row.split("|")[3:6]]
    assert below == pytest.approx([0.5, 0.1, 0.01], abs=0.15)


def test_the_tables_of_processors_name_checks_and_results_that_change(tmp_path):
    folder = tmp_path / "a-processor"
    records.write(record_of(NEAR), folder / "unchanged.jsonl")
    records.write(
        record_of(FAR, differences={"mixtures/xor": (0.2, 3.0), "mixtures/b": (1e-15, None)}), folder / "other.jsonl"
    )
    lines = replicates.tables_of_processors(tmp_path).splitlines()
    assert lines[0] == "## a processor"
    assert "| other | 2 | 0.2 | 3 | fig1: near one (pass, fail) |" in lines
    assert lines[-1] == "| mixtures/xor | 0.2 | 3 | other |"


def test_checks_and_differences_are_read_from_the_folders_of_a_repetition(tmp_path, monkeypatch):
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.setattr(replicates, "git_commit", lambda: "0123456789ab")
    monkeypatch.setattr(replicates.subprocess, "run", lambda *_, **__: None)
    (repetition,) = (one for one in replicates.processors() if one.name == "numba-generic")
    path = check_results.path_of(Catalogue.load(tmp_path, repetition.settings, environment={}), "fig1", "quick")
    check_results.write(check_results.FigureChecks([NEAR], Provenance.of([])), path)
    record = replicates.make(repetition, tmp_path, ["fig1"])
    assert record == records.read(tmp_path / repetition.path())
    assert record["fig1"].checks == (records.Outcome.of(NEAR),)
    assert record["fig1"].differences == {}
    assert "fig1" in CATALOGUE.figures


@pytest.fixture
def commands(monkeypatch):
    """The commands that make repetitions, which find all checks to pass."""
    found = []
    monkeypatch.setattr(replicates, "git_commit", lambda: "0123456789ab")
    monkeypatch.setattr(replicates.subprocess, "run", lambda command, cwd, env: found.append((command, env)))
    monkeypatch.setattr(replicates, "judged_checks", lambda catalogue: {"fig1": [NEAR], "fig2": [FAR]})
    return found


def test_a_repetition_is_made_by_snakemake(commands, tmp_path):
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (one,) = (one for one in replicates.processors() if one.name == "numba-generic")
    assert list(replicates.make(one, tmp_path, ["fig1"], cores="1")) == ["fig1"]
    ((command, environment),) = commands
    target = "figures/numba-generic/quick/fig1.pdf"
    assert command == ["snakemake", "--cores", "1", "--config", "variant=numba-generic", "--", target]
    assert environment["NUMBA_CPU_NAME"] == "generic"


def test_what_is_finished_is_skipped(commands, tmp_path):
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (one,) = replicates.shifted_seeds(1)
    for figures in (["fig1"], ["fig1"], ["fig1", "fig2"]):
        record = replicates.make(one, tmp_path, figures)
    assert [command[-1] for command, _ in commands] == [f"figures/quick-seed1000/fig{n}.pdf" for n in (1, 2)]
    assert list(record) == ["fig1", "fig2"]
    assert replicates.failures(record) == ["fig2: near one"]


def test_the_command_writes_the_page_and_reports_failures(commands, tmp_path, monkeypatch, capsys):
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Catalogue, "find_root", lambda: tmp_path)
    arguments = ["replicate", "--seeds", "1", "--first", "7", "--cores", "1", "--figures"]
    assert cli.main([*arguments, "fig1"]) == 0
    assert cli.main([*arguments, "fig2"]) == 1
    assert "fails: fig2: near one" in capsys.readouterr().out
    page = (tmp_path / "docs/replicates.md").read_text()
    assert "| seed-7000 | 2 | 2 | 1 | 0 |" in page


VARIANT = ["--config", "variant=steep", "overrides={mixtures: {xor_network: {weight_decay: 0.1}}}"]


@pytest.fixture
def variant(commands, tmp_path, monkeypatch):
    """A project whose variants are repeated."""
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Catalogue, "find_root", lambda: tmp_path)
    monkeypatch.setenv(SETTINGS, "{}")
    return tmp_path


def test_a_variant_is_repeated_with_other_seeds_in_its_own_folders(variant, commands):
    assert cli.main(["replicate", "--seeds", "1", "--figures", "fig1", *VARIANT]) == 0
    ((command, environment),) = commands
    assert command[3:] == [
        "--config",
        "seed_shift=1000",
        "variant=steep",
        "--",
        "figures/steep/quick-seed1000/fig1.pdf",
    ]
    assert json.loads(environment[SETTINGS])["overrides"] == {"mixtures": {"xor_network": {"weight_decay": 0.1}}}
    assert list(records.read(variant / "results/steep/replicates/seed-1000.jsonl")) == ["fig1"]
    assert "records in `results/steep/replicates`" in (variant / "results/steep/replicates.md").read_text()
    assert not (variant / "docs").exists()


def test_a_variant_is_repeated_as_other_processors_compute_it(variant, commands):
    assert cli.main(["processors", "--figures", "fig1", *VARIANT]) == 0
    assert [command[4] for command, _ in commands][:2] == ["variant=steep", "variant=steep-aten-default"]
    assert "records in `results/steep/replicates`" in (variant / "results/steep/processors.md").read_text()
    assert not (variant / "docs").exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("seed=3", "--config seed changes the results, and docs/replicates has records of the unchanged configuration"),
        ("device=cpu", "also give a variant, as in `--config variant=NAME`"),
        ("seed_shift=3", "seed_shift is 3 in config/config.yaml or --config"),
    ],
)
@pytest.mark.parametrize("command", ["replicate", "processors"])
def test_settings_that_records_do_not_separate_are_refused(variant, commands, capsys, command, setting, said):
    assert cli.main([command, "--config", setting]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not commands
    if not setting.startswith("seed_shift"):
        assert cli.main([command, "--figures", "fig1", "--config", "variant=steep", setting]) == 0

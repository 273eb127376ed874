"""Each mistake ends in one sentence, before any job and without a traceback."""

import pytest
from small_project import ROOT

from twolayer.errors import ConfigError, DataError
from twolayer.pipeline.catalogue import Catalogue


def study(*path, value):
    """A change of config/mixtures.yaml at that path."""
    return "config/mixtures.yaml", path, value


RUN = ("runs", "sgd", "params")
SMALL = {"task": "random_mixture", "minutes": {"paper": 1, "quick": 1}, "mem_mb": 1}
CURVE = SMALL | {
    "task": "learning_curve",
    "inputs": {"mixture": "mixture", "start": "curve"},
    "params": {
        "student": {"activation": "erf", "hidden_units": 2},
        "schedule": {"learning_rate": 0.1, "last_time": 2.0, "measurements": 4},
    },
}
MISTAKES = [
    (
        study("figures", "fig1", "title", value=None),
        "config/mixtures.yaml: figures.fig1.title is None: it must be string",
    ),
    (
        study("figures", "fig1", "checks", value=[]),
        "config/mixtures.yaml: figures.fig1: unknown key 'checks': allowed are",
    ),
    (
        study("runs", "xor_random_features", "grid", value={"input_dimension": [20, 20]}),
        "config/mixtures.yaml: xor_random_features: two runs have the name 'xor_random_features_input_dimension20'",
    ),
    (
        study("runs", "sgd", "grid", value={"schedule.learning_rate": [1, 1.0]}),
        "config/mixtures.yaml: sgd: two runs have the name 'sgd_learning_rate1'",
    ),
    (
        study("runs", "a$(touch x)", value=SMALL),
        "config/mixtures.yaml: a$(touch x): the run name 'a$(touch x)' is not safe as a file name",
    ),
    (
        study(*RUN, "momentum", value=0.9),
        "config/mixtures.yaml: sgd (paper preset): unknown key 'momentum': allowed are",
    ),
    (
        study(*RUN, "seeds", value="two"),
        "config/mixtures.yaml: sgd (paper preset): seeds is 'two': it must be a whole number",
    ),
    (
        study(*RUN, "schedule", "learning_rate", value=-1),
        "config/mixtures.yaml: sgd (paper preset): schedule: learning_rate is -1.0: it must be above 0",
    ),
    (
        study(*RUN, "student", "activation", value="tan"),
        "config/mixtures.yaml: sgd (paper preset): student: activation is 'tan': choose one of erf, relu, linear",
    ),
    (
        study("runs", "sgd", "quick", value={"seeds": 0}),
        "config/mixtures.yaml: sgd (quick preset): seeds is 0: it must be at least 1",
    ),
    (
        study("runs", "xor_random_features", "quick_grid", value={"dimension": [20]}),
        "config/mixtures.yaml: xor_random_features: quick_grid has 'dimension', but grid has input_dimension: remove",
    ),
    (study("runs", "sgd", "task", value="sgd"), "config/mixtures.yaml: sgd: unknown task 'sgd': choose one of"),
    (
        study("runs", "sgd", "parameters", value={}),
        "config/mixtures.yaml: runs.sgd: unknown key 'parameters': allowed",
    ),
    (
        study("runs", "sgd", "mem_mb", value="1 GB"),
        "config/mixtures.yaml: runs.sgd.mem_mb is '1 GB': it must be integer",
    ),
    (
        study("runs", "sgd", "task", value="variable_projection"),
        "config/mixtures.yaml: sgd: task variable_projection takes arrays (",
    ),
    (
        study("runs", "sgd", "inputs", value={}),
        "config/mixtures.yaml: sgd: inputs are []: task online_sgd takes mixture",
    ),
    (
        study("runs", "sgd", "inputs", "mixture", value="mix"),
        "config/mixtures.yaml: sgd: input 'mixture' is the unknown run 'mix'",
    ),
    (
        study("runs", "sgd", "inputs", "mixture", value="sgd"),
        "config/mixtures.yaml: sgd: input 'mixture' is 'sgd', a result of the task online_sgd: online_sgd needs",
    ),
    (
        study("runs", "curve", value=CURVE),
        "config/mixtures.yaml: the runs 'curve' -> 'curve' wait for each other (paper preset): remove one of them from",
    ),
    (("config/config.yaml", ("seed",), -1), "config/config.yaml: seed is -1: it must be bigger than or equal to 0"),
    (
        ("config/config.yaml", ("sed",), 1),
        "config/config.yaml: top level: unknown key 'sed': allowed are",
    ),
    (("config/config.yaml", ("studies",), ["mixtures", "gmn"]), "config/gmn.yaml is missing in"),
    (
        ("config/config.yaml", ("data_root",), "/nowhere"),
        "data root '/nowhere' (data_root in config/config.yaml)",
    ),
    (study("figures", "fig1", "runs", value=["sdg"]), "config/mixtures.yaml: fig1: unknown run 'sdg'"),
]


def set_at(path, value):
    def change(content):
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=lambda item: str(item)[:40])
def test_one_sentence(fresh_project, tmp_path, mistake, message):
    project = fresh_project.copy(tmp_path / "project")
    name, path, value = mistake
    project.edit(name, set_at(path, value))
    with pytest.raises(ConfigError) as caught:
        Catalogue.load(project.root, environment={})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'mean = r["sgd"].pmse',
            'mean = r["sdg"].pmse',
            "config/mixtures.yaml: figures.fig1: unknown run 'sdg': the figure reads xor_sample, ",
        ),
        (
            'mean = r["sgd"].pmse',
            'mean = r["sgd"].pmze',
            "the checks of fig1 cannot be made ('Dataset' object has no attribute",
        ),
        (
            'mean = r["sgd"].pmse',
            'mean = r["sgd"]["pmze"]',
            "the checks of fig1 cannot be made (No variable named 'pmze'",
        ),
        (
            "input_dimension=20",
            "input_dimension=25",
            "config/mixtures.yaml: figures.fig1: 0 runs of 'xor_random_features' have",
        ),
        (
            "tolerance=1e-9",
            "tolerance=float('nan')",
            "twolayer.figures.mixtures.fig1: the tolerance of the check 'a check that fails' is nan: give",
        ),
        ("def checks", "def checks(r", "fig1.py, line 15 is not valid Python ("),
        ("def checks", "def check", "src/twolayer/figures/mixtures/fig1.py has no function 'checks'"),
    ],
)
def test_a_misspelt_check_is_found_before_anything_runs(fresh_project, tmp_path, old, new, message):
    project = fresh_project.copy(tmp_path / "project")
    project.rewrite("src/twolayer/figures/mixtures/fig1.py", old, new)
    done = project.snakemake("--dry-run", "quick")
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_broken_yaml(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    (project.root / "config" / "mixtures.yaml").write_text("runs: {sgd: [}")
    with pytest.raises(ConfigError, match=r"^config/mixtures\.yaml, line 1 is not valid YAML"):
        Catalogue.load(project.root, environment={})


def test_a_data_root_without_the_images(tmp_path):
    catalogue = Catalogue.load(ROOT, environment={"TWOLAYER_DATA": str(tmp_path)})
    with pytest.raises(DataError, match=r"train-images-idx3-ubyte\.gz is missing from the data root"):
        catalogue.image_files(catalogue.run("paper", "mixtures", "mixture_mnist"))
    assert catalogue.image_files(catalogue.run("quick", "mixtures", "mixture_mnist"))
    with pytest.raises(DataError, match=r"data_batch_1\.bin is missing from the data root"):
        catalogue.image_files(catalogue.run("paper", "gaussian_equivalence", "image_classes"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (["figures/fig99.pdf"], {}, "error: unknown figure 'fig99': config/ has fig1"),
        (
            ["figures/huge/fig1.pdf"],
            {},
            "error: unknown figure 'huge/fig1': config/ has fig1,",
        ),
        (["results/quick/mixtures/online_sgd/sgg.nc"], {}, "error: unknown run 'sgg' of study 'mixtures'"),
        (["quick"], {"TWOLAYER_DATA": "/nowhere"}, "error: data root '/nowhere' (TWOLAYER_DATA) is not a folder"),
        (["quick", "--config", "seed=x"], {}, "error: config/config.yaml: seed is 'x': it must be integer"),
    ],
)
def test_through_snakemake(fresh_project, arguments, environment, message):
    done = fresh_project.snakemake(*arguments, **environment)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nothing", "--output", "x.nc"], "error: unknown task 'nothing': choose one of"),
        (["run", "mixture_sample", "--params", "{", "--output", "x.nc"], "error: --params is not valid JSON"),
        (
            ["run", "mixture_sample", "--params", '{"sigm": 1}', "--output", "x.nc"],
            "error: --params: unknown key",
        ),
        (
            ["run", "mixture_sample", "--input", "a=b", "--output", "x.nc"],
            "error: --params: the key",
        ),
        (["check", "fig99"], "error: unknown figure 'fig99'"),
        (
            ["check", "fig1"],
            "error: 4 of 4 results of fig1 at the paper preset are missing, for example results/paper/mixtures/",
        ),
        (["run", "mixture_sample", "--params", "1" * 5000, "--output", "x.nc"], "error: --params is not valid JSON"),
        (
            ["run", "mixture_sample", "--params", '{"samples": 9, "samples": 8}', "--output", "x.nc"],
            "error: --params is not valid JSON: the key 'samples' is given twice",
        ),
        (["run", "mixture_sample", "--params", "[" * 9999, "--output", "x.nc"], "error: --params is not valid JSON"),
        (
            ["run", "mixture_sample", "--params", "[1]", "--output", "x.nc"],
            "error: --params: found [1]: give a mapping",
        ),
        (["scoreboard"], "error: "),
    ],
)
def test_through_the_command_line(fresh_project, arguments, message):
    done = fresh_project.run("twolayer", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "error: config/config.yaml: top level is None: it must be object"),
        (b"seed: \xff", "error: config/config.yaml is not a text in UTF-8 (byte 6): save it in UTF-8"),
        (b"seed: [", "error: config/config.yaml, line 2 is not valid YAML: did not find expected node content"),
    ],
)
def test_settings_that_are_none(fresh_project, tmp_path, content, message):
    project = fresh_project.copy(tmp_path / "project")
    (project.root / "config" / "config.yaml").write_bytes(content)
    for command in (("snakemake", "--dry-run", "quick"), ("twolayer", "list")):
        done = project.run(*command)
        assert done.returncode != 0
        assert done.stderr.splitlines()[-1] == message
        assert len(done.stderr.splitlines()) <= 3

"""Configurations that nobody meant: each is read, or refused in one sentence, and at once."""

import shutil
import time
from copy import deepcopy

import numpy as np
import pytest
import yaml
from small_project import ROOT, STUDY

from twolayer.errors import ConfigError, TwolayerError
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks.dry_run_of_checks import placeholder

VALUES, TEXTS = 330, 200  # mutations of values, and of the text itself
SECONDS = 20  # of CPU time, which an endless computation exceeds
OWN = yaml.safe_load((ROOT / "config" / "custom_mixture.yaml").read_text())
STRANGE = [
    None, True, False, 0, -1, 5, 10**12, 10**30, 10**400, 0.5, -0.0, 1e308, -1e308, 1e-308, float("inf"), float("nan"),
    "", " ", "a", "é", "a b", "a/b", "../a", "/etc/passwd", "a;b", "$(touch x)", "a'b", 'a"b', "a\nb", "a\0b", "{", "}",
    "a" * 400, "-rf", "1e400", [], {}, [[]], [None], {"a": 1}, {5: 1}, [1, "a"], [1e308], list(range(2000)),
    {"linspace": [0.1, 1, 10**8]}, {"linspace": [0.1, 1, 1e8]}, {"logspace": [1e-300, 1e300, 5]}, {"linspace": 3},
]  # fmt: skip


@pytest.fixture
def root(tmp_path):
    """A project of two small studies, without anything but its configuration."""
    shutil.copytree(ROOT / "config" / "schemas", tmp_path / "config" / "schemas")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    write(tmp_path, SETTINGS, STUDY, OWN)
    return tmp_path


SETTINGS = {"data_root": None, "seed": 0, "device": "cpu", "studies": ["mixtures", "custom_mixture"]}
NAMES = ("config", "mixtures", "custom_mixture")


def write(root, *contents):
    for name, content in zip(NAMES, contents, strict=True):
        (root / "config" / f"{name}.yaml").write_text(yaml.safe_dump(content, allow_unicode=True))


def load(root):
    """What comes of a configuration: "read", or the sentence that refuses it; in no time."""
    start = time.process_time()
    try:
        catalogue = Catalogue.load(root, environment={})
        for figure in catalogue.figures.values():
            placeholder(catalogue, figure, "quick")
        sentence = "read"
    except TwolayerError as error:
        sentence = str(error)
    assert time.process_time() - start < SECONDS
    assert "\n" not in sentence
    assert len(sentence) < 700, sentence
    return sentence


def places(content, path=()):
    """All keys and positions in nested mappings and lists."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def mutate(content, rng):
    """One place of a content with a strange value, under a strange key, twice, or without it."""
    content = deepcopy(content)
    everywhere = list(places(content))
    *path, key = everywhere[rng.integers(len(everywhere))]
    inside = content
    for step in path:
        inside = inside[step]
    strange = STRANGE[rng.integers(len(STRANGE))]
    way = rng.integers(6)
    if way == 0 and isinstance(inside, dict):
        inside[strange if isinstance(strange, str | int | float | None) else "a"] = inside.pop(key)
    elif way == 1:
        del inside[key]
    elif way == 2 and isinstance(inside, dict):
        inside["more"] = strange
    else:
        inside[key] = strange
    return content


def test_as_it_is_it_is_read(root):
    assert load(root) == "read"


@pytest.mark.slow
def test_mutated_values(root):
    rng = np.random.default_rng(0)
    outcomes = []
    for trial in range(VALUES):
        contents = [SETTINGS, STUDY, OWN]
        contents[trial % 3] = mutate(contents[trial % 3], rng)
        write(root, *contents)
        outcomes.append(load(root))
    assert outcomes.count("read") < VALUES / 3


@pytest.mark.slow
def test_mutated_texts(root):
    rng = np.random.default_rng(0)
    path = root / "config" / "custom_mixture.yaml"
    content = (ROOT / "config" / "custom_mixture.yaml").read_bytes()
    for _ in range(TEXTS):
        at, until = sorted(rng.integers(0, len(content), 2))
        noise = [rng.bytes(3), b"\t", b"*a", b"&a ", b"[", b"}", b": ", b"!!python/object:os.system ", b"\xff"]
        path.write_bytes(content[:at] + noise[rng.integers(len(noise))] + content[min(until, at + 20) :])
        load(root)


TEXT = [
    ("", "config/custom_mixture.yaml: top level is None: it must be object"),
    ("- 1", "config/custom_mixture.yaml: top level is [1]: it must be object"),
    ("a: {b", "config/custom_mixture.yaml, line 2 is not valid YAML: did not find expected ',' or '}'"),
    ("[" * 100_000, "config/custom_mixture.yaml, line 1 is not valid YAML: it is nested deeper than 30"),
    ("runs: {}\nruns: {}", "config/custom_mixture.yaml, line 2 is not valid YAML: the key 'runs' is given twice"),
    ("5: {}", "config/custom_mixture.yaml: the key 5 is not a text: put it into quotes"),
    ("runs: {5: {}}", "config/custom_mixture.yaml: runs: the key 5 is not a text: put it into quotes"),
    ("runs: {true: {}}", "config/custom_mixture.yaml: runs: the key True is not a text: put it into quotes"),
    ("runs: {~: {}}", "config/custom_mixture.yaml: runs: the key None is not a text: put it into quotes"),
    ("runs: {[a]: 1}", "config/custom_mixture.yaml, line 1 is not valid YAML: found unhashable key"),
    ("runs: .inf", "config/custom_mixture.yaml: runs: inf is not finite: give a finite number"),
    (
        "runs: 2021-01-01",
        "config/custom_mixture.yaml: runs: 2021-01-01 is neither a text nor a number: put it into quotes",
    ),
    ("runs: 2021-13-01", "config/custom_mixture.yaml is not valid YAML: month must be in 1..12"),
    ("runs: " + "9" * 5000, "config/custom_mixture.yaml is not valid YAML: Exceeds the limit"),
    ('runs: "a\\0b"', "config/custom_mixture.yaml: runs: 'a\\x00b' has an invisible character: remove it"),
    (
        "a: !!python/object:os.system x",
        "config/custom_mixture.yaml, line 1 is not valid YAML: could not determine a constructor",
    ),
    pytest.param(
        "a: &a [*a]",
        "config/custom_mixture.yaml has more than 100,000 values: make it smaller",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("text", "message"), TEXT, ids=lambda text: text[:30])
def test_no_such_file(root, text, message):
    (root / "config" / "custom_mixture.yaml").write_text(text)
    assert load(root).startswith(message)


@pytest.mark.slow
def test_a_few_lines_that_hold_a_thousand_million_values(root):
    lines = ["x0: &x0 [a, a, a, a, a, a, a, a, a, a]"]
    lines += [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]" for n in range(1, 9)]
    (root / "config" / "custom_mixture.yaml").write_text("\n".join(lines))
    assert load(root) == "config/custom_mixture.yaml has more than 100,000 values: make it smaller"


def test_what_is_no_text_and_what_is_no_file(root):
    path = root / "config" / "custom_mixture.yaml"
    path.write_bytes(b"runs: \xff\xfe")
    assert load(root) == "config/custom_mixture.yaml is not a text in UTF-8 (byte 6): save it in UTF-8"
    path.unlink()
    path.mkdir()
    assert load(root) == "config/custom_mixture.yaml cannot be read (Is a directory): give a file that you may read"


def changed(study, *path, value):
    """A study with another value at that path."""
    study = inside = deepcopy(study)
    for step in path[:-1]:
        inside = inside.setdefault(step, {})
    inside[path[-1]] = value
    return study


SGD = ("runs", "sgd", "params")
GEOMETRY = ("runs", "custom_mixture", "params", "geometry")
FIGURE = ("figures", "fig1")
NONSENSE = [
    (
        "mixtures",
        (*SGD, "seeds"),
        10**30,
        "sgd (paper preset): seeds is 1000000000000000000000000000000: it must be at most",
    ),
    ("mixtures", (*SGD, "seeds"), 10**400, "sgd (paper preset): seeds is 10000"),
    ("mixtures", (*SGD, "seeds"), 10**9, "read"),  # what is too much for this machine is not too much for each
    ("mixtures", (*SGD, "schedule", "learning_rate"), 10**400, "sgd (paper preset): schedule: learning_rate is 10000"),
    (
        "mixtures",
        ("runs", "xor_sample", "params", "sigma"),
        1e308,
        "xor_sample (paper preset): sigma is 1e+308: it must be",
    ),
    ("mixtures", ("runs", "sgd", "mem_mb"), 10**12, "runs.sgd.mem_mb is 1000000000000: it must be smaller than"),
    (
        "mixtures",
        ("runs", "sgd", "minutes"),
        {"paper": 1e300, "quick": 1},
        "runs.sgd.minutes.paper is 1e+300: it must be",
    ),
    (
        "mixtures",
        ("runs", "sgd", "inputs", "mixture"),
        "xor_sample",
        "sgd: input 'mixture' is 'xor_sample', a result of",
    ),
    (
        "mixtures",
        ("runs", "sgd", "grid"),
        {"seed": list(range(400)), "seeds": list(range(1, 400))},
        "sgd: grid has 159,600",
    ),
    (
        "mixtures",
        ("runs", "xor_random_features", "params", "sigma"),
        {"linspace": [0.1, 1, 10**8]},
        "xor_random_features (paper preset): sigma: linspace[2] is 100000000: it must be at least 2 and at most 10000",
    ),
    (
        "mixtures",
        (*FIGURE, "animations"),
        ["fig1", "fig1"],
        "figures.fig1.animations is ['fig1', 'fig1']: it must contain",
    ),
    (
        "mixtures",
        (*FIGURE, "animations"),
        ["other"],
        "fig1: the name of the animation 'other' must be 'fig1', or begin with it",
    ),
    (
        "mixtures",
        (*FIGURE, "references"),
        {"table": {"file": "../../etc/passwd", "coordinates": ["a"]}},
        "fig1: reference 'table' is '../../etc/passwd', which is outside the project: copy it",
    ),
    (
        "mixtures",
        (*FIGURE, "references"),
        {"table": {"file": "/etc/passwd", "coordinates": ["a"]}},
        "fig1: reference 'table' is '/etc/passwd', which is outside the project: copy it",
    ),
    (
        "mixtures",
        (*FIGURE, "references"),
        {"sgd": {"file": "workflow/resources/README.md", "coordinates": ["a"]}},
        "fig1: reference 'sgd' has the name of a run of the figure: rename it",
    ),
    (
        "mixtures",
        (*FIGURE, "references"),
        {"t": {"file": "workflow", "coordinates": ["a"]}},
        "fig1: reference 't' is 'workflow', which is missing",
    ),
    (
        "mixtures",
        ("figures", "fig$(touch x)"),
        STUDY["figures"]["fig1"],
        "figures: the name 'fig$(touch x)' does not match",
    ),
    ("mixtures", ("runs", "../sgd"), STUDY["runs"]["sgd"], "../sgd: the run name '../sgd' is not safe as a file name"),
    ("mixtures", ("runs", "-rf"), STUDY["runs"]["mixture"], "-rf: the run name '-rf' is not safe as a file name"),
    (
        "custom_mixture",
        (*GEOMETRY, "weights"),
        [0.5, 0.3, 0.1],
        "custom_features (paper preset): geometry: cluster weights [0.5, 0.3",
    ),
    (
        "custom_mixture",
        (*GEOMETRY, "weights"),
        [0.5, 0.5],
        "custom_features (paper preset): geometry: a mixture needs one label and",
    ),
    (
        "custom_mixture",
        (*GEOMETRY, "labels"),
        [True, -1, -1],
        "custom_features (paper preset): geometry: labels[0] is True: choose",
    ),
    (
        "custom_mixture",
        (*GEOMETRY, "means"),
        [[1], [1, 2], [0]],
        "custom_features (paper preset): geometry: means, labels and weights",
    ),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), NONSENSE)
def test_nonsense(root, name, path, value, message):
    studies = {"mixtures": STUDY, "custom_mixture": OWN}
    write(root, SETTINGS, *(studies | {name: changed(studies[name], *path, value=value)}).values())
    assert load(root).removeprefix(f"config/{name}.yaml: ").startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"studies": ["quick"]}, "config/config.yaml: the study 'quick' has the name of a target: rename it"),
        ({"studies": ["replica"]}, "config/config.yaml: the study 'replica' has the name of a target: rename it"),
        ({"studies": ["../mixtures"]}, "config/config.yaml: studies.0 is '../mixtures': it must match pattern"),
        ({"studies": []}, "config/config.yaml: studies is []: it must contain at least 1 items"),
        ({"data_root": "a\nb"}, "data root 'a\\nb' (data_root in config/config.yaml) is not a folder"),
        ({"seed": 10**30}, "config/config.yaml: seed is 1000000000000000000000000000000: it must be smaller"),
    ],
)
def test_strange_settings(root, change, message):
    write(root, SETTINGS | change, STUDY, OWN)
    assert load(root).startswith(message)


def test_one_animation_of_two_figures(root):
    figures = {name: STUDY["figures"]["fig1"] | {"animations": ["fig1"]} for name in ("fig1", "fig1a")}
    write(root, SETTINGS, STUDY | {"figures": figures}, OWN)
    assert load(root) == "config/mixtures.yaml: fig1a: the animation 'fig1' also belongs to fig1: rename one of them"


@pytest.mark.slow
def test_an_unknown_name_among_ten_thousand(root):
    runs = {"m": STUDY["runs"]["mixture"] | {"grid": {"seed": list(range(10_000))}}}
    figures = {"fig1": STUDY["figures"]["fig1"] | {"runs": ["m"]}}
    write(root, SETTINGS, {"runs": runs, "figures": figures}, OWN)
    catalogue = Catalogue.load(root, environment={})
    with pytest.raises(ConfigError) as caught:
        catalogue.run("quick", "mixtures", "m_seed123456")
    assert "m_seed1234" in str(caught.value)
    assert str(caught.value).endswith(" more")
    assert len(str(caught.value)) < 400


def test_an_outline_that_would_not_fit_into_memory(root):
    study = changed(STUDY, "runs", "xor_random_features", "params", "sigma", value={"linspace": [0.1, 1, 9_000]})
    study["runs"]["xor_random_features"] |= {"quick": {"features_per_dimension": {"linspace": [0.1, 1, 9_000]}}}
    write(root, SETTINGS, study, OWN)
    assert "the result would have" in load(root)

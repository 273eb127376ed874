"""Configurations from elsewhere: read, or refused in one sentence within a second."""

import os
import shutil
import time

import numpy as np
import pytest
import yaml
from forged import STUDY, altered, assert_sentence, catalogue_of
from small_project import ROOT

from twolayer.errors import ConfigError, TwolayerError
from twolayer.pipeline import folders
from twolayer.pipeline.configuration import parsed

SECONDS = 1
MERGES = "a0: &a0 {a: 1, b: 2}\n" + "".join(
    f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
ALIASES = "a0: &a0 [a, a]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
TEXTS = [
    MERGES,
    ALIASES,
    MERGES.replace("<<", "? !!merge x\n  "),
    'a: !!float ""',
    'a: !!int ""',
    "a: !!bool maybe",
    "a: !!timestamp x",
    "a: !!null x: 1",
    'a: !!binary "\xff"',
    "a: !!set {x}",
    "a: !!omap [x]",
    "a: !!python/name:os.system",
    "a: &a [*a]",
    "a: &a {<<: *a}",
    "a: *b",
    "a: " + "1" + ":1" * 300_000,
    "a: !!int 1" + ":1" * 100_000,
    "a: !!float 1" + ":1" * 100_000 + ".5",
    "a: 0x" + "f" * 100_000,
    "a: .inf",
    "a: " + "[" * 100_000,
    "a: 1\n" * 100,
    "a: [" + "1," * 500_000 + "]",
    "".join(f"a{n}: 1\n" for n in range(100_000)),
    "\0",
]


def in_time(call):
    """What a call raises, a sentence, or None; within a second."""
    start = time.process_time()
    try:
        call()
        return None
    except TwolayerError as error:
        assert_sentence(error)
        return str(error)
    finally:
        assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20].strip())
def test_yaml_that_nobody_means(text):
    assert in_time(lambda: parsed(text, "config/mixtures.yaml"))


@pytest.mark.parametrize("text", ["a: 010", "a: [-0_7]", "{a: 1:30}", "010: a", "a: +1:30:00.5", "a: 00"])
def test_numbers_in_other_bases_are_refused(text):
    """YAML 1.1 reads 010 as 8, and 1:30 as 90."""
    assert "is a number in base 8 or 60: write it in base 10" in in_time(lambda: parsed(text, "config/mixtures.yaml"))


def test_numbers_in_base_10_and_quoted_texts_are_read():
    text = "a: [0, 10, 0.5, -0, 1_000, '010', \"1:30\", 08.5, 0x10, a:10]"
    assert parsed(text, "it")["a"] == [0, 10, 0.5, 0, 1000, "010", "1:30", 8.5, 16, "a:10"]


def test_honest_merges_are_read():
    text = "a: &a {x: 1}\nb: &b {y: 2}\nc: {<<: [*a, *b], x: 3}\nd: {<<: *b}"
    assert parsed(text, "it")["c"] == {"x": 3, "y": 2}


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_the_projects_own_are_read_in_time(path):
    assert in_time(lambda: parsed(path.read_text(), path.name)) is None


@pytest.mark.parametrize("text", ['!!float ""', "!!bool maybe", "[" * 10_000, "a: &a [*a]", "!!python/name:os.system"])
def test_settings_of_the_command_line(text):
    assert "write KEY=VALUE" in in_time(lambda: folders.read_setting("seed", text))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[1]", "5", "x"])
def test_settings_of_the_environment(text):
    assert "write a mapping in JSON" in in_time(lambda: folders.stated({folders.SETTINGS: text}))


@pytest.mark.parametrize("kind", ["fifo", "device", "large"])
def test_a_configuration_is_a_file(root, kind):
    path = root / "config" / "mixtures.yaml"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_text("#" * 10_000_001)
    assert in_time(lambda: catalogue_of(root)).startswith("config/mixtures.yaml ")


@pytest.mark.parametrize("key", ["title", "original", "claim", "finding"])
@pytest.mark.parametrize(
    "text", ["a\nb", "<script>", "</script><script>alert(1)</script>", "a\x1bb", "a\u202eb", "```{include} /x\n```", ""]
)
def test_titles_are_one_line_without_tags(root, key, text):
    figure = STUDY["figures"]["fig1"] | {key: text}
    (root / "config" / "mixtures.yaml").write_text(yaml.safe_dump(STUDY | {"figures": {"fig1": figure}}))
    with pytest.raises(ConfigError) as caught:
        catalogue_of(root)
    assert_sentence(caught.value)


def test_altered_configurations(root, request):
    rng = np.random.default_rng(1)
    path = root / "config" / "mixtures.yaml"
    shutil.copy(ROOT / "config" / "custom_mixture.yaml", path)
    content = path.read_bytes()
    for _ in range(request.config.getoption("altered")):
        path.write_bytes(altered(content, rng))
        in_time(lambda: catalogue_of(root))

"""Strict parsing of parameters."""

import math
from typing import Literal

import numpy as np
import pytest

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import FixedPoints, OnlineSGD
from twolayer.parameters import Count, Fraction, Positive, checked, parse, to_json


@checked
class Inner:
    ratio: Fraction = 0.5


@checked
class Outer:
    rate: Positive
    units: Count = 4
    kind: Literal["erf", "relu"] = "erf"
    flag: bool = False
    limit: float | None = None
    levels: tuple[Positive, ...] = (1.0,)
    inner: Inner = Inner()
    texts: tuple[str, ...] = ("a",)


def test_values_of_every_type():
    parsed = parse(Outer, {"rate": 1, "limit": None, "levels": [1, 2.5], "inner": {"ratio": 0.25}}, "here")
    assert parsed == Outer(1.0, levels=(1.0, 2.5), inner=Inner(0.25))
    assert isinstance(parsed.rate, float)


def test_spacings():
    assert parse(Outer, {"rate": 1, "levels": {"logspace": [0.01, 1, 3]}}, "here").levels == (0.01, 0.1, 1.0)
    assert parse(Outer, {"rate": 1, "levels": {"linspace": [1, 2, 3]}}, "here").levels == (1.0, 1.5, 2.0)


def test_yaml_numbers_without_a_point():
    assert parse(Outer, {"rate": "1e-3"}, "here").rate == 0.001


@pytest.mark.parametrize("units", [3, 3.0, np.float64(3), np.float32(3), np.int8(3), np.array(3.0)])
def test_whole_numbers_of_any_type(units):
    found = parse(Outer, {"rate": 1, "units": units}, "here").units
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": 1, "rat": 2}, "here: unknown key 'rat': allowed are rate, units"),
        ({}, "here: the key 'rate' is missing: required are rate"),
        ({"rate": -1}, "here: rate is -1.0: it must be above 0"),
        ({"rate": float("nan")}, "here: rate is nan: it must be a finite number"),
        ({"rate": "fast"}, "here: rate is 'fast': it must be a finite number"),
        ({"rate": True}, "here: rate is True: it must be a finite number"),
        ({"rate": 1, "units": 0}, "here: units is 0: it must be at least 1"),
        ({"rate": 1, "units": 2.5}, "here: units is 2.5: it must be a whole number"),
        ({"rate": 1, "units": math.inf}, "here: units is inf: it must be a whole number"),
        ({"rate": 1, "units": 1e17}, "here: units is 1e+17: it must be a whole number"),
        ({"rate": 1, "kind": "tanh"}, "here: kind is 'tanh': choose one of erf, relu"),
        ({"rate": 1, "texts": [3]}, "here: texts[0] is 3: it must be a text, write it in quotes"),
        ({"rate": 1, "texts": [None]}, "here: texts[0] is None: it must be a text"),
        ({"rate": 1, "flag": 1}, "here: flag is 1: it must be true or false"),
        ({"rate": 1, "levels": []}, "here: levels is []: give a list with at least one value"),
        ({"rate": 1, "levels": [1, 0]}, "here: levels[1] is 0.0: it must be above 0"),
        ({"rate": 1, "levels": {"logspace": [0, 1, 3]}}, "here: levels: logspace[0] is 0.0: it must be above 0"),
        ({"rate": 1, "levels": {"grid": [0, 1, 3]}}, "here: levels is {'grid': [0, 1, 3]}: give a list, or"),
        ({"rate": 1, "inner": {"ratio": 1}}, "here: inner: ratio is 1.0: it must be above 0 and below 1"),
        ({"rate": 1, "inner": 3}, "here: inner: found 3: give a mapping with the keys ratio"),
    ],
)
def test_what_is_not_allowed(values, message):
    with pytest.raises(ConfigError) as caught:
        parse(Outer, values, "here")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_json_spells_out_defaults_and_reads_back():
    import json

    config = parse(FixedPoints, {"sigma": [0.1, 1], "simulated_sigma": [1], "seed": 0}, "here")
    text = to_json(config)
    assert '"learning_rate": 0.1' in text
    assert parse(FixedPoints, json.loads(text), "here") == config


def test_a_schedule_must_move_forward():
    values = {
        "student": {"activation": "erf", "hidden_units": 2},
        "schedule": {"learning_rate": 0.1, "first_time": 5, "last_time": 1},
        "seeds": 1,
        "seed": 0,
    }
    with pytest.raises(ConfigError, match="schedule: first_time is 5: it must be below last_time, 1"):
        parse(OnlineSGD, values, "here")

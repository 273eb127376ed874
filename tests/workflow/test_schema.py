"""The JSON schema and the tables of keys, which are generated from the classes of parameters."""

import dataclasses
import re

import fastjsonschema
import pytest
import yaml
from small_project import ROOT

from twolayer.experiments import TASKS
from twolayer.pipeline import schema

STUDIES = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "config").glob("*.yaml")}
RUNS = [(study, name, run) for study, content in STUDIES.items() for name, run in content.get("runs", {}).items()]


def validate(task, values):
    definitions = schema.tasks_schema()["definitions"]
    fastjsonschema.validate({"definitions": definitions, "$ref": f"#/definitions/{task}"}, values, use_default=False)


def test_the_schema_is_current():
    current = (ROOT / schema.SCHEMA).read_text() == schema.schema_text()
    assert current, "call `python -m twolayer.pipeline.schema`, which writes it"


@pytest.mark.parametrize(("study", "name", "run"), RUNS, ids=[f"{study} {name}" for study, name, _ in RUNS])
def test_the_runs_of_the_studies_conform(study, name, run):
    for parameters in (run.get("params", {}), run.get("quick", {})):
        validate(run["task"], parameters)


@pytest.mark.parametrize(
    ("task", "values"),
    [
        ("online_sgd", {"seedz": 1}),
        ("online_sgd", {"seeds": 0}),
        ("online_sgd", {"student": {"hidden": 2}}),
        ("circle_descent", {"widths": []}),
        ("circle_descent", {"widths": {"logspace": [1, 2]}}),
        ("circle_descent", {"algorithm": "newton"}),
        ("circle_descent", {"descent": {"step": "slow"}}),
        ("torus_descent", {"gamma": -1}),
    ],
)
def test_wrong_values_do_not_conform(task, values):
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        validate(task, values)


def test_optional_and_spaced_values_conform():
    validate("torus_descent", {"gamma": None, "descent": {"step": 0.1}})
    validate("circle_descent", {"ridge": 1, "widths": {"logspace": [1, 100, 3]}, "descent": {"step": "auto"}})


@pytest.mark.parametrize("name", TASKS)
def test_every_key_has_a_row(name):
    page = schema.page(ROOT / "config" / "schemas")
    section = re.search(rf"(?s)### {name}\n(.*?)(?=\n### |\Z)", page)[1]
    for field in dataclasses.fields(TASKS[name].parameters):
        row = re.search(rf"(?m)^\| {field.name} \|.*\| (.+) \|$", section)
        assert row, field.name
        if field.default is dataclasses.MISSING:
            assert "| required |" in row[0]

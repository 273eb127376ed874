"""Help of the command line: every command and argument is explained, and every task shows its parameters."""

import dataclasses
import re

import pytest

from twolayer.experiments import TASKS
from twolayer.pipeline import cli

HELP = r"(?:  |\n {10}) *\S"  # on the line, or on the next one if the name is long


def printed(capsys, *arguments):
    with pytest.raises(SystemExit, match="0"):
        cli.main(list(arguments))
    return capsys.readouterr().out


@pytest.mark.parametrize("task", TASKS)
def test_the_help_of_a_task_names_its_parameters_and_defaults(task, capsys):
    shown = printed(capsys, "run", task, "--help")
    for field in dataclasses.fields(TASKS[task].parameters):
        default = "required" if field.default is dataclasses.MISSING else f"default {field.default!r}"
        assert any(line.startswith(f"    {field.name}: ") and line.endswith(default) for line in shown.splitlines())


def test_without_a_task_it_is_the_help_of_the_command(capsys):
    assert printed(capsys, "run", "--help").startswith("usage: twolayer run")


def test_the_tasks_are_listed_with_a_sentence_each(capsys):
    assert cli.main(["list", "--tasks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(TASKS)
    assert all(line.endswith(".") for line in lines)


def test_every_command_and_argument_has_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = printed(capsys, "--help")
    commands = re.findall(r"^    ([a-z-]+)\b", shown, re.MULTILINE)
    assert len(commands) > 15
    assert commands == re.findall(rf"^    ([a-z-]+){HELP}", shown, re.MULTILINE)
    for command in commands:
        shown = printed(capsys, command, "--help")
        arguments = re.findall(r"^  (\S.*?)(?:  |$)", shown, re.MULTILINE)
        assert arguments == re.findall(rf"^  (\S.*?){HELP}", shown, re.MULTILINE), command

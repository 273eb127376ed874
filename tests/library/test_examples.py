"""The examples, as they stand."""

import subprocess

import pytest
from small_project import ROOT, Project

FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_there_are_five_of_fewer_than_fifteen_lines():
    assert len(EXAMPLES) == 5
    for path in EXAMPLES:
        _, _, program = path.read_text().partition('"""\n')
        assert len([line for line in program.splitlines() if line]) < 15, path.name


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    environment = Project(ROOT).environment(MPLBACKEND="agg")
    done = subprocess.run(["python", path], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ("SmallSample" in done.stderr) == (path.stem == "custom_features")
    assert (tmp_path / f"{path.stem}.pdf").stat().st_size > 1000

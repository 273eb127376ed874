"""The lowest versions of other packages: stated once for pip, once for the check at import, and installed in a test."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from twolayer import versions

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def bounds(*extras):
    """The bounds in pyproject.toml: of the library, or of some extras."""
    extras = [PROJECT["optional-dependencies"][extra] for extra in extras] or [PROJECT["dependencies"]]
    entries = [entry for extra in extras for entry in extra if not entry.startswith("twolayer")]
    return dict(entry.split(">=") for entry in entries)


def test_every_dependency_has_a_lower_bound():
    assert bounds() | bounds("torch") == versions.LIBRARY
    workflow = bounds("figures", "workflow", "notebooks")
    assert {name: version for name, version in workflow.items() if name != "jupyter"} == versions.WORKFLOW
    assert bounds("docs", "dev")


def test_the_environment_with_the_lowest_versions_has_them():
    lines = [line for line in (ROOT / "tests" / "lowest.txt").read_text().splitlines() if not line.startswith("#")]
    assert dict(line.split("==") for line in lines) == {
        name: version
        for name, version in (versions.LIBRARY | versions.WORKFLOW).items()
        if name != "snakemake-executor-plugin-slurm"
    }


@pytest.mark.parametrize(
    ("installed", "old"),
    [
        ({"scipy": "1.11.4"}, "scipy 1.11.4"),
        ({"scipy": "1.9", "xarray": "2023.12.0"}, "scipy 1.9, xarray 2023.12.0"),
        ({"scipy": "1.15"}, None),
        ({"scipy": "1.15.0rc1", "torch": "2.13.0+cpu", "numpy": "10.0"}, None),
        ({}, None),
    ],
)
def test_versions_that_are_too_old_are_refused(monkeypatch, installed, old):
    def version(name):
        if name not in installed:
            raise versions.importlib.metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(versions.importlib.metadata, "version", version)
    if old is None:
        versions.check_versions(versions.LIBRARY)
        return
    with pytest.raises(ImportError, match=f"does not work with {re.escape(old)}: .*`pip install 'scipy>=1.15.0'"):
        versions.check_versions(versions.LIBRARY)


@pytest.mark.parametrize("program", ["import twolayer", "from twolayer_command import main; sys.exit(main())"])
def test_an_import_refuses_them(tmp_path, program):
    """The command in one sentence."""
    (tmp_path / "xarray-2023.12.0.dist-info").mkdir()
    (tmp_path / "xarray-2023.12.0.dist-info" / "METADATA").write_text("Name: xarray\nVersion: 2023.12.0\n")
    paths = {"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"}
    command = [sys.executable, "-c", f"import sys; {program}", "list"]
    done = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode != 0
    assert "twolayer does not work with xarray 2023.12.0: install newer versions by" in done.stderr
    assert ("Traceback" in done.stderr) is (program == "import twolayer")


@pytest.mark.parametrize("stated", ["abc", "", "-1", "1.5", "\u0663", "99999999999999"])
def test_a_time_of_the_source_that_is_none(stated):
    """The import of numpy would end in a traceback, and a figure as well."""
    with pytest.raises(
        ImportError, match=r"SOURCE_DATE_EPOCH is '.*': set it to a number of seconds since 1970, or unset"
    ):
        versions.check_source_date({"SOURCE_DATE_EPOCH": stated})
    versions.check_source_date({"SOURCE_DATE_EPOCH": "1700000000"})
    versions.check_source_date({})


@pytest.mark.slow
def test_the_time_of_the_source_is_checked_before_numpy_is_imported():
    program = "from twolayer_command import main; main()"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "SOURCE_DATE_EPOCH": "abc"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stderr.startswith("error: the environment variable SOURCE_DATE_EPOCH is 'abc'")


WINDOWS = """
import sys
import numpy, platformdirs, scipy.stats, xarray, numba, pandas, h5netcdf, sklearn.linear_model
sys.platform = "win32"
for name in ("resource", "fcntl", "pwd", "grp"):
    sys.modules[name] = None
import os
del os.geteuid, os.getuid, os.fork
"""


@pytest.mark.slow
def test_the_library_works_on_windows_simulated(tmp_path):
    program = WINDOWS + (
        "import twolayer as tl\n"
        "mixture = tl.Mixture(means=[[1.0, 0], [-1, 0]], labels=[1, -1], weights=[0.5, 0.5], sigma=1)\n"
        "result = tl.mixture_sample(mixture, samples=9)\n"
        "tl.write(result, 'it.nc')\n"
        "print(tl.read('it.nc').identical(tl.read('it.nc')))\n"
    )
    paths = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True
    )
    assert done.stdout == "True\n", done.stderr


def test_the_command_needs_linux_or_macos_simulated(monkeypatch, capsys):
    import twolayer_command

    monkeypatch.setattr(sys, "platform", "win32")
    assert twolayer_command.main() == 2
    assert capsys.readouterr().err == (
        "error: the workflow and its command need Linux or macOS: use the library on Windows\n"
    )

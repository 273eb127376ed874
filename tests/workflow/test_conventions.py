"""Files that other tools and people read are correct."""

import ast
import importlib.metadata
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
import yaml
from small_project import ROOT

from twolayer.pipeline import cli
from twolayer.pipeline.catalogue import Catalogue

PACKAGES = {  # name of a module -> name of its package
    "IPython": "ipython",
    "PIL": "pillow",
    "_pytest": "pytest",
    "markdown_it": "markdown-it-py",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def locked():
    """Package -> version, as the lock files have it."""
    texts = [(ROOT / name).read_text() for name in ("requirements.lock", "requirements-torch.lock")]
    lines = re.findall(r"(?m)^([\w.-]+)==([^\s\\]+)", "".join(texts))
    return {name.lower().replace("_", "-"): version for name, version in lines}


def declared(*extras):
    """Packages in pyproject.toml, of the library and of some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return {entry.split(">=")[0] for entries in lists for entry in entries if not entry.startswith("twolayer")}


def imported(path):
    """Full names of the modules that a Python file or a file of rules imports."""
    if path.suffix == ".smk":
        return set(re.findall(r"(?m)^(?:import|from) ([\w.]+)", path.read_text()))
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}


def packages(*folders):
    """Packages of other projects that the files in some folders import."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    names = {name.split(".")[0] for path in found if path.suffix in (".py", ".smk") for name in imported(path)}
    own = {path.stem for path in [*found, *(ROOT / "src").iterdir()]}
    return {PACKAGES.get(name, name.replace("_", "-")) for name in names - own - set(sys.stdlib_module_names)}


WORKFLOW = ("torch", "figures", "notebooks", "workflow")


@pytest.mark.parametrize(
    ("folders", "extras"),
    [
        (["src", "workflow"], [*WORKFLOW, "parquet"]),
        (["examples"], ["notebooks"]),
        (["docs"], ["docs"]),
        (["tests"], [*WORKFLOW, "docs", "dev"]),
    ],
    ids=lambda names: names[0],
)
def test_every_package_that_is_imported_is_declared(folders, extras):
    assert packages(*folders)
    assert packages(*folders) <= declared(*extras)


def test_the_conda_environment_has_the_versions_of_the_lock():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    versions = dict(entry.split("=") for entry in listed if re.fullmatch(r"[\w.-]+=[\w.]+", entry))
    versions["torch"] = versions.pop("pytorch")  # the name on conda-forge
    assert versions == {name: locked()[name] for name in declared(*WORKFLOW, "docs", "dev")}


def test_packages_of_the_conda_environment_can_be_imported():
    modules = importlib.metadata.packages_distributions()
    for name in declared(*WORKFLOW, "dev"):
        importlib.metadata.distribution(name)  # it is installed
        own = [module for module, packages in modules.items() if name in {_normal(one) for one in packages}]
        assert all(importlib.util.find_spec(module) for module in own), name


def _normal(name):
    return name.lower().replace("_", "-")


def test_the_container_is_built_from_the_lock():
    """It is not built here: what it copies is there, and its Python is one that the package takes."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    steps = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    assert [name for name, _ in steps] == ["FROM", "RUN", "WORKDIR", "COPY", "RUN", "COPY", "RUN", "ENV", "USER", "CMD"]
    base = re.fullmatch(r"python:3\.(\d+)-slim-\w+(?:@sha256:[0-9a-f]{64})?", steps[0][1])
    assert int(base[1]) >= int(re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())[1])
    for name, words in steps:
        if name == "COPY":
            assert all((ROOT / source).exists() for source in words.split()[:-1])
        if name == "RUN":
            subprocess.run(["bash", "-n", "-c", words], check=True)
    assert "--require-hashes --requirement requirements.lock" in text
    assert dict(steps[1:])["USER"] not in ("root", "0")
    recipe = (ROOT / "Makefile").read_text()
    options = shlex.split(re.search(r"pip install .*--no-deps.*", recipe)[0])[-4:]
    assert " ".join(options[1:]) in text  # `make setup` installs the package with these options


def test_github_calls_what_everybody_calls():
    steps = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["everything"]["steps"]
    assert ".ci/run" in steps[-1]["run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_github_may_read_and_nothing_else():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert not [step for step in steps if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", "a@" + 40 * "0"))]
    assert not [job for job in workflow["jobs"].values() if "permissions" in job]


def test_every_package_of_the_lock_has_hashes():
    """But torch, whose builds differ between machines."""
    text = (ROOT / "requirements.lock").read_text().replace("\\\n", "")
    entries = [line for line in text.splitlines() if "==" in line]
    assert len(entries) > 100
    assert not [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)]
    assert not [entry for entry in entries if entry.startswith("torch==")]


def test_the_catalog_of_workflows_finds_what_it_looks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert "## Usage" in (ROOT / "config/README.md").read_text()


def test_the_configuration_that_is_shown_is_one(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "schemas").symlink_to(ROOT / "config" / "schemas")
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    (tmp_path / "config" / "config.yaml").write_text(yaml.safe_dump(settings | {"studies": ["mine"]}))
    shown = re.search(r"(?s)```yaml\n(.*?)```", (ROOT / "config/README.md").read_text())[1]
    (tmp_path / "config" / "mine.yaml").write_text(shown)
    catalogue = Catalogue.load(tmp_path, environment={})
    assert catalogue.run("quick", "mine", "xor_sigma0.2").path in shown.replace("<preset>/<study>", "quick/mine")


def test_the_version_is_told_of_in_the_changes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {project['version']}" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("twolayer chec", "check checksum"),
        ("twolayer check fig3", "fig3 fig30 fig31 fig32 fig33 fig34 fig35 fig36 fig37 fig38 fig39"),
        ("twolayer check fig1 --p", "--preset"),
        ("twolayer check fig1 --preset qu", "quick"),
        ("twolayer run one_step_", "one_step_simulation one_step_theory"),
        ("twolayer list nothing", ""),
    ],
)
def test_a_shell_completes(line, completed, capsys):
    assert cli.main(["completion"]) == 0
    words = line.split(" ")
    asked = f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}; _twolayer; echo ${{COMPREPLY[*]}}"
    script = f"{capsys.readouterr().out}\n{asked}"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(completed.split())


OF_OTHERS = {  # private names of other projects that have no public way
    "_instance": "Snakemake keeps its registry of plugins per process",
    "_CacheLocator": "numba has no public base class for where it caches",
    "_draw_was_started": "Matplotlib warns of an animation that is deleted before it is drawn",
}


def private_names(path):
    """Names with an underscore that a test takes from another module or object, as opposed to `self`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if re.match("_[^_]", alias.name))
        elif isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("monkeypatch.setattr"):
            names = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            yield from (name for name in names if re.match("_[^_]", name))


def test_tests_use_public_names():
    used = {str(path.relative_to(ROOT)): set(private_names(path)) for path in (ROOT / "tests").rglob("*.py")}
    assert set().union(*used.values()) == set(OF_OTHERS)


def test_files_that_makefile_and_configuration_name_exist():
    """A renamed test or module must not leave its old name in a command or a comment."""
    files = [ROOT / "Makefile", ROOT / ".ci" / "run", ROOT / "Dockerfile", *(ROOT / "config").glob("*.yaml")]
    named = {
        path
        for file in files
        for path in re.findall(
            r"\b(?:tests|src|docs|profiles|workflow)/[\w/.-]*\w\.(?:py|md|sh|txt|smk)\b", file.read_text()
        )
    }
    assert named
    assert not [path for path in sorted(named) if not (ROOT / path).exists()]


def test_the_new_names_of_modules_are_names_of_modules():
    """A module that moves later must move in the table of renames as well."""
    table = (ROOT / "docs/renames.md").read_text().partition("## Modules")[2]
    new = re.findall(r"(?m)^\| `[\w.]+` \| `([\w.]+)` \|$", table)
    assert len(new) > 100
    source = ROOT / "src" / "twolayer"
    places = [source / name.replace(".", "/") for name in new]
    assert not [str(place) for place in places if not place.is_dir() and not place.with_suffix(".py").exists()]

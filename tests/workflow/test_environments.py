"""The workflow in other environments. Tests whose names contain "simulated" replace programs that are missing here."""

import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import forked
import pytest
import yaml
from small_project import PROGRAMS, ROOT

from twolayer import compiled
from twolayer.pipeline import cli, home
from twolayer.pipeline.commands import run
from twolayer.pipeline.jobs import launch, worker

NO_HOME = "/dev/null/home"  # cannot be created, by root either


@pytest.fixture
def no_home(monkeypatch, tmp_path):
    """A process without a home, whose temporary files are in a folder of the test."""
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", NO_HOME)
    monkeypatch.setattr(compiled.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_home_that_cannot_be_written(no_home):
    """The library and the command use the folder for temporary files, which nobody else can write."""
    compiled.cache_compiled_code()
    folder = no_home / f"twolayer-{os.geteuid()}"
    assert Path(os.environ["NUMBA_CACHE_DIR"]).parent == folder / "numba"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert cli.main(["completion"]) == 0
    assert os.environ["MPLCONFIGDIR"].startswith(str(folder))


def test_a_temporary_cache_of_someone_else_is_not_used(no_home, monkeypatch):
    """Numba runs what it loads from there."""
    (no_home / f"twolayer-{os.geteuid()}").mkdir(mode=0o777)
    (no_home / f"twolayer-{os.geteuid()}").chmod(0o777)
    compiled.cache_compiled_code()
    other = Path(os.environ["NUMBA_CACHE_DIR"]).parent
    assert not other.parent.stat().st_mode & 0o022
    assert other.stat().st_mode & 0o777 == 0o700


def test_a_user_without_a_name_simulated(no_home, monkeypatch):
    def unknown(user):
        raise KeyError(f"getpwuid(): uid not found: {user}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    compiled.cache_compiled_code()
    assert Path(os.environ["NUMBA_CACHE_DIR"]).is_relative_to(no_home)
    home.replace_home()
    assert os.environ["LOGNAME"] == f"user{os.geteuid()}"
    assert cli.main(["completion"]) == 0


def test_the_users_folder_for_compiled_code_is_kept(monkeypatch, tmp_path):
    """Also by the processes that this one starts, and beside whatever else is in it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TWOLAYER_NUMBA_CACHE_DIR", "")
    (tmp_path / "theirs").mkdir()
    os.utime(tmp_path / "theirs", (0, 0))
    for _ in range(3):
        compiled.cache_compiled_code()
        assert Path(os.environ["NUMBA_CACHE_DIR"]).parent == tmp_path / "twolayer" / "numba"
    command = [sys.executable, "-c", "import twolayer, numba; print(numba.config.CACHE_DIR)"]
    paths = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True)
    assert done.stdout.strip() == os.environ["NUMBA_CACHE_DIR"]
    assert (tmp_path / "theirs").exists()


COMMAND = "import os, sys; sys.path.append({source!r}); import twolayer_command as it; {then}; sys.exit(it.main())"
WRITES = "it._done = lambda: (open('result', 'w'), [os.write(number, b'shown') for number in (1, 2)], 7)[-1]"


def command_where(then, folder, redirection=""):
    """Run the command in a process in which something happens first."""
    program = shlex.join([sys.executable, "-SE", "-c", COMMAND.format(source=str(ROOT / "src"), then=then)])
    return subprocess.run(f"{program} {redirection}", shell=True, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, closed):
    """The first file that a command opens would have the number of a closed stream, and receive what is shown."""
    assert command_where(WRITES, tmp_path, closed).returncode == 7
    assert (tmp_path / "result").read_text() == ""


def test_a_folder_that_was_removed(tmp_path):
    done = command_where("os.mkdir('a'); os.chdir('a'); os.rmdir('../a')", tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: the current folder was removed: go to another folder\n")


@pytest.mark.slow
def test_a_figure_without_a_home(project, tmp_path):
    """A result is computed and a figure is drawn, each by a command that starts by itself."""
    for made in ("results/quick/mixtures/mixture_sample/xor_sample.nc", "figures/quick/fig1.pdf"):
        (project.root / made).unlink()
    environment = {"HOME": NO_HOME, "TMPDIR": str(tmp_path), "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    environment["MPLBACKEND"] = "no backend"  # Matplotlib refuses to be imported
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        environment[name] = ""
    done = project.run(PROGRAMS / "snakemake", "figures/quick/fig1.pdf", **environment)
    assert done.returncode == 0, done.stderr
    assert "Matplotlib created a temporary" not in done.stderr


def test_an_archive_of_the_project_needs_no_symbolic_links():
    """A zip archive has plain files instead of links: Snakemake would not find its profile."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--stage"], capture_output=True, text=True).stdout
    assert not re.search(r"(?m)^120000", listed)
    both = [(ROOT / folder / "default" / "config.yaml").read_text() for folder in ("profiles", "workflow/profiles")]
    assert both[0] == both[1]
    assert yaml.safe_load(both[0])["cores"] == "all"


@pytest.fixture
def closed(project):
    """A made project that the user cannot write: `(project, run)`."""
    (project.root / "results" / ".dry_run_records").unlink()
    for folder in [project.root, *(path for path in project.root.rglob("*") if path.is_dir())]:
        folder.chmod(0o555)
    return project, lambda *command: project.run(*command, **{forked.ORDINARY: "yes"})


@pytest.mark.slow
def test_a_clone_that_cannot_be_written_can_be_dry_run(closed):
    """With the records of its owner, and whether the owner ran Snakemake in it or not."""
    project, run = closed
    done = run("snakemake", "--dry-run", "quick")
    assert done.returncode == 0, done.stderr
    assert "Nothing to be done" in done.stdout + done.stderr
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"]["params"].update(seed=5))
    listed = run("snakemake", "--list-changes", "params", "quick")
    assert listed.stdout.split() == ["results/quick/mixtures/online_sgd/sgd.nc"]
    shutil.rmtree(project.root / ".snakemake")  # root may
    done = run("snakemake", "--dry-run", "figures/quick/fig1.pdf")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_clone_that_cannot_be_written_computes_in_another_folder(closed, tmp_path):
    """The error names a command, which works."""
    project, run = closed
    done = run("snakemake", "--forceall", "quick")
    assert done.returncode == 1
    words = " ".join(done.stderr.split())
    assert f"error: the folder {project.root} cannot be written" in words
    command = re.search("`(.*)`", words)[1].replace("FOLDER", shlex.quote(str(tmp_path / "mine")))
    result = "results/quick/mixtures/mixture_sample/xor_sample.nc"
    done = run(*shlex.split(command), result)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine" / result).exists()


@pytest.mark.parametrize("used", [False, True])
def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence_simulated(tmp_path, monkeypatch, capsys, used):
    """Where Snakemake cannot keep its own files elsewhere, even a dry run would end in a traceback. Root may write
    everywhere."""
    if used:
        (tmp_path / ".snakemake").mkdir()
    closed, access = tmp_path / ".snakemake" if used else tmp_path, os.access
    workflow = SimpleNamespace(basedir=str(ROOT))
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("TWOLAYER_CONFIG", "TWOLAYER_PACKAGE", "TWOLAYER_LARGEST_GB", "PYTHONPATH"):  # `load` sets them
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(launch, "dry_run_once", lambda *_, **__: None)
    monkeypatch.setattr(launch.snakemake_adapter, "keep_records_elsewhere", lambda _: False)
    launch.load(workflow, {}, tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and access(path, mode))
    with pytest.raises(SystemExit) as ended:
        launch.load(workflow, {}, tmp_path)
    words = " ".join(str(ended.value).split())
    assert f"error: the folder {tmp_path} cannot be written, but Snakemake keeps its own files there" in words
    assert f"--snakefile {ROOT}/Snakefile --directory FOLDER" in words


@pytest.mark.slow
@pytest.mark.parametrize("command", [["list"], ["completion"], ["check", "fig1", "--preset", "quick"]])
def test_output_on_a_full_disk(project, command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            ["twolayer", *command],
            cwd=project.root,
            env=project.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the output cannot be written (No space left on device): free some space, or give another path\n"
    )


@pytest.fixture
def recipes(tmp_path):
    """Return a folder with the Makefile, the files that it reads, and programs that replace Python."""
    folder = tmp_path / "a $HOME clone"
    (folder / "workflow" / "scripts").mkdir(parents=True)
    for name in (
        "Makefile",
        "requirements.lock",
        "requirements-torch.lock",
        "pyproject.toml",
        "workflow/scripts/repair_environment.py",
    ):
        shutil.copy(ROOT / name, folder / name)
    return folder


def program(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


OLD = 'case "$1" in -V) echo Python 3.10.13;; -c) exit 1;; *) echo "$@" >> "{log}"; mkdir -p .venv/bin;; esac'
# a Python that only creates an environment without pip, and installs nothing
NEW = 'case "$*" in "-m pip"*) exit 0;; "-m venv"*) exec "{python}" "$@" --without-pip;; *) exec "{python}" "$@";; esac'


@pytest.mark.parametrize("target", ["setup", "try"])
def test_make_says_which_python_it_needs(recipes, tmp_path, target):
    log = tmp_path / "log"
    old = program(tmp_path, "python3.10", OLD.format(log=log))
    done = subprocess.run(["make", target, f"PYTHON={old}"], cwd=recipes, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"error: twolayer needs Python 3.11 or newer, and {old} is Python 3.10.13" in done.stderr
    assert f"make {target} PYTHON=python3.12" in done.stderr
    assert not (recipes / ".venv").exists()


@pytest.mark.slow
def test_make_repairs_an_environment_of_an_old_python(recipes, tmp_path):
    """And one that an interrupted call left; the environment works in a folder with a dollar sign."""
    program(recipes, ".venv/bin/python", "exit 1")
    (recipes / ".venv" / "old").touch()
    new = program(tmp_path, "python3.11", NEW.format(python=sys.executable))
    makefile = recipes / "Makefile"  # its environment has no pip here
    makefile.write_text(makefile.read_text().replace("$(BIN)/python -m pip", "true").replace("import pip; ", ""))
    done = subprocess.run(["make", "setup", f"PYTHON={new}"], cwd=recipes, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (recipes / ".venv" / "old").exists()
    assert (recipes / ".venv" / "bin" / ".installed").exists()
    shell = '. .venv/bin/activate && echo "$VIRTUAL_ENV" && command -v python'
    done = subprocess.run(["sh", "-c", shell], cwd=recipes, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == [f"{recipes}/.venv", f"{recipes}/.venv/bin/python"]


def test_programs_start_in_a_folder_with_a_dollar_sign(tmp_path):
    """As pip writes them where the name of the folder has a space."""
    python = program(tmp_path, "a $HOME clone/bin/python", 'echo "started with $2"')
    script = tmp_path / "a $HOME clone" / "bin" / "tool"
    script.write_text(f"""#!/bin/sh\n'''exec' "{python}" "$0" "$@"\n' '''\nimport sys\n""")
    script.chmod(0o755)
    assert subprocess.run([script, "word"], capture_output=True).returncode != 0
    repair = [sys.executable, ROOT / "workflow" / "scripts" / "repair_environment.py", script.parents[1]]
    for _ in range(2):
        subprocess.run(repair, check=True)
        assert subprocess.run([script, "word"], capture_output=True, text=True).stdout == "started with word\n"
    compile(script.read_text(), "tool", "exec")
    assert shlex.quote(str(python)) in script.read_text()


@pytest.mark.parametrize(
    ("platform", "used", "megabytes"), [("linux", 300 * 1024, 300), ("darwin", 300 * 1024**2, 300)]
)
def test_the_memory_of_a_job_simulated(monkeypatch, platform, used, megabytes):
    """macOS states bytes, Linux kilobytes."""
    monkeypatch.delenv("TWOLAYER_FORKED", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    usage = SimpleNamespace(ru_utime=1.0, ru_stime=0.5, ru_maxrss=used)
    monkeypatch.setattr(run.resource, "getrusage", lambda _: usage)
    assert run.process_costs() == {"cpu_time_s": 1.5, "peak_memory_mb": 300}


def test_jobs_start_by_themselves_on_macos_simulated(monkeypatch):
    """A fork after the system's libraries were loaded would be ended."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a worker was started"))
    monkeypatch.delenv("TWOLAYER_WORKER", raising=False)
    worker.start()
    assert "TWOLAYER_WORKER" not in os.environ


WITHOUT = """import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(name=name.partition(".")[0])


sys.meta_path.insert(0, Absent())
"""


def test_a_worker_loads_without_black():
    """It comes with the extra `dev` alone; papermill formats parameters by it where it is there."""
    program = WITHOUT.format(missing=("black", "torch"))
    program += "from twolayer.pipeline.jobs import worker; worker.load(); "
    program += "print('twolayer.pipeline.report.notebooks' in sys.modules)"
    paths = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | paths, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_python_without_docstrings(tmp_path):
    """Docstrings of functions come from docstrings of parameters."""
    program = "import twolayer as tl; print(tl.isotropic_inputs(dimension=10).input_dimension.item())"
    command, paths = [sys.executable, "-OO", "-c", program], {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=os.environ | paths, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("10\n", "")


@pytest.mark.slow
def test_unusual_settings_of_a_shell(fresh_project, tmp_path):
    """No active environment, no assertions, ASCII, few open files, private files, one core, a folder with spaces.

    Snakemake is called by its path, and the jobs find the command of the same environment.
    """
    project = fresh_project.copy(tmp_path / "a folder with spaces")
    result = "results/quick/mixtures/mixture_sample/xor_sample.nc"
    command = f"umask 077; ulimit -n 256; ulimit -c 0; exec {PROGRAMS}/snakemake --cores 1 {result}"
    environment = {"PYTHONOPTIMIZE": "2", "LC_ALL": "C", "LANG": "C", "PATH": os.defpath}
    done = project.run("bash", "-c", command, **environment)
    assert done.returncode == 0, done.stderr
    assert (project.root / result).stat().st_mode & 0o777 == 0o600

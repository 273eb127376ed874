"""A copy of the project in which one file is wrong."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from platformdirs import user_cache_path
from small_project import ROOT, forked_programs
from wrong import PACKAGE, Wrong

from twolayer.compiled import package_fingerprint
from twolayer.dependencies import module_files
from twolayer.figures.outcomes import FAIL, CheckResult
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks import check_results


@dataclass(frozen=True)
class Scratch:
    """The copy. Its place is the same for all wrong versions that a process tries, so that what is compiled for one
    serves the others."""

    root: Path

    @classmethod
    def of_project(cls) -> "Scratch":
        """A copy of the sources, of the tests and of the configuration."""
        root = user_cache_path("twolayer") / f"sensitivity{os.environ.get('PYTEST_XDIST_WORKER', '')}"
        shutil.rmtree(root / "cache", ignore_errors=True)
        shutil.rmtree(root / "right", ignore_errors=True)
        for folder in ("src", "config", "tests"):
            shutil.rmtree(root / folder, ignore_errors=True)
            shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for name in ("workflow", "pyproject.toml", "Snakefile", "README.md", "docs", "examples"):
            (root / name).unlink(missing_ok=True)
            (root / name).symlink_to(ROOT / name)
        scratch = cls(root)
        if Path(os.environ["NUMBA_CACHE_DIR"]).exists():  # what was compiled for the project itself
            shutil.copytree(os.environ["NUMBA_CACHE_DIR"], scratch.kept)
        return scratch

    def write(self, wrong: Wrong) -> None:
        """Put a wrong version in the place of one source file.

        Raises:
            ValueError: The entry does not describe one change of one function.
        """
        text, path = wrong.module(), self.root / "src" / "twolayer" / wrong.file
        path.write_text(text)
        # by its time in seconds and its size Python could take the file for the wrong version before
        Path(cache_from_source(path)).unlink(missing_ok=True)
        _copy_compiled(self.kept, self._compiled, wrong.file)

    def restore(self, wrong: Wrong) -> None:
        """Restore the file, and keep the code that was compiled for it as far as it serves the next wrong version."""
        _copy_compiled(self._compiled, self.kept, wrong.file)
        shutil.rmtree(self._compiled, ignore_errors=True)
        shutil.copy2(PACKAGE / wrong.file, self.root / "src" / "twolayer" / wrong.file)

    def run(self, *command: str, project: Path | None = None) -> subprocess.CompletedProcess:
        """Run a command in the copy, with its sources or with the sources of another project."""
        paths = {"PYTHONPATH": str((project or self.root) / "src"), "XDG_CACHE_HOME": str(self.root / "cache")}
        environment = os.environ | forked_programs() | paths
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)

    def passes(self, test: str) -> bool:
        """Whether a test passes on the copy.

        Raises:
            RuntimeError: it could not be run.
        """
        done = self.run("pytest", "-x", "-p", "no:cacheprovider", test)
        red = done.returncode == 1 and (f"FAILED {test}" in done.stdout or f"ERROR {test}" in done.stdout)
        if done.returncode and not red:
            raise RuntimeError(f"{test} could not be run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return not red

    def failures(self, figure: str, runs: tuple[str, ...]) -> list[CheckResult]:
        """The checks of a figure that fail at the quick preset, after some of its runs are repeated on the copy.

        Raises:
            RuntimeError: a run could not be made.
        """
        catalogue = Catalogue.load(ROOT, environment={})
        self._link_results(catalogue, figure)
        for name in runs:
            run = catalogue.run("quick", catalogue.figure(figure).study, name)
            (self.root / run.path).unlink(missing_ok=True)
            self._make(catalogue, run, self.root)
        here = Catalogue.load(self.root, environment={})
        judged = check_results.judge(here.figure(figure), check_results.open_evidence(here, figure, "quick"))
        return [outcome for outcome in judged if outcome.status == FAIL]

    def _make(self, catalogue, run, project):
        """Compute a run with the sources of a project."""
        sources = {role: catalogue.run("quick", run.study, source).path for role, source in run.inputs.items()}
        if run.images:
            sources["images"] = str(catalogue.image_folder(run))
        inputs = [word for role, path in sources.items() for word in ("--input", f"{role}={path}")]
        command = ("twolayer", "run", run.task, "--params", run.params, *inputs, "--output", run.path)
        done = self.run(*command, "--threads", "1", project=project)
        if done.returncode:
            raise RuntimeError(f"{run.name} could not be made:\n{done.stderr[-2000:]}")

    def _link_results(self, catalogue, figure):
        """Link the quick results of a figure. Missing results are computed, once for all wrong versions."""
        shutil.rmtree(self.root / "results", ignore_errors=True)
        for run in catalogue.figure_runs(figure, "quick"):
            self._link(catalogue, run)

    def _link(self, catalogue, run):
        result, right = self.root / run.path, self.root / "right" / run.path
        if result.exists():
            return
        for source in run.inputs.values():
            self._link(catalogue, catalogue.run("quick", run.study, source))
        result.parent.mkdir(parents=True, exist_ok=True)
        if not (ROOT / run.path).exists() and not right.exists():
            self._make(catalogue, run, ROOT)
            right.parent.mkdir(parents=True, exist_ok=True)
            result.rename(right)
        result.symlink_to(right if right.exists() else ROOT / run.path)

    @property
    def kept(self):
        """Where compiled code is kept from one wrong version to the next."""
        return self.root / "cache" / "kept"

    @property
    def _compiled(self):
        """Where the copy, as it is now, looks for compiled code."""
        name = package_fingerprint(self.root / "src" / "twolayer")
        return self.root / "cache" / "twolayer" / "numba" / name


def _copy_compiled(source: Path, target: Path, file: str) -> None:
    """Copy compiled code, except for modules that use a changed file."""
    changed = PACKAGE / file
    for path in source.glob("*/*.nb[ic]"):  # FOLDER_HASH/MODULE.FUNCTION-...
        folder, module = path.parent.name.rpartition("_")[0], path.name.partition(".")[0]
        candidates = PACKAGE.rglob(f"{folder}/{module}.py")
        if all(changed not in module_files(_dotted(candidate)) for candidate in candidates):
            (target / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / path.parent.name)


def _dotted(path: Path) -> str:
    """The dotted name of a module of the package."""
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)

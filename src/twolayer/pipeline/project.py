"""The folders of a project: the working folder of the jobs, and the clone with the package.

They are the same folder, unless Snakemake is called with `--directory` or imports the workflow by `module:`. The
working folder then contains the results and the figures, and may contain another configuration.
"""

import os
import shutil
import sys
from pathlib import Path

from twolayer.dependencies import PACKAGE
from twolayer.errors import ConfigError

PRESETS = ("paper", "quick")
_PROGRAM = "TWOLAYER_PACKAGE"  # environment variable of jobs: the package of the Snakemake that starts them
CLONE = PACKAGE.parents[1]  # a folder without the workflow, if the package was installed from a wheel


def has_configuration(folder: Path) -> bool:
    """Return whether a folder has a configuration of this workflow. Other workflows have no `config/schemas`."""
    return (folder / "config" / "config.yaml").exists() and (folder / "config" / "schemas").is_dir()


def configuration_folder(root: Path) -> Path:
    """Return the folder whose `config` applies to a working folder: this folder itself, or the clone."""
    return CLONE if has_configuration(CLONE) and not (root / "config" / "schemas").is_dir() else root


def project_file(root: Path, path: str) -> str:
    """Return the path of a file or folder of the workflow.

    Args:
        root: the working folder. path: relative to the folder of the project.

    Returns:
        The relative path if `root` has this file, else an absolute path in the clone if the clone has it.
    """
    return str(CLONE / path) if (CLONE / path).exists() and not (root / path).exists() else path


def snakemake_command(root: Path) -> list[str]:
    """Return the command that starts Snakemake in a working folder, which may have no Snakefile."""
    has_workflow = any((root / path).exists() for path in ("Snakefile", "workflow/Snakefile"))
    return ["snakemake", *([] if has_workflow else ["--snakefile", str(CLONE / "Snakefile"), "--cores", "1"])]


def find_scripts(root: Path) -> None:
    """Let this process and its jobs import the modules of the clone's `workflow` folder from another working folder."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if (CLONE / "Snakefile").exists() and root != CLONE and str(CLONE) not in paths:
        sys.path.append(str(CLONE))
        os.environ["PYTHONPATH"] = os.pathsep.join([*paths, str(CLONE)])


def name_program() -> None:
    """Set the environment variable with this package for the jobs of this process, and let them find its command.

    Snakemake may be called by its path, without an active environment.
    """
    os.environ[_PROGRAM] = str(PACKAGE)
    if shutil.which("twolayer") is None:
        os.environ["PATH"] = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), os.environ.get("PATH")]))


def check_program() -> None:
    """Check that a job uses the package of the Snakemake that started it.

    Raises:
        ConfigError: the command `twolayer` belongs to another environment.
    """
    wanted = Path(os.environ.get(_PROGRAM) or PACKAGE)
    if wanted.exists() and not wanted.samefile(PACKAGE):
        raise ConfigError(
            f"Snakemake uses the package {wanted}, but its jobs find a command that uses {PACKAGE}: activate the "
            "environment of this Snakemake"
        )


def check_package(folder: Path) -> None:
    """Check that the imported package is the package of the project that contains a folder.

    Raises:
        ConfigError: the project has a package, and Python imports another one.
    """
    folder = Path(folder).absolute()
    for project in (folder, *folder.parents):
        package = project / "src" / "twolayer"
        if package.is_dir() and (project / "Snakefile").is_file():
            if not package.samefile(PACKAGE):
                raise ConfigError(
                    f"the project {project} has a package, but Python imports the package {PACKAGE}: activate "
                    f"the environment of the project (`make setup` creates it in {project / '.venv'}), or set "
                    f"PYTHONPATH={project / 'src'}"
                )
            return

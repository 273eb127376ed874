"""The version of this package, and the lowest versions of other packages with which it is tested."""

import importlib.metadata
import re
from collections.abc import Mapping

__version__ = "0.1.0"

LIBRARY = {
    "h5netcdf": "1.4.0",
    "h5py": "3.12.1",
    "numba": "0.61.0",
    "numpy": "2.1.0",
    "pandas": "2.2.3",
    "platformdirs": "4.3.6",
    "safetensors": "0.5.0",
    "scikit-learn": "1.5.2",
    "scipy": "1.15.0",
    "torch": "2.13.0",
    "tqdm": "4.66.6",
    "xarray": "2025.9.0",
}
WORKFLOW = {
    "fastjsonschema": "2.20.0",
    "ipython": "8.28.0",
    "jinja2": "3.1.4",
    "jupytext": "1.16.4",
    "latex2mathml": "3.81.1",
    "markdown-it-py": "4.3.0",
    "matplotlib": "3.9.2",
    "mdit-py-plugins": "0.7.0",
    "nbformat": "5.10.4",
    "papermill": "2.6.0",
    "pillow": "11.0.0",
    "pooch": "1.8.2",
    "psutil": "6.1.0",
    "pyyaml": "6.0.2",
    "snakemake": "9.21.0",
    "snakemake-executor-plugin-slurm": "2.8.0",
    "snakemake-interface-logger-plugins": "2.0.0",
    "threadpoolctl": "3.5.0",
}


def check_versions(lowest: Mapping[str, str]) -> None:
    """Check that no installed package is older than its lowest version. A package may be missing.

    Raises:
        ImportError: some packages are older.
    """
    installed = {name: version for name in lowest if (version := _installed(name)) is not None}
    old = [name for name, version in installed.items() if _numbers(version) < _numbers(lowest[name])]
    if old:
        found = ", ".join(f"{name} {installed[name]}" for name in old)
        needed = " ".join(f"'{name}>={lowest[name]}'" for name in old)
        raise ImportError(f"twolayer does not work with {found}: install newer versions by `pip install {needed}`")


def check_source_date(environment: Mapping[str, str]) -> None:
    """Check the time that numpy reads when it is imported, and matplotlib when it writes a figure.

    Raises:
        ImportError: it is not a number of seconds up to the year 9999.
    """
    stated = environment.get("SOURCE_DATE_EPOCH", "0")
    if not (stated.isascii() and stated.isdigit()) or len(stated) > 11:
        raise ImportError(
            f"the environment variable SOURCE_DATE_EPOCH is {stated[:50]!r}: set it to a number of seconds since 1970, "
            "or unset it"
        )


def _installed(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version):
    """Return the numbers with which a version begins: 2.13.0+cpu is (2, 13)."""
    numbers = [int(number) for number in re.match(r"\d+(\.\d+)*", version)[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)

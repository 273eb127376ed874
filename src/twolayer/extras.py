"""The packages that a plain installation of this package lacks."""

from collections.abc import Iterator
from contextlib import contextmanager

from twolayer.errors import ConfigError

_EXTRAS = {  # package -> the extra that installs it
    "torch": "torch",
    **dict.fromkeys(
        (
            "IPython",
            "PIL",
            "fastjsonschema",
            "jinja2",
            "jupytext",
            "matplotlib",
            "nbformat",
            "papermill",
            "pooch",
            "psutil",
            "snakemake",
            "yaml",
        ),
        "figures",
    ),
}


@contextmanager
def needing_extras(what: str) -> Iterator[None]:
    """Name the extra that installs a missing package.

    Raises:
        ConfigError: a package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        extra = _EXTRAS[error.name]
        raise ConfigError(f"{what} needs {error.name}: install it by `pip install 'twolayer[{extra}]'`") from None

"""The settings of a project, from `config/config.yaml`, the environment and the command line."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from twolayer.errors import ConfigError, known, shown
from twolayer.pipeline.configuration import check_plain, read_yaml, validate
from twolayer.pipeline.folders import stated
from twolayer.pipeline.project import configuration_folder
from twolayer.storage.files import DEFAULT_GB, LARGEST

SETTINGS_FILE = "config/config.yaml"
GENERATORS = "TWOLAYER_GENERATORS"  # environment variable that overrides the setting


def read_settings(
    root: Path, overrides: Mapping = MappingProxyType({}), environment: Mapping = os.environ
) -> dict[str, Any]:
    """Read and check the settings of a project.

    Args:
        root: folder of the results, and of the configuration unless the configuration of the clone applies.
        overrides: values that override the others.

    Raises:
        ConfigError: a value is not allowed.
    """
    configured = configuration_folder(root)
    settings = read_yaml(configured, SETTINGS_FILE)
    named = {"generators": environment[GENERATORS]} if environment.get(GENERATORS) else {}
    more = {**named, **stated(environment), **overrides}
    check_plain(more, "--config")  # Snakemake reads nan as a number
    settings = {**settings, **more} if isinstance(settings, Mapping) else settings
    validate(settings, configured, "config", f"{SETTINGS_FILE} or {GENERATORS}" if named else SETTINGS_FILE)
    _check_overrides(settings)
    return settings


def _check_overrides(settings):
    """Check that overrides of parameters have a variant, and that their studies exist."""
    changes = settings.get("overrides") or {}
    if changes and settings.get("variant") is None:
        raise ConfigError(f"{SETTINGS_FILE}: overrides need a variant: give one, as in `--config variant=NAME`")
    if unknown := sorted(set(changes) - set(settings["studies"])):
        raise ConfigError(
            f"{SETTINGS_FILE}: overrides: unknown study {shown(unknown[0])}: choose one of "
            f"{known(settings['studies'], unknown[0])}"
        )


def largest_gb_of(settings: Mapping[str, Any]) -> float:
    """Return the limit of files that are read, in gigabytes."""
    return settings.get("largest_gb", DEFAULT_GB)


def allow_large_files(largest_gb: float) -> None:
    """Set the limit for files that this process and its children read. A limit in the environment has priority."""
    os.environ.setdefault(LARGEST, f"{largest_gb:g}")

"""The folders of results and figures, for the two presets or a variant."""

import json
import math
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twolayer.errors import ConfigError, shown

SETTINGS = "TWOLAYER_CONFIG"  # environment variable with settings of the command line in JSON, for the commands of jobs
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_TAKEN = re.compile(r"(paper|quick)(-seed\d+)?|data|gallery")  # reserved folders in results/ and figures/


@dataclass(frozen=True)
class Folders:
    """The folders of a variant, relative to the project.

    Attributes:
        variant: name of the variant, or None for the results of the unchanged `config/`.
        seed_shift: number that is added to the seeds.

    Raises:
        ConfigError: the name is not allowed.
    """

    variant: str | None = None
    seed_shift: int = 0

    def __post_init__(self):
        if self.variant is not None and (not _NAME.fullmatch(self.variant) or _TAKEN.fullmatch(self.variant)):
            raise ConfigError(
                f"variant in config/config.yaml or --config is {shown(self.variant)}: start with a letter, use "
                "letters, digits, _ and - (at most 40), and none of paper, quick, data, gallery"
            )

    def results(self, preset: str) -> str:
        """Return the folder of results: results/quick, results/quick-seed3 or results/NAME/quick."""
        return "/".join(filter(None, ("results", self.variant, self._shifted(preset))))

    def figures(self, preset: str) -> str:
        """Return the folder of figures: figures, figures/quick, figures/quick-seed3, figures/NAME or
        figures/NAME/quick.
        """
        last = "" if preset == "paper" and not self.seed_shift else self._shifted(preset)
        return "/".join(filter(None, ("figures", self.variant, last)))

    def archive(self, preset: str) -> str:
        """Return the archive file of a preset."""
        return "/".join(filter(None, ("results", self.variant, f"twolayer-{self._shifted(preset)}.tar")))

    def _shifted(self, preset):
        return f"{preset}-seed{self.seed_shift}" if self.seed_shift else preset


def read_setting(key: str, text: str) -> Any:
    """Return the value of a setting in the form KEY=VALUE, with the value in YAML.

    Raises:
        ConfigError: the setting has another form.
    """
    from twolayer.pipeline.configuration import parsed  # it loads YAML, which commands without settings do not need

    try:
        value = parsed(text, "--config")
    except ConfigError:
        value = None
    if not key or (value is None and text != "null"):
        raise ConfigError(f"--config {shown(f'{key}={text}')}: write KEY=VALUE, with the value in YAML")
    return value


def config_option(environment: Mapping[str, str] = os.environ, **changes: Any) -> str:
    """Return the option ` --config KEY=VALUE ...` for a printed command, with the settings from the environment.

    Args:
        changes: settings that differ in the printed command.

    Returns: the option with a space before it, or nothing without settings.
    """
    entries = [shlex.quote(f"{key}={_in_yaml(value)}") for key, value in {**stated(environment), **changes}.items()]
    return " ".join(["", "--config", *entries]) if entries else ""


def _in_yaml(value):
    """Return a value as a line of YAML, in which numbers and texts differ."""
    import yaml  # commands without settings do not need it

    return (
        yaml.safe_dump(value, default_flow_style=True, width=math.inf, allow_unicode=True).removesuffix("...\n").strip()
    )


def stated(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings from the environment.

    Raises:
        ConfigError: they are not a mapping in JSON.
    """
    try:
        settings = json.loads(environment.get(SETTINGS) or "{}")
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise ConfigError(f"{SETTINGS} is {shown(environment[SETTINGS])}: write a mapping in JSON, or clear it")
    return settings

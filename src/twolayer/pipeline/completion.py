"""Completion of `twolayer` in bash, and in zsh by its `bashcompinit`."""

import argparse

from twolayer.experiments import TASKS

# Of the project that the shell is in. Only names of letters, digits, _ and -: the shell obeys others.
_SED = "s/^\\([A-Za-z0-9_][A-Za-z0-9_-]*\\)[.]py$/\\1/p"
# With CDPATH, `cd` would print the name of the folder.
_FIGURES = f"$(cd ./workflow/notebooks >/dev/null 2>&1 && ls | LC_ALL=C sed -n '{_SED}')"
_NAMES = {"TASK": " ".join(TASKS), "FIGURE": _FIGURES, "ANIMATION": _FIGURES}

_SCRIPT = """_twolayer() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=
    if ((COMP_CWORD == 1)); then words="{commands}"; fi
    if ((COMP_CWORD > 1)); then case ${{COMP_WORDS[1]}} in
{cases}
    esac; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _twolayer twolayer
"""


def script(commands: dict[str, argparse.ArgumentParser]) -> str:
    """Return the text that a shell evaluates to complete commands, options, tasks, figures and presets.

    If none fits, the shell completes files.

    Args:
        commands: name of each -> its parser.
    """
    cases = [f'        {name}) words="{" ".join(_words(parser))}" ;;' for name, parser in commands.items()]
    return _SCRIPT.format(commands=" ".join(commands), cases="\n".join(cases))


def _words(parser):
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        yield from action.choices or ()
        if action.metavar in _NAMES:
            yield _NAMES[action.metavar]

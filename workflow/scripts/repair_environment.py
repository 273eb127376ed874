"""Let the programs of an environment start in a folder whose name has a dollar sign.

Older versions of Python and pip write the name between double quotes into shell scripts, where the shell replaces
`$name` by a variable. `make setup` calls this script.
"""

import re
import shlex
import sys
from pathlib import Path

_ACTIVATED = re.compile(r'(?m)^(\s*VIRTUAL_ENV=)"(.*\$.*)"$')
_STARTED = re.compile(r"""(?m)\A(#!/bin/sh\n'''exec' )"([^"']*\$[^"']*)" """)  # how pip starts Python in such folders


def main(folder: Path) -> None:
    """Quote the name of the folder in all scripts of its environment."""
    for script in (folder / "bin").iterdir():
        if script.is_file() and not script.is_symlink():
            repair(script)


def repair(script: Path) -> None:
    """Quote the name of the folder in a script, if the script is a text and contains the name."""
    try:
        text = script.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    quoted = _ACTIVATED.sub(lambda found: found[1] + shlex.quote(found[2]), text)
    quoted = _STARTED.sub(r"\1'\2' ", quoted)
    if quoted != text:
        script.write_text(quoted, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""A replacement for a user's home, if there is no home or it cannot be written."""

import getpass
import os
from pathlib import Path

from twolayer.compiled import cache_folder, can_be_written


def replace_home() -> None:
    """Define a user, and folders for Matplotlib and IPython, for this process and its jobs, unless they are defined.

    Containers run with the number of a user that has no name, and whose home is a folder of root. Figures are drawn
    into files, whatever backend the user has for windows.
    """
    os.environ["MPLBACKEND"] = "agg"
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["LOGNAME"] = f"user{os.geteuid()}"
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute() or not can_be_written(home):
        os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
        os.environ.setdefault("IPYTHONDIR", str(cache_folder() / "ipython"))

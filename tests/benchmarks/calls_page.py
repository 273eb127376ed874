"""The page of ordinary calls and first calls, in Markdown: `python calls_page.py > PAGE`."""

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

PAGE = """# Ordinary calls and first calls

`make benchmark-calls` writes this page. The times are CPU seconds of one thread, Python {python}, {date}, on a machine
with {cores} cores.

## Ordinary calls

`tests/benchmarks/ordinary_calls.py` draws {calls} random calls of each function: mixtures of 2 to 5 clusters, 1 to 8
hidden units, learning rates from 0.01 to 2, times up to 1000, ridges from 1e-8 to 10. A call answers if it returns
finite numbers. Each call runs twice, and the second is counted: the times do not contain imports and compilation.

{ordinary}
## First calls

`tests/benchmarks/first_calls.py` calls each function twice, with small arguments. The columns are the time by which the
first call exceeds the second: without compiled code, and with the compiled code of an earlier process. Functions that
need files are missing.

{first}"""
FOLDER, CALLS = Path(__file__).parent, 20


def table(program, *options):
    """The table that a program prints; its other output goes to the console."""
    command = [sys.executable, FOLDER / program, "--markdown", *options]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def main():
    """Measure, and print the page."""
    print(
        PAGE.format(
            python=platform.python_version(),
            date=datetime.date.today().isoformat(),
            cores=os.cpu_count(),
            calls=CALLS,
            ordinary=table("ordinary_calls.py", "--calls", str(CALLS)),
            first=table("first_calls.py"),
        ),
        end="",
    )


if __name__ == "__main__":
    main()

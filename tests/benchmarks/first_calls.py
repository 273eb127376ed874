"""CPU time by which the first call of each public function exceeds the second: `python first_calls.py [NAME ...]`.

Each function is called twice in a process without compiled code, and twice in a process that finds the compiled code of
the first. The arguments are small ones of the tests. Libraries are imported before, and numba has started.
`calls_page.py` writes the output of `--markdown` to docs/reference/calls.md. A function whose arguments need files that
are not there is reported with its error.
"""

import argparse
import contextlib
import importlib
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
LIBRARIES = [
    *("numba", "numba.np.ufunc", "numpy", "torch", "torch.nn.functional", "safetensors.torch", "xarray", "h5py"),
    *("scipy.integrate", "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.sparse.linalg", "scipy.special"),
    *("scipy.stats", "scipy.stats.qmc", "sklearn.datasets", "hypothesis", "tqdm", "PIL.Image", "platformdirs"),
]
ATTEMPTS = 60  # draws of arguments until a function answers


def import_libraries():
    """Import what the package uses, as far as it is installed, and let numba import what it needs to compile."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    importlib.import_module("numba").njit(lambda x: x)(1.0)


def call(name, draw):
    """Call a function and return the CPU seconds. Draw 0 takes the first of all choices, the others are random."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import fuzzing

    import twolayer as tl

    choose = random.Random(draw).choice if draw else lambda options: options[0]
    arguments = fuzzing.Drawn(lambda options: choose(list(options))).arguments(name)
    arguments.pop("compiled", None)  # by default, torch compiles no network: that takes a minute
    if name == "bayes_error":  # the first choice is a mixture with a closed form
        arguments["mixture"] = tl.Mixture(means=[[1, 0], [0, 1.2], [-1, -0.5]], labels=[1, -1, 1], sigma=0.7)
    start = time.process_time()
    getattr(tl, name)(**arguments)
    return time.process_time() - start


def find_draw(name):
    """The first draw of arguments that a function answers, or the error of draw 0."""
    errors = []
    for draw in range(ATTEMPTS):
        try:
            call(name, draw)
        except Exception as error:  # whatever it is, other arguments follow
            errors.append(f"{type(error).__name__}: {error}")
        else:
            return draw
    return errors[0]


def two_calls(name, draw):
    """CPU seconds of a first and a second call."""
    return [call(name, draw) for _ in range(2)]


def in_a_process(function, folder, *arguments):
    """The result of a function in a new process that keeps its compiled code in that folder."""
    context = get_context("fork")
    answers = context.SimpleQueue()

    def send():
        os.environ["NUMBA_CACHE_DIR"] = folder
        warnings.simplefilter("ignore")
        with Path(os.devnull).open("w") as silent, contextlib.redirect_stderr(silent):
            answers.put(function(*arguments))

    process = context.Process(target=send)
    process.start()
    process.join()
    return answers.get() if not answers.empty() else "the process stopped"


def row(name):
    """Seconds beyond the second call without and with compiled code, and seconds of the second call; or the error."""
    with tempfile.TemporaryDirectory() as folder:
        draw = in_a_process(find_draw, folder, name)
    if isinstance(draw, str):
        return draw
    with tempfile.TemporaryDirectory() as folder:
        empty, warm = (in_a_process(two_calls, folder, name, draw) for _ in range(2))
    if "the process stopped" in (empty, warm):
        return "the process stopped"
    return max(empty[0] - empty[1], 0), max(warm[0] - warm[1], 0), warm[1]


def public_functions():
    """Names of all functions. Another process lists them, so that this one imports nothing of the package."""
    code = "from twolayer.experiments import TASKS; print(*sorted(TASKS))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def main():
    """Print a line for each function."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    import_libraries()
    if options.markdown:
        print("| function | nothing compiled | compiled before | second call |\n|---|---|---|---|")
    for name in options.names or public_functions():
        found = row(name)
        if isinstance(found, str):
            print(f"{name}: {found}", file=sys.stderr, flush=True)
        elif options.markdown:
            print(f"| `{name}` | " + " | ".join(f"{seconds:.2f} s" for seconds in found) + " |", flush=True)
        else:
            empty, warm, second = found
            print(
                f"{name}: first call +{empty:.2f} s, compiled before +{warm:.2f} s, second {second:.2f} s", flush=True
            )


if __name__ == "__main__":
    main()

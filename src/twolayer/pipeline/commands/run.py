"""The command `twolayer run`.

What the command needs is imported inside it: the thread count must be set before NumPy starts.
"""

import argparse
import json
import logging
import os
import resource
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from twolayer.errors import ConfigError, known, shown
from twolayer.parameters import parse
from twolayer.pipeline.commands.arguments import argument, command, count, output
from twolayer.pipeline.report.console import say
from twolayer_command import FORKED

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

log = logging.getLogger("twolayer")


class _TaskHelp(argparse.Action):
    """The option `--help` of `twolayer run`: with a task, it prints the help of the task."""

    def __init__(self, option_strings, dest, **settings):
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser, namespace, values, option_string=None):
        if not (name := getattr(namespace, "task", None)):
            parser.print_help()
            parser.exit()
        from twolayer.experiments import TASKS
        from twolayer.pipeline.task_help import task_lines

        if name in TASKS:
            say("\n".join(task_lines(TASKS[name])))
        else:
            parser.print_help()
        parser.exit()


@command(
    "run",
    "compute one task and write its result",
    argument("task", metavar="TASK", help="name of a task, as printed by `twolayer list --tasks`"),
    argument("-h", "--help", action=_TaskHelp, help="print this help, or the help of TASK"),
    argument("--params", default="{}", help="parameters in JSON"),
    argument("--input", action="append", default=[], metavar="NAME=PATH", help="a result, or a folder of images"),
    output("results file to write (NetCDF)", required=True),
    argument("--threads", type=count, default=os.cpu_count(), help="threads to use (all cores)"),
    add_help=False,
)
def _run(options):
    from twolayer.experiments import TASKS

    if options.task not in TASKS:
        raise ConfigError(f"unknown task {shown(options.task)}: choose one of {known(TASKS, options.task)}")
    _use_threads(options.threads)
    task = TASKS[options.task]
    config = parse(task.parameters, _json(options.params), "--params")

    from twolayer import io
    from twolayer.experiments.digests import digests_of, origin_of
    from twolayer.storage.checkpoint import Checkpoint

    io.prepare_result(options.output, options.task, options.params)
    inputs = _inputs(options.input, task, config, io)
    digests = digests_of(task, config, inputs)
    kept = {"checkpoint": Checkpoint(options.output, origin_of(task, config, digests))} if task.resumes else {}
    log.info("%s starts: %s", options.task, options.params)
    start = time.perf_counter()
    dataset = task.run(config, **inputs, **kept)
    wall_time = time.perf_counter() - start
    dataset = io.made_by(dataset, options.task, options.params, wall_time, digests).assign_attrs(process_costs())
    io.write(dataset, options.output)
    for checkpoint in kept.values():
        checkpoint.remove()
    log.info("%s ends after %.1f s: %s", options.task, wall_time, options.output)
    return 0


def process_costs():
    """Return the cost of this process: CPU time, and peak memory if it did only this task."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1024**2 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    memory = {} if FORKED in os.environ else {"peak_memory_mb": round(used.ru_maxrss / unit)}
    return {"cpu_time_s": round(used.ru_utime + used.ru_stime, 3), **memory}


def _use_threads(count):
    """Set the number of threads of the libraries, by the environment before they are loaded, else by functions."""
    for variable in _THREAD_VARIABLES:
        os.environ[variable] = str(count)
    if "numpy" in sys.modules:
        import threadpoolctl

        threadpoolctl.threadpool_limits(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)


def _json(text):
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("; use sys.")[0]  # Python's remedy for numbers of many digits
        raise ConfigError(f"--params is not valid JSON: {reason[:200]}") from None


def _unique(pairs):
    """Return the pairs of a JSON object as a dictionary. json.loads keeps the last of two equal keys."""
    if twice := [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]:
        raise ValueError(f"the key {shown(twice[0])} is given twice")
    return dict(pairs)


def _inputs(arguments, task, config, io):
    given = dict(argument.partition("=")[::2] for argument in arguments)
    if len(given) < len(arguments):
        raise ConfigError(f"--input is {shown(arguments)}: give each input once")
    readers = {role: partial(_result, io, makers) for role, makers in task.inputs.items()}
    readers |= {name: io.read_array for name in task.arrays} | ({"images": Path} if task.image_set(config) else {})
    required = {name for name in readers if not name.endswith("?")}
    readers = {name.rstrip("?"): read for name, read in readers.items()}
    if not required <= given.keys() <= readers.keys():
        raise ConfigError(f"--input is {shown(sorted(given))}: this task takes {', '.join(sorted(readers)) or 'none'}")
    return {name: readers[name](path) for name, path in given.items()}


def _result(io, makers, path):
    """Read a result of one of these tasks, which may come from another person."""
    from twolayer.experiments import TASKS

    dataset = io.read(path, task=makers)
    return TASKS[io.maker_of(dataset)].result.conforming(dataset, f"results file {path}")

"""The command line.

What a command needs is imported inside it: the thread count must be set before NumPy starts, and `list` should not
wait for numba.
"""

import argparse
import contextlib
import errno
import json
import logging
import os
import resource
import sys
import time
from functools import partial
from pathlib import Path

from twolayer import __version__
from twolayer.compiled import fingerprint
from twolayer.errors import ConfigError, TwolayerError, known
from twolayer.experiments import TASKS
from twolayer.experiments.tasks import needing_extras
from twolayer.parameters import parse, shown
from twolayer.pipeline.dependencies import module_files
from twolayer.pipeline.folders import SETTINGS, read_setting, stated
from twolayer.pipeline.home import replace_home
from twolayer.pipeline.project import PRESETS, check_program
from twolayer.pipeline.report.console import FoldedLog, say, width
from twolayer_command import FORKED

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

# Errors of a disk that is full or read-only, and of a folder of someone else.
_NOT_WRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)

log = logging.getLogger("twolayer")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status: 0 well, 1 a check failed, 2 an error of the user's to mend."""
    options = command_parser().parse_args(arguments)
    handler = FoldedLog(sys.stderr)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=[handler])
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it logs every glyph of a PDF
    logging.raiseExceptions = False  # a log on a full disk is no reason to stop, or to print an error for each line
    try:
        _state_settings(getattr(options, "config", []))
        replace_home()
        check_program()
        with needing_extras(f"the command twolayer {options.name}"):
            status = options.command(options)
        sys.stdout.flush()
        return status
    except TwolayerError as error:
        return _refuse(error)
    except MemoryError:
        return _refuse("there is not enough memory: use smaller sizes, or a larger machine")
    except BrokenPipeError:  # of `twolayer list | head`
        _discard_output()
        return 0
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
        if error.filename is None:
            _discard_output()
        return _refuse(
            f"{error.filename or 'the output'} cannot be written ({error.strerror}): make room, or name another place"
        )


def _discard_output():
    """Write nothing more to standard output: what waits in its buffer would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _state_settings(words):
    """Let settings of the command line hold for this process, and for what it starts."""
    if words:
        given = {key: read_setting(key, value) for key, _, value in (word.partition("=") for word in words)}
        os.environ[SETTINGS] = json.dumps({**stated(os.environ), **given})


def _refuse(reason):
    with contextlib.suppress(OSError):  # a log on a full disk
        say(f"error: {reason}", sys.stderr)
    return 2


_FIGURE = "name of a figure, as `twolayer list` prints them"
_DATA_SET = "name of an image set, such as mnist"


class _TaskHelp(argparse.Action):
    """The option `--help` of `twolayer run`: with a task, it prints the help of the task."""

    def __init__(self, option_strings, dest, **settings):
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser, namespace, values, option_string=None):
        task = TASKS.get(getattr(namespace, "task", None))
        if task is None:
            parser.print_help()
        else:
            from twolayer.pipeline.task_help import task_lines

            say("\n".join(task_lines(task)))
        parser.exit()


def command_parser():
    """Return the parser of all commands and their arguments."""
    parser = argparse.ArgumentParser(
        prog="twolayer", description="Experiments and check results of the twolayer pipeline."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")

    run = commands.add_parser("run", help="compute one task and write its result", add_help=False)
    run.add_argument("task", metavar="TASK", help="name of a task, as `twolayer list --tasks` prints them")
    run.add_argument("-h", "--help", action=_TaskHelp, help="print this help, or the help of TASK")
    run.add_argument("--params", default="{}", help="parameters in JSON")
    run.add_argument(
        "--input", action="append", default=[], metavar="NAME=PATH", help="a result, or a folder of images"
    )
    run.add_argument("--output", required=True, type=Path, help="results file to write (NetCDF)")
    run.add_argument("--threads", type=_count, default=os.cpu_count(), help="threads to use (all cores)")
    run.set_defaults(command=_run)

    listing = commands.add_parser("list", help="print the catalogue of figures")
    listing.add_argument("--tasks", action="store_true", help="print the tasks of `twolayer run` instead")
    listing.set_defaults(command=_list)

    showing = commands.add_parser("show", help="print the files of a figure, and its runs with their parameters")
    showing.add_argument("figure", metavar="FIGURE", help=_FIGURE)
    _add_preset(showing)
    showing.set_defaults(command=_show)

    citing = commands.add_parser("cite", help="print BibTeX entries of twolayer, and of the papers of a figure")
    citing.add_argument("figure", metavar="FIGURE", nargs="?", help=_FIGURE)
    citing.set_defaults(command=_cite)

    checking = commands.add_parser("check", help="print a figure's checks; exit with 1 if one fails or none applies")
    checking.add_argument("figure", metavar="FIGURE", help=_FIGURE)
    _add_preset(checking)
    checking.set_defaults(command=_check)

    board = commands.add_parser(
        "scoreboard", help="write the scoreboard, or exit with 1 if a check failed or a figure has none that applied"
    )
    _add_preset(board)
    board.add_argument("--check", action="store_true", help="write nothing, count what is right and name what is not")
    board.set_defaults(command=_scoreboard)

    animation = commands.add_parser("animate", help="write an animation of a figure")
    animation.add_argument("animation", metavar="ANIMATION", help="name of an animation, such as fig6")
    _add_preset(animation)
    animation.set_defaults(command=_animate)

    notebook = commands.add_parser("notebook", help="execute the notebook of a figure, which draws it")
    notebook.add_argument("figure", metavar="FIGURE", help=_FIGURE)
    _add_preset(notebook)
    notebook.add_argument("--output", required=True, type=Path, help="executed notebook to write")
    notebook.set_defaults(command=_notebook)

    fetch = commands.add_parser("fetch", help="download one file of an image set")
    fetch.add_argument("dataset", metavar="DATASET", help=_DATA_SET)
    fetch.add_argument("file", metavar="FILE", help="name of the file at its publisher")
    fetch.add_argument("--output", required=True, type=Path, help="file to write")
    fetch.set_defaults(command=_fetch)

    unpack = commands.add_parser("unpack", help="unpack the files of an image set from their archive")
    unpack.add_argument("dataset", metavar="DATASET", help=_DATA_SET)
    unpack.add_argument("archive", metavar="ARCHIVE", type=Path, help="archive that the publisher provides")
    unpack.add_argument("--output", required=True, type=Path, help="folder for the files")
    unpack.set_defaults(command=_unpack)

    comparing = commands.add_parser(
        "compare", help="compare two results, or two folders of results; exit with 1 if they differ"
    )
    comparing.add_argument("one", metavar="A", type=Path, help="a result (NetCDF), or a folder of results")
    comparing.add_argument("other", metavar="B", type=Path, help="another one")
    comparing.set_defaults(command=_compare)

    exporting = commands.add_parser("export", help="write the curves of a figure, and its checks, as CSV files")
    exporting.add_argument("figure", metavar="FIGURE", help=_FIGURE)
    _add_preset(exporting)
    exporting.add_argument("--output", type=Path, help="file for the curves (FIGURE.csv in the folder of the PDF)")
    exporting.set_defaults(command=_export)

    replicating = commands.add_parser(
        "replicate", help="repeat the quick preset with shifted seeds and sum up its checks; exit with 1 if one fails"
    )
    replicating.add_argument("--seeds", type=_count, default=10, help="number of repetitions (10)")
    replicating.add_argument("--first", type=_count, default=1, help="the smallest shift, in thousands (1)")
    _add_repetition(replicating, "docs/replicates.md")
    replicating.set_defaults(command=_replicate)

    processing = commands.add_parser(
        "processors", help="repeat the quick preset as other processors compute it; exit with 1 if a check fails"
    )
    _add_repetition(processing, "docs/processors.md")
    processing.set_defaults(command=_processors)

    recovery = commands.add_parser("recover", help="unlock the project after Snakemake was killed, if nothing runs")
    _add_root(recovery)
    recovery.set_defaults(command=_recover)

    checksumming = commands.add_parser("checksum", help="append a checksum to results of an earlier version")
    checksumming.add_argument("result", metavar="RESULT", type=Path, nargs="+", help="results file (NetCDF)")
    checksumming.set_defaults(command=_checksum)

    completing = commands.add_parser("completion", help='let a shell complete these: eval "$(twolayer completion)"')
    completing.set_defaults(command=partial(_completion, commands.choices))

    packing = commands.add_parser(
        "archive", help="pack the results, check results and figures of a preset into one file"
    )
    _add_preset(packing)
    packing.add_argument("--output", type=Path, help="file to write (results/twolayer-PRESET.tar)")
    packing.set_defaults(command=_archive)

    exhibition = commands.add_parser(
        "gallery", help="write pictures and check results of the figures whose results exist"
    )
    _add_preset(exhibition)
    exhibition.add_argument("--output", type=Path, help="folder to write to (docs/gallery)")
    exhibition.set_defaults(command=_gallery)

    found = commands.add_parser(
        "findings", help="write docs/findings.md: claims of the papers, our results and the checks of the gallery"
    )
    found.set_defaults(command=_findings)

    updating = commands.add_parser(
        "update-timings", help="write the minutes and the memory of the present results to config/"
    )
    updating.set_defaults(command=_update_timings)

    restoring = commands.add_parser("restore", help="unpack the results of an archive, to draw figures from them")
    restoring.add_argument("archive", metavar="ARCHIVE", type=Path, help="file that `twolayer archive` wrote")
    _add_root(restoring)
    restoring.set_defaults(command=_restore)
    return parser


def _count(text):
    if not text.isdecimal() or not 0 < int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{shown(text)} is no number from 1 to 1024")
    return int(text)


def _add_preset(parser):
    parser.add_argument("--preset", choices=PRESETS, default="paper", help="preset of the runs (%(default)s)")
    parser.add_argument(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="settings that override config/config.yaml, as for snakemake: variant=NAME, seed_shift=3",
    )


def _add_repetition(parser, page):
    parser.add_argument("--figures", nargs="+", default=[], metavar="FIGURE", help="figures to make (all)")
    parser.add_argument("--cores", default="all", help="number of cores for Snakemake (all)")
    parser.add_argument("--output", type=Path, default=Path(page), help="page to write (%(default)s)")


def _add_root(parser):
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="the project (the folder here, or one above it)")


def _run(options):
    if options.task not in TASKS:
        raise ConfigError(f"unknown task {shown(options.task)}: choose one of {known(TASKS, options.task)}")
    _use_threads(options.threads)
    task = TASKS[options.task]
    config = parse(task.parameters, _json(options.params), "--params")

    from twolayer import io

    io.prepare_result(options.output, options.task, options.params)
    inputs = _inputs(options.input, task, config, io)
    if task.resumes:
        from twolayer.storage.checkpoint import Checkpoint

        inputs["checkpoint"] = Checkpoint(options.output, checkpoint_origin(options, task, config))
    log.info("%s starts: %s", options.task, options.params)
    start = time.perf_counter()
    dataset = task.run(config, **inputs)
    wall_time = time.perf_counter() - start
    dataset = io.made_by(dataset, options.task, options.params, wall_time).assign_attrs(process_costs())
    io.write(dataset, options.output)
    if task.resumes:
        inputs["checkpoint"].remove()
    log.info("%s ends after %.1f s: %s", options.task, wall_time, options.output)
    return 0


def process_costs():
    """What this process has cost: CPU time, and memory at its peak where it is its own."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1024**2 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    memory = {} if FORKED in os.environ else {"peak_memory_mb": round(used.ru_maxrss / unit)}
    return {"cpu_time_s": round(used.ru_utime + used.ru_stime, 3), **memory}


def checkpoint_origin(options, task, config):
    """What a checkpoint depends on: the task and its parameters, the program, the libraries and every input."""
    from twolayer import io

    given = dict(argument.split("=", 1) for argument in options.input)
    files = [Path(path) for name, path in given.items() if name != "images"]
    files += task.image_files(config, Path(given.get("images", "")))
    program = fingerprint(module_files(task.module))
    return json.dumps(
        [options.task, options.params, program, io.library_versions(), [io.digest(file) for file in files]]
    )


def _use_threads(count):
    """Let the libraries use so many threads: by the environment before they are loaded, else by themselves."""
    for variable in _THREAD_VARIABLES:
        os.environ[variable] = str(count)
    if "numpy" in sys.modules:
        import threadpoolctl

        threadpoolctl.threadpool_limits(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)


def _json(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--params is not valid JSON: {str(error)[:200]}") from None


def _inputs(arguments, task, config, io):
    given = dict(argument.partition("=")[::2] for argument in arguments)
    if len(given) < len(arguments):
        raise ConfigError(f"--input names {shown(arguments)}: give each input once")
    readers = {role: partial(_result, io, makers) for role, makers in task.inputs.items()}
    readers |= {name: io.read_array for name in task.arrays} | ({"images": Path} if task.image_set(config) else {})
    required = {name for name in readers if not name.endswith("?")}
    readers = {name.rstrip("?"): read for name, read in readers.items()}
    if not required <= given.keys() <= readers.keys():
        raise ConfigError(
            f"--input names {shown(sorted(given))}: this task takes {', '.join(sorted(readers)) or 'none'}"
        )
    return {name: readers[name](path) for name, path in given.items()}


def _result(io, makers, path):
    """A result of one of these tasks, which may come from somebody else."""
    dataset = io.read(path, task=makers)
    return TASKS[io.maker_of(dataset)].result.conforming(dataset, f"results file {path}")


def _catalogue(root=None):
    """The figures and runs of the project, which `run` does not need. Its limit of what is read holds from now on."""
    from twolayer.pipeline.catalogue import Catalogue

    catalogue = Catalogue.load(root or Catalogue.find_root())
    catalogue.allow_large_files()
    return catalogue


def _list(options):
    if options.tasks:
        from twolayer.pipeline.task_help import summaries

        say("\n".join(summaries()))
        return 0
    from twolayer.pipeline.figure_info import catalogue_lines

    for line in catalogue_lines(_catalogue(), width(sys.stdout)):
        say(line)
    return 0


def _show(options):
    from twolayer.pipeline.figure_info import lines

    for line in lines(_catalogue(), options.figure, options.preset):
        say(line)
    return 0


def _cite(options):
    from twolayer.pipeline.figure_info import citation

    papers = () if options.figure is None else _catalogue().figure(options.figure).papers
    say(citation(papers))
    return 0


def _check(options):
    from twolayer.pipeline.report.checks import check_results
    from twolayer.pipeline.report.checks.check_table import table
    from twolayer.pipeline.report.checks.failures import failure_report
    from twolayer.pipeline.report.checks.summary import main_check, needed, sentence

    catalogue = _catalogue()
    evidence = check_results.open_evidence(catalogue, options.figure, options.preset, strict=True)
    judged = check_results.judge(catalogue.figure(options.figure), evidence)
    say(table(judged, width(sys.stdout)), end="\n\n")
    if main := main_check(judged):
        minutes = catalogue.minutes(catalogue.figure_runs(options.figure, options.preset))
        if more := needed(main, options.preset, minutes):
            say(more)
    failing = failure_report(catalogue, options.figure, options.preset, judged)
    for line in failing.lines() if failing else ():
        say(line)
    say(sentence(options.figure, judged))
    return int(failing is not None)


def _scoreboard(options):
    from twolayer.pipeline.report import scoreboard

    catalogue = _catalogue()
    folder = catalogue.folders.figures(options.preset)
    if not options.check:
        scoreboard.write(catalogue, options.preset, catalogue.root / folder)
        return 0
    judged = scoreboard.judged(catalogue, options.preset)
    failing = scoreboard.failure_reports(catalogue, judged, options.preset)
    say(scoreboard.summary(judged, options.preset))
    for one in failing:
        say(f"{one.figure}: {one.status}", sys.stderr)
        for line in one.lines("    "):
            say(line, sys.stderr)
    say(f"see {folder}/scoreboard.html" + (f"#{failing[0].figure}" if failing else ""))
    return int(bool(failing))


def _replicate(options):
    from twolayer.pipeline.jobs import replicates

    failed = _repeated(replicates.shifted_seeds(options.seeds, options.first), options)
    text = replicates.table_of_checks(replicates.read_all(_catalogue().root / replicates.records.FOLDER))
    replicates.write(text, "Checks with other random numbers", "twolayer replicate", options.output)
    return failed


def _processors(options):
    from twolayer.pipeline.jobs import replicates

    failed = _repeated(replicates.processors(), options)
    text = replicates.tables_of_processors(_catalogue().root / replicates.records.FOLDER)
    replicates.write(text, "Results on other processors", "twolayer processors", options.output)
    return failed


def _repeated(repetitions, options):
    """Make repetitions of the quick preset, name the checks that fail, and return 1 if one fails."""
    from twolayer.pipeline.jobs import replicates

    catalogue = _catalogue()
    figures = [catalogue.figure(name).name for name in options.figures]
    failed = 0
    for repetition in repetitions:
        say(f"{repetition.name}:")
        for failure in replicates.failures(replicates.make(repetition, catalogue.root, figures, options.cores)):
            say(f"  fails: {failure}")
            failed = 1
    return failed


def _export(options):
    from twolayer.pipeline.report.figure_data import export

    catalogue = _catalogue()
    folder = catalogue.root / catalogue.folders.figures(options.preset)
    for path in export(catalogue, options.figure, options.preset, options.output or folder / f"{options.figure}.csv"):
        say(path)
    return 0


def _compare(options):
    from twolayer.pipeline.compare import compare, table

    differences = compare(options.one, options.other)
    say(table(differences) if differences else "all variables are identical")
    return int(bool(differences))


def _animate(options):
    from twolayer.pipeline.report.figure_page import Page

    catalogue = _catalogue()
    Page.open(catalogue.animated_figure(options.animation).name, options.preset).animate(options.animation)
    return 0


def _notebook(options):
    from twolayer.pipeline.report.notebooks import execute

    execute(options.figure, options.preset, options.output)
    return 0


def _unpack(options):
    from twolayer.pipeline.jobs.download import unpack

    unpack(options.dataset, options.archive, options.output)
    return 0


def _recover(options):
    from twolayer.pipeline.jobs.recovery import recover
    from twolayer.pipeline.trusted_root import trusted_root

    partial = recover(trusted_root(options.root))
    say(f"unlocked, and {partial} partial files of killed jobs removed: ask again for what you wanted")
    return 0


def _checksum(options):
    from twolayer import io

    with_checksum = sum(io.append_checksum(path) for path in options.result)
    log.info("%d of %d results had no digest, and have one now", with_checksum, len(options.result))
    return 0


def _archive(options):
    from twolayer.pipeline.jobs import archive

    catalogue = _catalogue()
    path = options.output or catalogue.root / catalogue.folders.archive(options.preset)
    packed, missing = archive.pack(catalogue, options.preset, path)
    left_out = f"; {len(missing)} results of that preset have not been made, {missing[0]} first" if missing else ""
    say(f"{path}: {len(packed)} files, {path.stat().st_size / 1e6:.0f} MB{left_out}")
    return 0


def _restore(options):
    from twolayer.pipeline.jobs import archive
    from twolayer.pipeline.trusted_root import trusted_root

    restored = archive.restore(_catalogue(trusted_root(options.root)), options.archive)
    say(f"{len(restored.taken)} results are restored: draw their figures with `snakemake {restored.preset}`")
    if restored.drawn:
        say(f"{len(restored.drawn)} figures and check results stay in the archive until they are made here")
    if restored.code:
        say(
            f"{len(restored.code)} of them name a module, whose code runs when they are used: {restored.code[0]} first",
            sys.stderr,
        )
    if restored.unknown:
        say(
            f"{len(restored.unknown)} are left out, since config/ does not have them with these parameters: "
            f"{restored.unknown[0]} first",
            sys.stderr,
        )
    return 0


def _completion(commands, options):
    from twolayer.pipeline.completion import script

    print(script(commands), end="")
    return 0


def _gallery(options):
    from twolayer.pipeline.report import gallery

    catalogue = _catalogue()
    folder = options.output or catalogue.root / gallery.FOLDER
    left_out = gallery.write(catalogue, options.preset, folder)
    for name, reason in left_out.items():
        say(f"{name} is left as it was: {reason}", sys.stderr)
    say(f"{folder}: {len(catalogue.figures) - len(left_out)} figures made")
    return 0


def _update_timings(options):
    from twolayer.pipeline.jobs.timings import write

    for change in write(_catalogue()):
        say(change)
    return 0


def _findings(options):
    from twolayer import io
    from twolayer.pipeline.report.findings import PATH, page

    catalogue = _catalogue()
    io.write_text(page(catalogue), catalogue.root / PATH)
    say(f"{PATH} is written")
    return 0


def _fetch(options):
    from twolayer.pipeline.jobs.download import fetch

    fetch(options.dataset, options.file, options.output)
    return 0

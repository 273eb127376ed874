"""Commands on results, image sets and the project.

What a command needs is imported inside it, so that `twolayer list` does not wait for numba.
"""

import logging
import os
import sys
from pathlib import Path

from twolayer.pipeline.commands.arguments import (
    CONFIG,
    CORES,
    DATA_SET,
    FIGURES,
    ROOT,
    apply_limit_of_files,
    argument,
    command,
    count,
    open_catalogue,
    output,
    preset,
)
from twolayer.pipeline.folders import config_option, stated
from twolayer.pipeline.report.console import say

log = logging.getLogger("twolayer")


@command(
    "fetch",
    "download one file of an image set",
    DATA_SET,
    argument("file", metavar="FILE", help="name of the file at its publisher"),
    output("file to write", required=True),
)
def _fetch(options):
    from twolayer.pipeline.jobs.download import fetch

    fetch(options.dataset, options.file, options.output)
    return 0


@command(
    "unpack",
    "unpack the files of an image set from their archive",
    DATA_SET,
    argument("archive", metavar="ARCHIVE", type=Path, help="archive that the publisher provides"),
    output("folder for the files", required=True),
    CONFIG,
)
def _unpack(options):
    from twolayer.pipeline.jobs.download import unpack

    apply_limit_of_files()
    unpack(options.dataset, options.archive, options.output)
    return 0


@command(
    "compare",
    "compare two results, or two folders of results; exit with 1 if they differ",
    argument("one", metavar="A", type=Path, help="a result (NetCDF), or a folder of results"),
    argument("other", metavar="B", type=Path, help="another one"),
    CONFIG,
)
def _compare(options):
    from twolayer.pipeline.compare import compare, table

    apply_limit_of_files()
    differences = compare(options.one, options.other)
    say(table(differences) if differences else "all variables are identical")
    return int(bool(differences))


@command(
    "replicate",
    "repeat the quick preset with shifted seeds and sum up its checks; exit with 1 if one fails",
    argument("--seeds", type=count, default=10, help="number of repetitions (10)"),
    argument("--first", type=count, default=1, help="the smallest shift, in thousands (1)"),
    FIGURES,
    CORES,
    CONFIG,
    output("page to write (docs/replicates.md, or results/VARIANT/replicates.md)"),
)
def _replicate(options):
    from twolayer.pipeline.jobs import replicates

    failed, root, folder = _repeated(replicates.shifted_seeds(options.seeds, options.first), options)
    text = replicates.table_of_checks(replicates.read_all(root / folder))
    path = options.output or root / folder.with_suffix(".md")
    replicates.write(text, "Checks with other random numbers", "twolayer replicate", folder, path)
    return failed


@command(
    "processors",
    "repeat the quick preset as other processors compute it; exit with 1 if a check fails",
    FIGURES,
    CORES,
    CONFIG,
    output("page to write (docs/processors.md, or results/VARIANT/processors.md)"),
)
def _processors(options):
    from twolayer.pipeline.jobs import replicates

    failed, root, folder = _repeated(replicates.processors(), options)
    text = replicates.tables_of_processors(root / folder)
    path = options.output or root / folder.with_name("processors.md")
    replicates.write(text, "Results on other processors", "twolayer processors", folder, path)
    return failed


def _repeated(repetitions, options):
    """Make repetitions of the quick preset and print the checks that fail.

    Returns: 1 if one fails, else 0; the project; and the folder of the records in it.
    """
    from twolayer.pipeline.jobs import records, replicates

    catalogue = open_catalogue()
    variant = catalogue.folders.variant
    replicates.check_settings(catalogue, stated(os.environ))
    figures = [catalogue.figure(name).name for name in options.figures]
    failed = 0
    for repetition in repetitions:
        say(f"{repetition.name}:")
        record = replicates.make(repetition, catalogue.root, figures, options.cores, variant)
        for failure in replicates.failures(record):
            say(f"  fails: {failure}")
            failed = 1
    return failed, catalogue.root, records.folder_of(variant)


@command("recover", "unlock the project after Snakemake was killed, if nothing runs", ROOT, CONFIG)
def _recover(options):
    from twolayer.pipeline.commands.trusted_root import trusted_root
    from twolayer.pipeline.jobs.recovery import recover

    partial = recover(trusted_root(options.root))
    say(f"unlocked, and {partial} partial files of killed jobs removed: run your command again")
    return 0


@command(
    "checksum",
    "append a checksum to results of an earlier version",
    argument("result", metavar="RESULT", type=Path, nargs="+", help="results file (NetCDF)"),
    CONFIG,
)
def _checksum(options):
    from twolayer import io

    apply_limit_of_files()
    with_checksum = sum(io.append_checksum(path) for path in options.result)
    log.info("%d of %d results had no digest, and have one now", with_checksum, len(options.result))
    return 0


@command("completion", 'let a shell complete these: eval "$(twolayer completion)"')
def _completion(options):
    from twolayer.pipeline.completion import script

    print(script(options.commands), end="")
    return 0


@command(
    "archive",
    "pack the results, check results and figures of a preset into one file",
    preset,
    output("file to write (results/twolayer-PRESET.tar)"),
)
def _archive(options):
    from twolayer.pipeline.jobs import archive

    catalogue = open_catalogue()
    path = options.output or catalogue.root / catalogue.folders.archive(options.preset)
    packed, missing = archive.pack(catalogue, options.preset, path)
    left_out = f"; {len(missing)} results of that preset have not been made, {missing[0]} first" if missing else ""
    say(f"{path}: {len(packed)} files, {path.stat().st_size / 1e6:.0f} MB{left_out}")
    return 0


@command(
    "restore",
    "unpack the results of an archive, to draw figures from them",
    argument("archive", metavar="ARCHIVE", type=Path, help="file that `twolayer archive` wrote"),
    ROOT,
    CONFIG,
)
def _restore(options):
    from twolayer.pipeline.commands.trusted_root import trusted_root
    from twolayer.pipeline.jobs import archive

    restored = archive.restore(open_catalogue(trusted_root(options.root)), options.archive)
    drawing = f"snakemake {restored.preset}{config_option()}"
    say(f"{len(restored.taken)} results are restored: draw their figures with `{drawing}`")
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


@command("update-timings", "write the minutes and the memory of the present results to config/", CONFIG)
def _update_timings(options):
    from twolayer.pipeline.jobs.timings import write

    for change in write(open_catalogue()):
        say(change)
    return 0

"""Commands on figures and their checks.

What a command needs is imported inside it, so that `twolayer list` does not wait for numba.
"""

import sys

from twolayer.pipeline.commands.arguments import CONFIG, FIGURE, argument, command, open_catalogue, output, preset
from twolayer.pipeline.report.console import say, width


@command(
    "list",
    "print the catalogue of figures",
    argument("--tasks", action="store_true", help="print the tasks of `twolayer run` instead"),
    CONFIG,
)
def _list(options):
    if options.tasks:
        from twolayer.pipeline.task_help import summaries

        say("\n".join(summaries()))
        return 0
    from twolayer.pipeline.figure_info import catalogue_lines

    for line in catalogue_lines(open_catalogue(), width(sys.stdout)):
        say(line)
    return 0


@command("show", "print the files of a figure, and its runs with their parameters", FIGURE, preset)
def _show(options):
    from twolayer.pipeline.figure_info import lines

    for line in lines(open_catalogue(), options.figure, options.preset):
        say(line)
    return 0


@command(
    "cite",
    "print BibTeX entries of twolayer, and of the papers of a figure",
    argument("figure", metavar="FIGURE", nargs="?", help="name of a figure, as printed by `twolayer list`"),
    CONFIG,
)
def _cite(options):
    from twolayer.pipeline.figure_info import citation

    papers = () if options.figure is None else open_catalogue().figure(options.figure).papers
    say(citation(papers))
    return 0


@command("check", "print a figure's checks; exit with 1 if one fails or none applies", FIGURE, preset)
def _check(options):
    from twolayer.pipeline.report.checks import check_results
    from twolayer.pipeline.report.checks.check_table import table
    from twolayer.pipeline.report.checks.failures import failure_report
    from twolayer.pipeline.report.checks.summary import sentence

    catalogue = open_catalogue()
    evidence = check_results.open_evidence(catalogue, options.figure, options.preset, strict=True)
    judged = check_results.judge(catalogue.figure(options.figure), evidence)
    say(table(judged, width(sys.stdout)), end="\n\n")
    if more := check_results.needed_runs(catalogue, options.figure, options.preset, judged):
        say(more)
    failing = failure_report(catalogue, options.figure, options.preset, judged)
    for line in failing.lines() if failing else ():
        say(line)
    say(sentence(options.figure, judged))
    return int(failing is not None)


@command(
    "scoreboard",
    "write the scoreboard, or exit with 1 if a check failed or a figure has none that applied",
    preset,
    argument("--check", action="store_true", help="write nothing, count the figures that pass and name the others"),
)
def _scoreboard(options):
    from twolayer.pipeline.report import scoreboard

    catalogue = open_catalogue()
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


@command(
    "animate",
    "write an animation of a figure",
    argument("animation", metavar="ANIMATION", help="name of an animation, such as fig6"),
    preset,
)
def _animate(options):
    from twolayer.pipeline.report.figure_page import Page

    catalogue = open_catalogue()
    Page.open(catalogue.animated_figure(options.animation).name, options.preset).animate(options.animation)
    return 0


@command(
    "notebook",
    "execute the notebook of a figure, which draws it",
    FIGURE,
    preset,
    output("executed notebook to write", required=True),
)
def _notebook(options):
    from twolayer.pipeline.report.notebooks import execute

    execute(options.figure, options.preset, options.output)
    return 0


@command(
    "export",
    "write the curves of a figure, and its checks, as CSV files",
    FIGURE,
    preset,
    output("file for the curves (FIGURE.csv in the folder of the PDF)"),
)
def _export(options):
    from twolayer.pipeline.report.figure_data import export

    catalogue = open_catalogue()
    folder = catalogue.root / catalogue.folders.figures(options.preset)
    for path in export(catalogue, options.figure, options.preset, options.output or folder / f"{options.figure}.csv"):
        say(path)
    return 0


@command(
    "gallery",
    "write pictures and check results of the figures whose results exist",
    preset,
    output("folder to write to (docs/gallery)"),
)
def _gallery(options):
    from twolayer.pipeline.report import gallery, gallery_markdown

    catalogue = open_catalogue()
    folder = options.output or catalogue.root / gallery.FOLDER
    left_out = gallery.write(catalogue, options.preset, folder)
    gallery_markdown.write(catalogue, folder)
    for name, reason in left_out.items():
        say(f"{name} is left as it was: {reason}", sys.stderr)
    say(f"{folder}: {len(catalogue.figures) - len(left_out)} figures made")
    return 0


@command("findings", "write docs/findings.md: claims of the papers, our results and the checks of the gallery", CONFIG)
def _findings(options):
    from twolayer.pipeline.report.findings import PATH, page
    from twolayer.storage.files import write_text

    catalogue = open_catalogue()
    write_text(page(catalogue), catalogue.root / PATH)
    say(f"{PATH} is written")
    return 0

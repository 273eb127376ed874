"""Text from elsewhere on pages, in figures, in terminals and in shells."""

import os
import subprocess

import matplotlib.pyplot as plt
import pytest
from judged import at_most
from markdown_it import MarkdownIt
from small_project import ROOT

from twolayer.errors import ConfigError, DataError, ResultError
from twolayer.escaping import markdown, mathtext, one_line, terminal
from twolayer.figures.outcomes import CheckResult
from twolayer.pipeline import cli
from twolayer.pipeline.report import gallery, gallery_markdown, scoreboard
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.studies.figure_entries import FigureEntry

HOSTILE = [
    "<script>alert(1)</script>",
    "```{include} /etc/passwd",
    "{include}`/etc/passwd`",
    "[a](javascript:alert(1))",
    "![a](x.png)",
    "a | b | c",
    "$x$ and $$y$$",
    "**bold** _it_ ~~no~~",
    "&lt;script&gt;",
    "# heading",
    "- item",
    "1. item",
    "(target)=",
    "% comment",
    "+++",
    ":::{note}",
    "a\nb",
    "a\\",
    "\x1b[31mred",
    "<http://x>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_it_as_it_stands(text):
    """As plain text of one paragraph, and so in a cell of a table."""
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    (_, inline, _) = renderer.parse(markdown(text))
    assert inline.type == "inline"
    assert {part.type for part in inline.children} <= {"text", "text_special"}
    assert "".join(part.content for part in inline.children) == one_line(text)
    rows = [
        part for part in renderer.parse(f"| a | b |\n|---|---|\n| {markdown(text)} | c |") if part.type == "td_open"
    ]
    assert len(rows) == 2


@pytest.mark.parametrize("text", ["$\\frac{$", "a $x^$ b", "$", "\\$x$", "5 $ and 6 $", *HOSTILE])
def test_figures_show_it_as_it_stands(text):
    figure = plt.figure()
    try:
        figure.suptitle(mathtext(text))
        figure.canvas.draw()  # raises where it is no formula
    finally:
        plt.close(figure)


def test_a_terminal_gets_no_control_characters():
    assert terminal("a\x1b[31mb\x07\u202ec\né") == "a\\x1b[31mb\\x07\\u202ec\né"


def test_errors_reach_the_terminal_escaped(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["restore", "a\x1b[31m.tar", "--root", "b\x1b[31m"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", [ConfigError, DataError, ResultError])
def test_errors_of_the_library_have_no_control_characters(kind):
    """Python prints them. They may have names from a file of another person."""
    assert str(kind("no array '\x1b[31m': give \u202e")) == "no array '\\x1b[31m': give \\u202e"


def entry(title, machine, *outcomes):
    figure = FigureEntry("fig1", "mixtures", title, title, {}, {}, (), claim=title, finding=title)
    made = Provenance(1, 1.0, "2026-01-01", "2026-01-01", ("0123456789ab",), ("python 3",), (machine,))
    judged = check_results.FigureChecks(list(outcomes), made)
    return gallery.GalleryEntry(figure, judged, "quick", False, "unknown", False)


def rendered(shown):
    """The page of a gallery with one figure, in HTML."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(gallery_markdown.page(ROOT, [shown]))


@pytest.mark.parametrize("text", HOSTILE)
def test_the_gallery_shows_it_as_it_stands(text):
    html = rendered(entry(text, text))
    assert "<script" not in html
    assert "javascript" not in html or 'href="javascript' not in html
    assert html.count("<h1>") == 1
    assert html.count("<h2>") == 1
    assert html.count("<td>") == 4
    assert html.count("<img") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_the_gallery_shows_a_failing_check_as_it_stands(text):
    failing = CheckResult(**vars(at_most(3.0, 2.0, text, source=text, compared="numerics")))
    html = rendered(entry("a title", "a machine", failing))
    assert failing.status == "fail"
    assert "<script" not in html
    assert "javascript" not in html or 'href="javascript' not in html
    assert html.count("<h1>") == html.count("<h2>") == html.count("<h3>") == 1
    assert html.count("<td>") == 4
    assert html.count("<li>") == 1
    assert html.count("<img") == 1


def test_the_scoreboard_shows_it_as_it_stands():
    outcome = CheckResult(**vars(at_most(1.0, 2.0, "<script>", source="<b>", compared="numerics")))
    table = scoreboard.check_table([outcome])
    assert "<script>" not in table
    assert "&lt;script&gt;" in table


NAMES = [
    "$(touch ran).py",
    "`touch ran`.py",
    "a;touch ran.py",
    "a b.py",
    "-rf.py",
    "fig'.py",
    "é.py",
    "fig1.py",
    "a-b_2.py",
]


@pytest.mark.parametrize("command", ["check", "animate", "notebook"])
def test_completion_runs_nothing(tmp_path, command, capsys):
    assert cli.main(["completion"]) == 0
    completion = capsys.readouterr().out
    (tmp_path / "workflow" / "notebooks").mkdir(parents=True)
    for name in (*NAMES, "fig1.py", "a-b_2.py"):
        (tmp_path / "workflow" / "notebooks" / name).touch()
    ask = f"COMP_WORDS=(twolayer {command} ''); COMP_CWORD=2; _twolayer; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = f"{completion}\n{ask}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    offered = set(done.stdout.split("\n"))
    assert {"fig1", "a-b_2"} <= offered
    assert not offered & {"-rf", "a", "b", "é", "fig'"}
    assert not list(tmp_path.rglob("ran"))


def test_completion_in_a_folder_with_an_odd_name(tmp_path, capsys):
    """With CDPATH, a shell prints the name of the folder that it enters."""
    assert cli.main(["completion"]) == 0
    folder = tmp_path / "$(touch ran)"
    (folder / "workflow" / "notebooks").mkdir(parents=True)
    (folder / "workflow" / "notebooks" / "fig1.py").touch()
    ask = "COMP_WORDS=(twolayer check ''); COMP_CWORD=2; _twolayer; printf '%s\\n' \"${COMPREPLY[@]}\""
    script = f"{capsys.readouterr().out}\nCDPATH=$PWD\n{ask}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert "fig1" in done.stdout.split("\n")
    assert not list(tmp_path.rglob("ran"))


ODD = "a b'c\"d;touch ran;e$(touch ran)`touch ran`"


def test_slurm_gets_odd_names_as_they_are(tmp_path):
    """Partitions, accounts and folders, through the shell that calls sbatch."""
    submit = pytest.importorskip("snakemake_executor_plugin_slurm.submit_string")
    import shlex
    from types import SimpleNamespace

    class Resources(SimpleNamespace):
        def get(self, name, default=None):
            return getattr(self, name, default)

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sbatch").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "bin" / "sbatch").chmod(0o755)
    job = SimpleNamespace(resources=Resources(mem_mb=1, runtime=1), threads=1, is_group=lambda: False)
    params = {
        "run_uuid": "run",
        "slurm_logfile": f"{tmp_path}/{ODD}.log",
        "comment_str": ODD,
        "account": f" -A {shlex.quote(ODD)}",
        "partition": f" -p {shlex.quote(ODD)}",
        "workdir": f"{tmp_path}/{ODD}",
    }
    command = submit.get_submit_command(job, params)
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert said.count(ODD) == 3
    assert f"{tmp_path}/{ODD}.log" in said
    assert not list(tmp_path.rglob("ran"))


def test_a_partition_of_an_odd_name_is_refused(tmp_path, monkeypatch):
    from twolayer.pipeline.jobs import cluster

    (tmp_path / "sinfo").write_text("#!/bin/sh\necho 'debug*'\n")
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ConfigError, match="which is not a partition of this cluster"):
        cluster.check([ODD])
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("name", ["a$(touch ran)", "a`touch ran`", 'a"b', "a\\b", "$HOME"])
def test_slurm_gets_no_folder_whose_name_a_shell_obeys(tmp_path, name):
    """The plug-in puts the command of a job between double quotes."""
    from twolayer.pipeline.jobs import cluster

    cluster.check_folders(tmp_path / "a b'c;d")
    with pytest.raises(ConfigError, match="rename the folder"):
        cluster.check_folders(tmp_path, tmp_path / name)


def test_the_documentation_states_what_is_promised():
    page = (ROOT / "docs" / "reference" / "security.md").read_text()
    for word in ("restore", "checksum", "Snakefile", "largest_gb", "--root", "custom"):
        assert word in page
    assert "docs/reference/security.md" in (ROOT / "SECURITY.md").read_text()

"""What a finished scale looks like."""

import csv
import json
import re
import shutil
import tarfile

import pytest

from twolayer import io
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.jobs.download import SOURCES

pytestmark = pytest.mark.slow


def test_a_figure_is_the_same_bytes_again(project):
    pdf = project.root / "figures/quick/fig1.pdf"
    before = pdf.read_bytes()
    assert before.startswith(b"%PDF")
    done = project.snakemake("--forcerun", "figure_quick", "--", "figures/quick/fig1.pdf")
    assert done.returncode == 0, done.stderr
    assert pdf.read_bytes() == before


def test_the_paper_scale_stays_untouched(project):
    assert not list((project.root / "figures").glob("*.pdf"))
    assert not (project.root / "results/paper").exists()


def test_results_say_what_made_them(project):
    result = io.read(project.root / "results/quick/mixtures/online_sgd/sgd.nc", task="online_sgd")
    assert json.loads(result.attrs["params"])["student"]["hidden_units"] == 2


def test_logs_and_benchmarks(project):
    log = (project.root / "results/quick/logs/mixtures/online_sgd/sgd.log").read_text()
    assert "online_sgd starts" in log
    assert "online_sgd ends after" in log
    assert "\r" not in log  # no progress bar
    assert (project.root / "results/quick/benchmarks/mixtures/online_sgd/sgd.tsv").exists()


def test_scoreboard_shows_the_failed_check_and_the_target_ends_with_it(project):
    page = (project.root / "figures/quick/scoreboard.html").read_text()
    assert "data:image/png;base64," in page
    assert "a check that fails" in page
    assert page.count("<script") == page.count("<script>") == 1, "its own script and no file"
    assert "http" not in page
    rows = list(csv.DictReader((project.root / "figures/quick/scoreboard.csv").open()))
    assert [row["status"] for row in rows] == ["pass", "fail"]
    done = project.snakemake("scoreboard")
    assert done.returncode != 0
    assert "fig1: fail\n    fails: a check that fails" in done.stderr
    assert "    next: twolayer check fig1 --preset quick (lists all checks)" in done.stderr


def test_verdict_on_the_command_line(project):
    done = project.run("twolayer", "check", "fig1", "--preset", "quick")
    assert done.returncode == 1
    table = done.stdout.split("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()] == ["status", "fail", "pass"]
    assert "fig1: fail, 1 of 2 checks pass" in done.stdout
    project.rewrite("src/twolayer/figures/mixtures/fig1.py", "    yield at_most(mean", "    at_most(mean")
    assert project.run("twolayer", "check", "fig1", "--preset", "quick").returncode == 0
    missing = project.run("twolayer", "check", "fig1")
    assert missing.returncode == 2
    assert (
        "make them with `snakemake figures/fig1.pdf`, or use the existing results of the quick preset with"
        in missing.stderr
    )


def test_checks_that_refuse_a_result_end_in_a_sentence(project):
    # a placeholder gives zero
    refusal = '    if r["sgd"].pmse.max() > 0:\n        raise ConfigError("its runs cannot be compared")\n'
    module = "src/twolayer/figures/mixtures/fig1.py"
    project.rewrite(module, "    features = r.find(", f"{refusal}    features = r.find(")
    project.rewrite(module, "\n\ndef draw", "from twolayer.errors import ConfigError\n\n\ndef draw")
    done = project.snakemake("figures/quick/fig1.pdf")
    assert done.returncode == 1
    assert "    error: config/mixtures.yaml: figures.fig1: its runs cannot be compared\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_result_of_other_parameters_is_not_judged(project):
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"]["params"].update(seed=5))
    done = project.run("twolayer", "check", "fig1", "--preset", "quick")
    assert done.returncode == 2
    assert "was made with other parameters" in done.stderr


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="this machine has a GPU")
def test_a_warning_where_a_gpu_is_missing(project):
    minutes = {"paper": 600, "gpu": 6, "quick": 0.1}
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"].update(minutes=minutes))
    listed = project.run("twolayer", "list").stdout.splitlines()
    times = ["15", "s", "5", "h", "6.2", "min"]
    (of_figure,) = (line for line in listed if line.startswith("fig1 "))
    (of_all,) = (line for line in listed if line.startswith("all "))
    assert of_figure.split()[1:7] == of_all.split()[1:] == times
    asked = project.snakemake("results/paper/mixtures/online_sgd/sgd.nc")
    assert asked.returncode == 0, asked.stderr
    assert re.search(r"^about 10 h with \d+ at a time", asked.stderr, re.MULTILINE)
    assert "no GPU, and 1 of the jobs should use one: about 10 h here" in asked.stderr
    assert "figures/quick/" in asked.stderr
    others = project.snakemake("results/paper/mixtures/mixture_sample/xor_sample.nc").stderr
    assert "WARNING" not in others
    assert "at a time" not in others  # less than a minute


@pytest.mark.parametrize(("device", "minutes"), [("auto", 6), ("cuda", 6), ("cpu", None)])
def test_gpus_are_for_the_paper_scale_where_the_device_may_be_one(project, device, minutes):
    expected = {"paper": 600, "gpu": 6, "quick": 0.1}
    project.edit("config/mixtures.yaml", lambda study: study["runs"]["sgd"].update(minutes=expected))
    settings = {"seed": 0, "device": device, "studies": ["mixtures"]}
    catalogue = Catalogue.load(project.root, settings, environment={})
    assert catalogue.run("paper", "mixtures", "sgd").gpu_minutes == minutes
    assert catalogue.run("quick", "mixtures", "sgd").gpu_minutes is None


def test_cifar_10_is_unpacked_from_its_archive(project):
    folder = project.root / "results/data/cifar-10-batches-bin"
    folder.mkdir(parents=True)
    names = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin", "readme.html"]
    with tarfile.open(folder / "cifar-10-binary.tar.gz", "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"cifar-10-batches-bin/{name}"))
    issued = SOURCES["cifar-10-batches-bin"].sha256["cifar-10-binary.tar.gz"]
    project.rewrite("src/twolayer/pipeline/jobs/download.py", issued, io.digest(folder / "cifar-10-binary.tar.gz"))
    done = project.snakemake("results/data/cifar-10-batches-bin/test_batch.bin")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {*names, "cifar-10-binary.tar.gz"} - {"readme.html"}
    assert project.stale("results/data/cifar-10-batches-bin/data_batch_3.bin") == set()
    assert "fetch_images" in project.snakemake("-n", "results/data/mnist/train-labels-idx1-ubyte.gz").stdout


def test_the_notebook_runs_by_hand_in_its_folder_and_writes_no_figure(project):
    products = (
        "figures/quick/fig1.pdf",
        "figures/quick/fig1.svg",
        "figures/quick/fig1.csv",
        "results/quick/checks/fig1.json",
    )
    for name in products:
        (project.root / name).unlink()
    command = "cd workflow/notebooks && jupytext --to ipynb --execute --output by-hand.ipynb fig1.py"
    done = project.run("bash", "-c", command)
    assert done.returncode == 0, done.stderr
    assert not any((project.root / name).exists() for name in products)


def test_the_report_has_figures_and_verdicts_by_study(project):
    done = project.snakemake("figures/quick/fig1.pdf", "--report", "report.html")
    assert done.returncode == 0, done.stderr
    report = (project.root / "report.html").read_text()
    assert "data:application/pdf;" in report
    for words in (
        '"mixtures"',
        "A small figure",
        "Figure 1",
        "drawn from the results at the quick preset",
        "The page of fig1 at the quick preset",
        '"status": "fail"',
        "Figures of four papers on two-layer networks",
    ):
        assert words in report, words

"""The memory that jobs request from a cluster."""

import csv

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.pipeline.catalogue import memory

SNAKEMAKE = 2 * 134  # MB of the two processes of Snakemake in a cluster job, as measured
OWN_PROCESS = 60  # MB that a job takes at least; what took less went to a worker


def test_it_covers_the_peak_and_snakemake_and_grows_with_every_attempt():
    for stated in (10, 300, 20_000):
        first, second, third = (memory(stated, attempt) for attempt in (1, 2, 3))
        assert first >= 1.2 * stated + SNAKEMAKE
        assert first < second < third


def test_the_last_runs_would_have_had_enough():
    measured = 0
    for (preset, study, name), run in CATALOGUE.runs.items():
        path = ROOT / f"results/{preset}/benchmarks/{study}/{run.task}/{name}.tsv"
        rows = list(csv.DictReader(path.open(), delimiter="\t")) if path.exists() else []
        peaks = [float(row["max_rss"]) for row in rows if row["max_rss"] not in ("-", "NA")]
        if peaks and max(peaks) > OWN_PROCESS:
            measured += 1
            needed = max(peaks) + SNAKEMAKE
            assert memory(run.mem_mb, 1) >= needed, f"{study}: mem_mb of {name} is {run.mem_mb}, it took {max(peaks)}"
    if not measured:
        pytest.skip("no run has been made in a process of its own: TWOLAYER_WORKER= snakemake quick")

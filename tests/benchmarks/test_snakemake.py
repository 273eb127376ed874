"""What Snakemake itself costs, for a thousand jobs of a second, with its rate limit and without it."""

import subprocess
import sys
from pathlib import Path

import pytest

JOBS, AT_ONCE = 1000, 4
WORKFLOW = """
import time

rule all:
    input: expand("{{number}}.txt", number=range({jobs}))

rule one:
    output: "{{number}}.txt"
    shell: "sleep 1; touch {{output}}"

onstart:
    if not {limited}:
        workflow.scheduler.job_rate_limiter = None

onsuccess:
    open("seconds", "w").write(str(time.process_time()))
"""


def started(folder, limited):
    """Snakemake on that workflow."""
    folder.mkdir()
    (folder / "Snakefile").write_text(WORKFLOW.format(jobs=JOBS, limited=limited))
    program = Path(sys.executable).parent / "snakemake"
    command = [program, "--cores", str(AT_ONCE), "--scheduler", "greedy", "--quiet", "all"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_its_rate_limit(benchmark, tmp_path):
    """Snakemake's scheduler starts itself again each second to watch a rate limit, even without a limit. The workflow
    switches this off (pipeline/snakemake_adapter.py). The test compares the CPU time of Snakemake without its jobs.
    Both variants run at the same time, because they mostly sleep."""
    if not benchmark.enabled:
        pytest.skip("takes five minutes: `make benchmark`")
    folders = {"with": tmp_path / "with", "without": tmp_path / "without"}

    def side_by_side():
        for process in [started(folder, name == "with") for name, folder in folders.items()]:
            assert process.wait() == 0

    benchmark.pedantic(side_by_side, rounds=1)
    seconds = {name: float((folder / "seconds").read_text()) for name, folder in folders.items()}
    benchmark.extra_info.update(seconds)
    print(f"CPU seconds of Snakemake for {JOBS} jobs: {seconds}")
    assert seconds["without"] < 0.5 * seconds["with"]

"""The table of `make benchmark`, in Markdown, from the JSON of pytest-benchmark: `python table.py JSON > PAGE`.

The benchmarks of a group are compared with the one whose name contains `textbook`, at the same sizes. `steps` in
`extra_info` is the number of steps of a call, if it differs between both.
"""

import itertools
import json
import math
import sys
from pathlib import Path

import numpy as np

HEAD = """# Speed against textbook implementations

`make benchmark` writes this page. It lists the CPU time of the fastest call with one thread on {cpu}, Python {python},
{date}. A textbook implementation is plain NumPy or torch code for the same formulas. The run verifies that both give
the same numbers. "memory" is the increase in the memory of the process during the call; a dash is less than a megabyte.
"grows as" is a power law through at least three sizes.

| what | case | ours | textbook | ratio | memory | grows as |
|---|---|---|---|---|---|---|
"""
FEWEST_SIZES = 3


def task(benchmark):
    return benchmark["group"]


def sizes(benchmark):
    """The numbers among the parameters of a benchmark."""
    parameters = benchmark["params"] or {}
    return {name: value for name, value in parameters.items() if type(value) is int}  # which True is not


def seconds(benchmark):
    """Of one step."""
    return benchmark["stats"]["min"] / benchmark["extra_info"].get("steps", 1)


def is_textbook(benchmark):
    return "textbook" in benchmark["name"]


def counterpart(benchmark, group):
    """The textbook's benchmark of the same sizes, as far as both have them, that shares the most other parameters."""
    ours = sizes(benchmark)

    def same_sizes(other):
        return all(ours.get(name, value) == value for name, value in sizes(other).items())

    def shared(other):
        return len(set(ways(benchmark)) & set(ways(other)))

    return max((one for one in group if is_textbook(one) and same_sizes(one)), key=shared, default=None)


def growths(group):
    """'N^1.02', by benchmark, where all that differs between three or more is a size."""
    found = {}
    for name in {name for one in group for name in sizes(one)}:

        def others(one, name=name):
            rest = {key: value for key, value in one["params"].items() if key != name}
            return one["fullname"].split("[")[0], str(sorted(rest.items()))

        known = sorted((one for one in group if name in sizes(one)), key=others)
        for _, family in itertools.groupby(known, others):
            family = sorted(family, key=lambda one, name=name: sizes(one)[name])
            if len(family) >= FEWEST_SIZES:
                points = [(sizes(one)[name], seconds(one)) for one in family]
                exponent = np.polyfit(*np.log(np.transpose(points)), 1)[0]
                found |= {one["fullname"]: f"{name}^{exponent:.2f}" for one in family}
    return found


def rows(benchmarks):
    """A line of the table for each benchmark of ours."""
    grouped = (one for one in benchmarks if one["group"])  # the others are no tasks of the library
    for group, members in itertools.groupby(sorted(grouped, key=task), task):
        members = list(members)
        growth = growths([one for one in members if not is_textbook(one)])
        for one in members:
            if not is_textbook(one):
                yield group, case(one), *costs(one, members), growth.get(one["fullname"], "")


def case(benchmark):
    """What it is called, and its sizes by name."""
    return ", ".join(ways(benchmark) + [f"{name} {value}" for name, value in sizes(benchmark).items()])


def ways(benchmark):
    """The parameters that are no sizes."""
    return [part for part in (benchmark["param"] or "").split("-") if not part.isdigit() and part not in ("", "None")]


def costs(benchmark, group):
    """Return the time, the time of the textbook code, their ratio, and the memory."""
    ours, plain = seconds(benchmark), counterpart(benchmark, group)
    compared = (shown(seconds(plain)), f"{seconds(plain) / ours:.3g}") if plain else ("", "")
    memory = benchmark["extra_info"].get("memory_mb", 0)
    return shown(ours), *compared, f"{memory:.0f} MB" if memory >= 1 else "-"


def shown(duration):
    """Three digits and a unit."""
    power = min(max(math.floor(math.log10(duration) / 3), -3), 0)
    return f"{duration / 1000**power:.3g} {('s', 'ms', 'us', 'ns')[-power]}"


def main(path):
    report = json.loads(Path(path).read_text())
    machine = report["machine_info"]
    head = HEAD.format(
        cpu=machine["cpu"]["brand_raw"], python=machine["python_version"], date=report["datetime"].split("T")[0]
    )
    print(head + "\n".join(f"| {' | '.join(row)} |" for row in rows(report["benchmarks"])))


if __name__ == "__main__":
    main(sys.argv[1])
